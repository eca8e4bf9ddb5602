"""Proposals for the panel by people outside staff: changes of a record, and new institutions.

They are checked as rows of a panel file are. Nothing changes until staff accept one; see
`filing.panel.proposal_answers`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone

from filing import access, audit, day_hours
from filing.access import Caller, Right
from filing.audit.value_changes import describe_change, describe_value
from filing.emails import outbox
from filing.emails.outbox import EmailDraft
from filing.errors import AlreadyExists, BadInput, Forbidden, NotFound, NotReady
from filing.lar.years import Period, YearStage, supported_years
from filing.models import AuditEvent, Case, FilingPeriod, Institution, RecordProposal
from filing.panel import history, panel_imports
from filing.panel.records import find_institution
from filing.panel.resource import Differences, cell_text
from filing.panel.sheets import PanelSheet
from filing.people import cases, users
from filing.people.institutions import check_lei, normalize_lei
from filing.periods import duties
from filing.storable_text import is_storable

MOST_OPEN = 5  # proposals of an institution, or new institutions of a person
LONGEST_REASON = 2000  # characters
# LEI and year say which record it is; staff alone write notes and decide what is a test.
PROPOSABLE = (
    "name",
    "tax_id",
    "agency",
    "email_domains",
    "quarterly_filer",
    "institution_type",
    "rssd",
    "city",
    "state",
    "assets",
    "other_lender_code",
    "parent_rssd",
    "parent_name",
    "top_holder_rssd",
    "top_holder_name",
)
OF_NEW = ("name", "tax_id", "agency", "email_domains", "quarterly_filer")
_REQUIRED = {"name": "the name", "tax_id": "the TIN", "agency": "the agency"}
_NAMED = 3  # years in a message
State = RecordProposal.State
Kind = RecordProposal.Kind


def list_proposals(lei: str) -> QuerySet[RecordProposal]:
    """Return the proposals of an institution, the newest first."""
    return RecordProposal.objects.filter(lei=lei).select_related("case", "user")


def list_changes(lei: str) -> QuerySet[RecordProposal]:
    """Return the proposals to change the record of an institution, the newest first."""
    return list_proposals(lei).filter(kind=Kind.CHANGE)


def list_registrations(user: User) -> QuerySet[RecordProposal]:
    """Return the new institutions that a user asked to register, the newest first."""
    return RecordProposal.objects.filter(user=user, kind=Kind.NEW).select_related("case")


def find_proposal(proposals: QuerySet[RecordProposal], key: int) -> RecordProposal:
    """Return one of some proposals. Raises: NotFound."""
    proposal = proposals.filter(pk=key).first()
    if proposal is None:
        raise NotFound(f"There is no proposal {key}.")
    return proposal


def may_propose(caller: Caller, lei: str) -> bool:
    """Tell whether a caller may propose changes of the institution's record."""
    return _find_needed_right(lei) in access.find_rights(caller, lei)


def require_proposer(caller: Caller, lei: str) -> None:
    """Return if a caller may propose changes of the institution's record.

    Raises: AccessDenied; RightMissing.
    """
    access.require_right(caller, _find_needed_right(lei), lei)


def propose_change(
    lei: str,
    year: int,
    values: Mapping[str, Any],
    *,
    reason: str,
    by: Caller,
    user: User | None = None,
) -> RecordProposal:
    """Propose other values for the record of a year, and email the number of the case.

    values: by field, as texts of a panel file or as values. user: the account of the caller, if it
    is known; else it is looked up.

    Raises: NotFound for a year without a record; BadInput, also if nothing would change;
    AlreadyExists for the same proposal; NotReady if too many wait.
    """
    reason = _check_reason(reason)
    if unknown := sorted(values.keys() - set(PROPOSABLE)):
        raise BadInput(
            f"{', '.join(unknown)} cannot be proposed; the fields are {', '.join(PROPOSABLE)}."
        )
    with transaction.atomic():
        _lock_records(lei)
        institution = find_institution(lei, year)
        changes = {
            name: pair
            for name, pair in check_values(lei, year, values).items()
            if not is_same_value(*pair)
        }
        if not changes:
            raise BadInput("Change at least one value: the record has these values.")
        waiting = list_proposals(lei).filter(state=State.OPEN)
        if len(waiting) >= MOST_OPEN:
            raise NotReady(
                f"{len(waiting)} proposals of this institution wait for staff. Wait for an answer, "
                "or withdraw one."
            )
        after = {name: value for name, (_, value) in changes.items()}
        for other in waiting:
            if (other.activity_year, other.proposed) == (year, after):
                raise AlreadyExists(f"{other.number} proposes the same, and waits for staff.")
        return _store(
            RecordProposal(lei=lei, activity_year=year, reason=reason, **by.actor_columns),
            changes,
            name=institution.name,
            by=by,
            user=user,
        )


