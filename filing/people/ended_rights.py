"""Rights to file that staff end, and give again. What `access.rights` decides follows from them."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from filing import audit
from filing.access import Caller, rights
from filing.emails import outbox
from filing.emails.outbox import Draft
from filing.errors import BadInput, NotReady
from filing.models import AuditEvent, EndedRight, Institution, Membership
from filing.people import personal_tokens, sign_ins


def plan_end(membership: Membership) -> str:
    """Return what ending a right would do."""
    return (
        f"{membership.user} can no longer file for {membership.lei}, is signed out everywhere, and "
        "gets an email."
    )


@transaction.atomic
def end_right(membership: Membership, *, by: Caller, reason: str) -> str:
    """End a right until staff give it again, with the user's sign-ins; return what was done.

    Personal tokens lose the institution, or end with it. The user gets an email.
    Raises: BadInput without a reason, NotReady if the right has just ended.
    """
    reason = required_reason(reason)
    locked = Membership.objects.select_for_update(of=("self",)).filter(pk=membership.pk)
    if (ending := locked.select_related("user").first()) is None:
        raise NotReady("It has just ended.")
    user, lei = ending.user, ending.lei
    right, _ = EndedRight.objects.get_or_create(
        user=user,
        lei=lei,
        given_again_at=None,
        defaults={"ended_by": by.username[:150], "reason": reason},
    )
    about = f"{user} ({ending.get_source_display()})"
    ending.delete()
    sign_ins.end(user)
    personal_tokens.take_away(user, [lei], by=by)
    audit.record(AuditEvent.MEMBERSHIP_REMOVED, by=by, lei=lei, about=about, reason=reason)
    outbox.queue([_draft(right, "right_ended")])
    return f"{user} can no longer file for {lei}."


@transaction.atomic
def give_right(user: User, lei: str, *, by: Caller, reason: str) -> None:
    """Record that staff give a right, also one that they had ended; the user gets an email then.

    Raises: BadInput without a reason.
    """
    reason = required_reason(reason)
    again = list(rights.ended().select_for_update().filter(user=user, lei=lei))
    now = timezone.now()
    rights.ended().filter(pk__in=[right.pk for right in again]).update(given_again_at=now)
    before = "".join(f" (ended on {right.ended_at:%Y-%m-%d}: {right.reason})" for right in again)
    audit.record(
        AuditEvent.MEMBERSHIP_ADDED,
        by=by,
        lei=lei,
        about=f"{user} ({dict(Membership.SOURCES)['hand']})",
        reason=f"{reason}{before}",
    )
    outbox.queue([_draft(right, "right_given") for right in again])


def required_reason(reason: str) -> str:
    """Return a reason without spaces around it.

    Raises: BadInput for a blank one.
    """
    if not (reason := reason.strip()):
        raise BadInput("Enter a reason. It is recorded with the change.")
    return reason


def _draft(right: EndedRight, kind: str) -> Draft:
    rows = Institution.objects.filter(lei=right.lei)
    institution = rows.order_by("-activity_year").first()
    facts = {"name": institution.name if institution else "", "lei": right.lei}
    subject, text = outbox.render(kind, facts)
    to = right.user.email
    key = outbox.key("rights", kind, str(right.pk), to)
    return Draft("rights", key, to, subject, text, institution=institution)
