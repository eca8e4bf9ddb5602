"""Legal holds: while one is in force, nothing of the institution or the filing is removed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from django.db import IntegrityError, transaction
from django.db.models import Exists, Model, OuterRef, Q, QuerySet
from django.utils import timezone

from filing import audit
from filing.access import Caller
from filing.errors import BadInput, NotReady
from filing.models import (
    AuditEvent,
    Filing,
    Institution,
    LegalHold,
    Submission,
    TrailEntry,
    Webhook,
    WebhookDelivery,
)

NAMED = 5  # rows that a refusal names
Row = TypeVar("Row", bound=Model)


def find_holds() -> QuerySet[LegalHold]:
    """Return the holds that were not lifted."""
    return LegalHold.objects.filter(lifted_at=None)


def _of_filing(lei: str, filing: str) -> Q:
    """Return the condition of rows of a filing: a hold on it, or on all of its institution."""
    institution = Q(filing=None, lei=OuterRef(lei))
    return Q(Exists(find_holds().filter(institution | Q(filing=OuterRef(filing)))))


def _of_institution(lei: str) -> Q:
    """Return the condition of rows of an institution: any hold, also on one of its filings."""
    return Q(Exists(find_holds().filter(lei=OuterRef(lei))))


# Which rows a hold covers. Ending a membership ends a right and leaves its entry: no hold stops it.
_HELD: dict[type[Model], Q] = {
    Institution: _of_institution("lei"),
    Filing: _of_filing("institution__lei", "pk"),
    Submission: _of_filing("filing__institution__lei", "filing"),
    # Entries that name no institution may belong to users of one that is held.
    TrailEntry: _of_institution("lei") | Q(Q(lei="") & Q(Exists(find_holds()))),
    Webhook: _of_institution("lei"),
    WebhookDelivery: _of_institution("webhook__lei"),
}


def find_held(rows: QuerySet[Row]) -> QuerySet[Row]:
    """Return those of the rows of a table that a hold in force covers: they may not be removed."""
    return rows.filter(_HELD[rows.model])


def find_removable(rows: QuerySet[Row]) -> QuerySet[Row]:
    """Return those of the rows of a table that no hold in force covers."""
    return rows.exclude(_HELD[rows.model])


def require_removable(rows: QuerySet[Any]) -> None:
    """Refuse to remove rows of which a hold covers any. Tables without a rule have no hold.

    Raises: NotReady, which names the first ones.
    """
    if rows.model not in _HELD:
        return
    if names := [str(row) for row in find_held(rows)[: NAMED + 1]]:
        raise NotReady(
            f"Under a legal hold, so nothing of it is removed: {name_few(names)}. "
            "Lift the hold first."
        )


def name_few(names: Sequence[str]) -> str:
    """Return a few names for a sentence; of more than `NAMED`, only the first ones."""
    return ", ".join(names[:NAMED]) + (" and others" if len(names) > NAMED else "")


def plan_hold_filing(filing: Filing) -> str:
    """Return what a hold on a filing would do. Raises: NotReady if there is one."""
    if find_holds().filter(filing=filing).exists():
        raise NotReady(f"Filing {filing} is under a legal hold already.")
    return "Nothing of this filing is removed until the hold is lifted."


def hold_filing(filing: Filing, *, by: Caller, reason: str) -> str:
    """Place a hold on a filing; return what was done. Raises: NotReady; BadInput."""
    plan_hold_filing(filing)
    return _place(LegalHold(lei=filing.institution.lei, filing=filing), by=by, reason=reason)


def plan_hold_institution(institution: Institution) -> str:
    """Return what a hold on an institution would do. Raises: NotReady if there is one."""
    if find_holds().filter(lei=institution.lei, filing=None).exists():
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


def plan_lift_hold(hold: LegalHold) -> str:
    """Return what lifting a hold would do. Raises: NotReady if it was lifted."""
    if hold.lifted_at:
        raise NotReady("This hold was lifted already.")
    return f"The retention rules apply again to {hold.filing or hold.lei}."


def lift_hold(hold: LegalHold, *, by: Caller, reason: str) -> str:
    """Lift a hold, which stays on record; return what was done. Raises: NotReady; BadInput."""
    _require(reason)
    plan_lift_hold(hold)
    with transaction.atomic():
        lifted = find_holds().filter(pk=hold.pk)
        if not lifted.update(
            lifted_at=timezone.now(), lifted_by=by.username or by.id, lifted_reason=reason.strip()
        ):
            raise NotReady("Another user has just lifted this hold.")
        _record(AuditEvent.LEGAL_HOLD_LIFTED, hold, by=by, reason=reason)
    return "Lifted."


def _place(hold: LegalHold, *, by: Caller, reason: str) -> str:
    _require(reason)
    hold.actor_id, hold.actor_username, hold.actor_email = by.id, by.username, by.email
    hold.reason = reason.strip()
    try:
        with transaction.atomic():
            hold.save(force_insert=True)
            _record(AuditEvent.LEGAL_HOLD_PLACED, hold, by=by, reason=reason)
    except IntegrityError as error:
        raise NotReady("Another user has just placed this hold.") from error
    return "Placed."


def _record(event: AuditEvent, hold: LegalHold, *, by: Caller, reason: str) -> None:
    about = str(hold.filing or hold.lei)
    audit.record_event(event, by=by, lei=hold.lei, about=about, reason=reason.strip())


def _require(reason: str) -> None:
    if not reason.strip():
        raise BadInput("Enter the reason for the legal hold, such as the matter and its number.")
