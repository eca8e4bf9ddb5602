"""A new receipt key by two administrators: one requests it, another one approves.

The private key is a file of this machine, or a setting. The process that takes the approval can
make a file; it cannot change a setting, nor a folder of another machine. Then the request stays
approved until a new key signs: the command `rotate_receipt_key` makes one, or operators set one.
"""

from __future__ import annotations

from datetime import timedelta

from django.db import IntegrityError, transaction
from django.utils import timezone

from filing import audit
from filing.access import Caller
from filing.audit import keys
from filing.audit.keys import NoUsableKey
from filing.errors import BadInput, Conflict, Forbidden, NotReady
from filing.models import AuditEvent, KeyRotation, ReceiptKey

VALID_FOR = timedelta(days=3)
_WAITING = KeyRotation.Decision.NONE


def request_rotation(*, by: Caller, reason: str) -> KeyRotation:
    """Request a new receipt key, and return the request.

    Raises: BadInput without a reason; Conflict while another request waits.
    """
    if not reason.strip():
        raise BadInput("Enter a reason. It is recorded in the audit log.")
    _end_expired()
    try:
        with transaction.atomic():
            rotation = KeyRotation.objects.create(reason=reason, **by.actor_columns)
            audit.record_event(
                AuditEvent.KEY_ROTATION_REQUESTED, by=by, about=str(rotation), reason=reason
            )
    except IntegrityError as error:
        raise Conflict("Another request waits for a decision. Decide it first.") from error
    return rotation


def plan_approval(rotation: KeyRotation) -> str:
    """Return what approving a request would do. Raises: NotReady unless it waits."""
    _require_waiting(rotation)
    return (
        f"{rotation.actor_username} requested it: {rotation.reason} A new key signs from now on. "
        "Older receipts stay genuine."
    )


def approve_rotation(rotation: KeyRotation, *, by: Caller, reason: str) -> str:
    """Approve the request of another administrator, make the key, and return what was done.

    Raises: NotReady unless it waits; Forbidden for the person who requested it; Conflict if someone
    else has just decided it.
    """
    _require_waiting(rotation)
    if _is_same_person(rotation, by):
        raise Forbidden("You requested it. Another administrator must approve it.")
    _decide(rotation, KeyRotation.Decision.APPROVED, by=by, reason=reason)
    try:
        key = keys.rotate_key(by=by)
    except NoUsableKey as problem:
        KeyRotation.objects.filter(pk=rotation.pk).update(problem=str(problem))
        return f"It is approved. The service cannot make the key itself: {problem}"
    KeyRotation.objects.filter(pk=rotation.pk).update(kid=key.kid)
    return f"The new key {key.kid} signs from now on."


def plan_rejection(rotation: KeyRotation) -> str:
    """Return what rejecting a request would do. Raises: NotReady unless it waits."""
    _require_waiting(rotation)
    return "The request ends, and the present key goes on signing."


def reject_rotation(rotation: KeyRotation, *, by: Caller, reason: str) -> str:
    """Reject a request, also one's own, and return what was done.

    Raises: NotReady unless it waits; Conflict if someone else has just decided it.
    """
    _require_waiting(rotation)
    _decide(rotation, KeyRotation.Decision.REJECTED, by=by, reason=reason)
    return "The request was rejected."


def find_new_key(rotation: KeyRotation) -> str:
    """Return the ID of the key that an approved request brought; blank until one signs."""
    if rotation.decision != KeyRotation.Decision.APPROVED:
        return ""
    later = ReceiptKey.objects.filter(created_at__gte=rotation.decided_at).order_by("pk").first()
    return rotation.kid or (later.kid if later else "")


def is_expired(rotation: KeyRotation) -> bool:
    """Return whether a request was not decided in time."""
    waits = rotation.decision == _WAITING
    is_late = rotation.at < timezone.now() - VALID_FOR
    return rotation.decision == KeyRotation.Decision.EXPIRED or (waits and is_late)


def _is_same_person(rotation: KeyRotation, by: Caller) -> bool:
    """Compare people by their identity and their email address, as for signatures."""
    email = rotation.actor_email.lower()
    return rotation.actor_id == by.id or (bool(email) and email == by.email.lower())


def _require_waiting(rotation: KeyRotation) -> None:
    if is_expired(rotation):
        raise NotReady(f"It has expired: requests are valid for {VALID_FOR.days} days.")
    if rotation.decision != _WAITING:
        raise NotReady(f"It was {rotation.get_decision_display()} by {rotation.decided_by}.")


def _decide(
    rotation: KeyRotation, decision: KeyRotation.Decision, *, by: Caller, reason: str
) -> None:
    if not reason.strip():
        raise BadInput("Enter a reason. It is recorded in the audit log.")
    event = {
        KeyRotation.Decision.APPROVED: AuditEvent.KEY_ROTATION_APPROVED,
        KeyRotation.Decision.REJECTED: AuditEvent.KEY_ROTATION_REJECTED,
    }[decision]
    with transaction.atomic():
        is_first = KeyRotation.objects.filter(pk=rotation.pk, decision=_WAITING).update(
            decision=decision,
            decided_at=timezone.now(),
            decided_by=str(by),
            decided_reason=reason,
        )
        if not is_first:
            raise Conflict("Another user has just decided it.")
        audit.record_event(event, by=by, about=str(rotation), reason=reason)


def _end_expired() -> None:
    late = KeyRotation.objects.filter(decision=_WAITING, at__lt=timezone.now() - VALID_FOR)
    late.update(decision=KeyRotation.Decision.EXPIRED, decided_at=timezone.now())
