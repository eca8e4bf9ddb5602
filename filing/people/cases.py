"""Cases for the help desk: opened by anyone on a page, closed by staff with an answer by email."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from filing import access, audit
from filing.access import Caller
from filing.emails import outbox
from filing.emails.outbox import EmailDraft
from filing.errors import BadInput, NotReady
from filing.models import AuditEvent, Case, RecordProposal
from filing.storable_text import is_storable

MOST_OPEN = 3  # of one email address, so that no one floods the help desk or someone's mailbox
LONGEST_TEXT = 4000  # characters


@transaction.atomic
def open_case(
    *, email: str, name: str, lei: str, institution: str, text: str, user: User | None
) -> Case:
    """Open a case, and email its number to the person.

    user: who is signed in.
    Raises: BadInput.
    """
    email = email.strip().lower()
    if not is_storable([email, name, lei, institution, text]):
        raise BadInput("Remove the characters that cannot be stored, such as NUL.")
    # Proposals for the panel have a limit of their own.
    by_address = Case.objects.filter(email=email, state=Case.State.OPEN, record_proposal=None)
    if by_address.count() >= MOST_OPEN:
        raise BadInput(
            f"The help desk has {MOST_OPEN} open cases with this email address. Wait for the "
            "answers first."
        )
    case = add_case(
        Case(email=email, name=name, lei=lei, institution=institution, text=text, user=user),
        by=access.caller_of(user) if user else None,
    )
    outbox.queue_emails([_draft("case_opened", case)])
    return case


def add_case(case: Case, *, by: Caller | None) -> Case:
    """Store a new case, without an email to the person."""
    case.text = case.text.strip()
    case.save(force_insert=True)
    reason = f"with the address {case.email}"
    audit.record_event(AuditEvent.CASE_OPENED, by=by, lei=case.lei, about=str(case), reason=reason)
    return case


def plan_close(case: Case) -> str:
    """Return what closing a case would do.

    Raises: NotReady if it is closed, and for a proposal, which has answers of its own.
    """
    if case.state == Case.State.CLOSED:
        raise NotReady("It is closed already.")
    if RecordProposal.objects.filter(case=case, state=RecordProposal.State.OPEN).exists():
        raise NotReady("It is a proposal for the panel: accept or refuse the record proposal.")
    return f"Emails the answer to {case.email} and closes the case."


@transaction.atomic
def close_case(case: Case, *, by: Caller, reason: str) -> str:
    """Close a case; return what was done. reason: the answer, which the person gets by email.

    Raises: BadInput without an answer, NotReady if it is closed.
    """
    if not (answer := reason.strip()):
        raise BadInput("Enter an answer. The person gets it by email.")
    case = Case.objects.select_for_update().get(pk=case.pk)
    plan_close(case)
    end_case(case, by=by, answer=answer)
    outbox.queue_emails([_draft("case_closed", case)])
    return f"{case} is closed, and the answer is queued for {case.email}."


def end_case(case: Case, *, by: Caller, answer: str) -> None:
    """Store the answer to a case, without an email to the person."""
    case.state, case.closed_at = Case.State.CLOSED, timezone.now()
    case.closed_by, case.answer = by.username[:150], answer
    case.save(update_fields=["state", "closed_at", "closed_by", "answer"])
    audit.record_event(AuditEvent.CASE_CLOSED, by=by, lei=case.lei, about=str(case), reason=answer)


def _draft(kind: str, case: Case) -> EmailDraft:
    # Nothing that a stranger wrote: the address may be someone else's.
    answer = [outbox.remove_line_breaks(line) for line in case.answer.splitlines()]
    subject, text = outbox.render_email(kind, {"number": case.number, "answer": answer})
    return EmailDraft(
        "case", outbox.make_email_key("case", kind, case.number), case.email, subject, text
    )