def propose_institution(
    lei: str, year: int, values: Mapping[str, Any], *, reason: str, by: Caller, user: User
) -> RecordProposal:
    """Ask staff to register an institution that files from a year on, and email the case number.

    Raises: Forbidden without a verified email address; BadInput; AlreadyExists if the LEI is in the
    panel of the year or waits already; NotReady if too many of the person wait.
    """
    if not access.has_verified_email(user):
        raise Forbidden("Confirm your email address first: we answer to it.")
    reason = _check_reason(reason)
    try:
        lei = check_lei(lei)
    except ValueError as error:
        raise BadInput(f"{error}.") from error
    if year not in list_open_years():
        raise BadInput(f"An institution cannot begin to file for {year}: {describe_open_years()}")
    for name, words in _REQUIRED.items():
        if not str(values.get(name, "")).strip():
            raise BadInput(f"Enter {words} of the institution.")
    with transaction.atomic():
        User.objects.select_for_update().get(pk=user.pk)
        require_unregistered(lei, year)
        waiting = RecordProposal.objects.filter(kind=Kind.NEW, state=State.OPEN)
        if other := waiting.filter(lei=lei).first():
            raise (
                AlreadyExists(f"{other.number} asks for {lei} already, and waits for staff.")
                if other.user_id == user.pk
                else _refuse_second(lei)
            )
        if waiting.filter(user=user).count() >= MOST_OPEN:
            raise NotReady(f"{MOST_OPEN} institutions of yours wait for staff. Wait for an answer.")
        changes = check_values(lei, year, {name: values.get(name, "") for name in OF_NEW})
        new = RecordProposal(
            kind=Kind.NEW, lei=lei, activity_year=year, reason=reason, **by.actor_columns
        )
        values = {name: (None, value) for name, (_, value) in changes.items() if name in OF_NEW}
        try:
            with transaction.atomic():
                return _store(new, values, name=str(changes["name"][1]), by=by, user=user)
        except IntegrityError as error:  # someone else was first
            raise _refuse_second(lei) from error


@transaction.atomic
def withdraw_proposal(proposal: RecordProposal, *, by: Caller) -> None:
    """Take a proposal back, and close its case.

    Raises: NotReady if it is answered.
    """
    proposal = lock_open(proposal)
    proposal.state, proposal.answered_at = State.WITHDRAWN, timezone.now()
    proposal.answered_by = by.username[:255]
    proposal.save(update_fields=["state", "answered_at", "answered_by"])
    cases.end_case(proposal.case, by=by, answer="Withdrawn.")
    audit.record_event(
        AuditEvent.PROPOSAL_WITHDRAWN, by=by, lei=proposal.lei, about=proposal.number
    )


def lock_open(proposal: RecordProposal) -> RecordProposal:
    """Return a proposal that waits, locked until the end of the transaction.

    Raises: NotReady if it is answered.
    """
    locked = RecordProposal.objects.select_for_update(of=("self",)).select_related("case")
    current = locked.get(pk=proposal.pk)
    require_open(current)
    return current


def require_open(proposal: RecordProposal) -> None:
    """Return if a proposal waits for staff. Raises: NotReady, with the answer."""
    if not proposal.is_open:
        raise NotReady(f"{proposal.number} is {proposal.get_state_display()} already.")


def require_unregistered(lei: str, year: int) -> None:
    """Refuse an LEI that is in the panel from a year on, or has ended before.

    Raises: AlreadyExists; NotReady. Both say what to do.
    """
    duties.require_owing(lei, Period(year))
    records = Institution.objects.filter(lei=lei, activity_year__gte=year)
    known = list(records.order_by("activity_year").values_list("activity_year", flat=True))
    if known:
        in_years = ", ".join(map(str, known[:_NAMED]))
        raise AlreadyExists(
            f"{lei} is in the panel of {in_years} already. If your email address has its domain, "
            "choose it under Your institutions. Otherwise ask one of its people to invite you, or "
            "ask the help desk."
        )


def check_values(lei: str, year: int, values: Mapping[str, Any]) -> Differences:
    """Return what values would change in the record of a year, or all values of a new one.

    Raises: BadInput with all that is wrong, as the import of a panel says it.
    """
    cells = {name: cell_text(value).strip() for name, value in values.items()}
    if not is_storable(cells):
        raise BadInput("Remove the characters that cannot be stored, such as NUL.")
    cells |= {"lei": normalize_lei(lei), "activity_year": str(year)}
    sheet = PanelSheet("", "", list(cells), rows=[tuple(cells.values())], numbers=[1])
    report = panel_imports.check_import(sheet)
    if report.skipped:
        raise BadInput("; ".join(map(_with_label, report.skipped[0].reasons)) + ".")
    return report.changes[0].differences if report.changes else {}


