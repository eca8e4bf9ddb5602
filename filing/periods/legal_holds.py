"""Legal holds: while one is in force, nothing of the institution or the filing is removed."""

from __future__ import annotations

from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from filing import audit
from filing.access import Caller
from filing.errors import BadInput, NotReady
from filing.models import AuditEvent, Filing, Institution, LegalHold


def in_force() -> QuerySet[LegalHold]:
    """Return the holds that were not lifted."""
    return LegalHold.objects.filter(lifted_at=None)


def stops_removal() -> Exists:
    """Return the condition for submissions that a hold covers."""
    institution = Q(filing=None, lei=OuterRef("filing__institution__lei"))
    return Exists(in_force().filter(institution | Q(filing=OuterRef("filing"))))


def held_leis() -> set[str]:
    """Return the LEIs of institutions with a hold, also on one of their filings."""
    return set(in_force().values_list("lei", flat=True))


def plan_hold(filing: Filing) -> str:
    """Return what a hold on a filing would do. Raises: NotReady if there is one."""
    if in_force().filter(filing=filing).exists():
        raise NotReady(f"Filing {filing} is under a legal hold already.")
    return "Nothing of this filing is removed until the hold is lifted."


def hold(filing: Filing, *, by: Caller, reason: str) -> str:
    """Place a hold on a filing; return what was done. Raises: NotReady; BadInput."""
    plan_hold(filing)
    return _place(LegalHold(lei=filing.institution.lei, filing=filing), by=by, reason=reason)


def plan_hold_institution(institution: Institution) -> str:
    """Return what a hold on an institution would do. Raises: NotReady if there is one."""
    if in_force().filter(lei=institution.lei, filing=None).exists():
        raise NotReady(f"{institution.lei} is under a legal hold already.")
    return (
        f"Nothing of {institution.lei} is removed until the hold is lifted: no filing of any year, "
        "and no entry of the audit log."
    )


def hold_institution(institution: Institution, *, by: Caller, reason: str) -> str:
    """Place a hold on an institution, for all years; return what was done.

    Raises: NotReady; BadInput without a reason.
    """
    plan_hold_institution(institution)
    return _place(LegalHold(lei=institution.lei), by=by, reason=reason)


def plan_lift(placed: LegalHold) -> str:
    """Return what lifting a hold would do. Raises: NotReady if it was lifted."""
    if placed.lifted_at:
        raise NotReady("This hold was lifted already.")
    return f"The retention rules apply again to {placed.filing or placed.lei}."


def lift(placed: LegalHold, *, by: Caller, reason: str) -> str:
    """Lift a hold, which stays on record; return what was done. Raises: NotReady; BadInput."""
    _require(reason)
    plan_lift(placed)
    with transaction.atomic():
        lifted = in_force().filter(pk=placed.pk)
        if not lifted.update(
            lifted_at=timezone.now(), lifted_by=by.username or by.id, lifted_reason=reason.strip()
        ):
            raise NotReady("Another user has just lifted this hold.")
        _record(AuditEvent.LEGAL_HOLD_LIFTED, placed, by=by, reason=reason)
    return "Lifted."


def _place(placed: LegalHold, *, by: Caller, reason: str) -> str:
    _require(reason)
    placed.actor_id, placed.actor_username, placed.actor_email = by.id, by.username, by.email
    placed.reason = reason.strip()
    try:
        with transaction.atomic():
            placed.save(force_insert=True)
            _record(AuditEvent.LEGAL_HOLD_PLACED, placed, by=by, reason=reason)
    except IntegrityError as error:
        raise NotReady("Another user has just placed this hold.") from error
    return "Placed."


def _record(event: AuditEvent, placed: LegalHold, *, by: Caller, reason: str) -> None:
    about = str(placed.filing or placed.lei)
    audit.record(event, by=by, lei=placed.lei, about=about, reason=reason.strip())


def _require(reason: str) -> None:
    if not reason.strip():
        raise BadInput("Enter the reason for the legal hold, such as the matter and its number.")