def list_open_years() -> list[int]:
    """Return the years for which a new institution can file, the newest first.

    Those are prepared and not closed, from the first year with filing periods to the present one,
    or to a later one that has periods already.
    """
    closed = FilingPeriod.objects.filter(quarter="", closes__lt=day_hours.today())
    closed_years = set(closed.values_list("year", flat=True))
    existing = set(FilingPeriod.objects.values_list("year", flat=True))
    if not existing:
        return []
    first, last = min(existing), max(*existing, day_hours.today().year)
    return [
        year
        for year in sorted(supported_years(YearStage.DRAFT), reverse=True)
        if first <= year <= last and year not in closed_years
    ]


def describe_open_years() -> str:
    """Return, as a sentence, for which years a new institution can file."""
    years = ", ".join(map(str, sorted(list_open_years())))
    return f"enter one of {years}." if years else "no filing period is open or to come."


def is_same_value(one: Any, other: Any) -> bool:
    """Tell whether two values of a field are the same; the order of domains does not count."""
    if isinstance(one, list) and isinstance(other, list):
        return sorted(one) == sorted(other)
    return bool(one == other)


def describe_changes(changes: Mapping[str, Any]) -> list[str]:
    """Return changes of fields, one line each, as people read them."""
    fields = {field.name: field for field in Institution._meta.concrete_fields}
    return [
        f"{history.label_field(name)}: {describe_value(after, field=fields[name])}"
        if before is None
        else describe_change(history.label_field(name), before, after, field=fields[name])
        for name, (before, after) in changes.items()
    ]


def digest_record(institution: Institution) -> str:
    """Return a digest of what can be proposed of a record, which differs once it has changed."""
    values = [getattr(institution, name) for name in PROPOSABLE]
    return hashlib.sha256(json.dumps(values).encode()).hexdigest()[:32]


def draft_proposal_email(kind: str, proposal: RecordProposal, *, name: str) -> list[EmailDraft]:
    """Return the email about a proposal to the person who made it. name: of the institution."""
    facts = {
        "number": proposal.number,
        "name": name,
        "lei": proposal.lei,
        "year": proposal.activity_year,
        "is_new": proposal.is_new,
        "state": proposal.state,
        "lines": describe_changes(proposal.accepted or proposal.changes),
        "answer": [outbox.remove_line_breaks(line) for line in proposal.answer.splitlines()],
    }
    subject, text = outbox.render_email(kind, facts)
    key = outbox.make_email_key("case", kind, proposal.number)
    return [EmailDraft("case", key, proposal.actor_email, subject, text)]


def _store(
    proposal: RecordProposal,
    changes: Differences,
    *,
    name: str,
    by: Caller,
    user: User | None,
) -> RecordProposal:
    """Store a proposal with its case, and queue the email with its number."""
    proposal.changes = {field: list(pair) for field, pair in changes.items()}
    proposal.user = user or _find_user(by)
    what = "Register the institution" if proposal.is_new else "Change the record"
    lines = [f"{what}, {proposal.activity_year}:", *describe_changes(proposal.changes)]
    proposal.case = cases.add_case(
        Case(
            email=by.email.strip().lower(),
            name=by.name[:300],
            lei=proposal.lei,
            institution=name[:255],
            text="\n".join([*lines, f"Reason: {proposal.reason}"]),
            user=proposal.user,
        ),
        by=by,
    )
    proposal.save(force_insert=True)
    audit.record_event(
        AuditEvent.RECORD_PROPOSED,
        by=by,
        lei=proposal.lei,
        about=proposal.number,
        reason="\n".join([proposal.reason, *lines[1:]]),
    )
    outbox.queue_emails(draft_proposal_email("proposal_received", proposal, name=name))
    return proposal


def _refuse_second(lei: str) -> AlreadyExists:
    return AlreadyExists(f"Someone else has asked to register {lei}. Ask the help desk about it.")


def _find_needed_right(lei: str) -> Right:
    """Return the right that a proposal needs: without an administrator, preparers propose."""
    return Right.MANAGE if access.has_administrator(lei) else Right.PREPARE


def _find_user(by: Caller) -> User | None:
    identity = users.find_identity(by)
    return identity.user if identity else None


def _lock_records(lei: str) -> None:
    """Let one request at a time count the proposals of an institution."""
    list(Institution.objects.select_for_update().filter(lei=lei).order_by("pk").values_list("pk"))


def _check_reason(reason: str) -> str:
    reason = reason.strip()
    if not reason:
        raise BadInput("Enter the reason for the change. Staff decide with it.")
    if len(reason) > LONGEST_REASON or not is_storable(reason):
        raise BadInput(f"Enter a reason of at most {LONGEST_REASON:,} characters, without NUL.")
    return reason


def _with_label(fault: str) -> str:
    """Return a fault of the import with the label of its field instead of the column."""
    name, colon, text = fault.partition(": ")
    return f"{history.label_field(name)}: {text}" if colon else fault
