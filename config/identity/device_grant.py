"""Sign-in of programs without a browser: a user confirms the code that the program shows.

Source: RFC 8628, OAuth 2.0 Device Authorization Grant.
"""

from __future__ import annotations

from datetime import timedelta
from enum import StrEnum
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from oauth2_provider.models import get_device_grant_model
from oauthlib.common import Request

from config.identity import guesses
from config.limits.policies import LimitPolicy
from filing import access, audit
from filing.models import AuditEvent
from filing.storable_text import is_storable
from filing.stored_secrets import hash_secret

GRANT = "urn:ietf:params:oauth:grant-type:device_code"
CLIENT_ID = "hmda-cli"
# What a question of the program is answered with (RFC 8628, section 3.5).
AUTHORIZED, PENDING, SLOW_DOWN = "authorized", "authorization_pending", "slow_down"
DENIED, EXPIRED = "access_denied", "expired_token"
# Wrong codes of one user: five at once, then one in ten seconds (RFC 8628, section 5.1).
WRONG_CODES = LimitPolicy("device-codes", 1, 10, 5)
_KEPT = timedelta(days=1)  # after a code has expired
_CODE_LENGTH = 100


class DeviceEvent(StrEnum):
    """Events of the audit log."""

    ALLOWED = "device sign-in allowed"
    DENIED = "device sign-in denied"


class WrongCode(Exception):
    """No program waits for the code; the message is for the user."""


def begin_device_grant(client_id: str, answer: dict[str, Any]) -> None:
    """Store the codes that a program was given: of the one that gives tokens, the hash."""
    model, now = get_device_grant_model(), timezone.now()
    model.objects.filter(expires__lt=now - _KEPT).delete()
    model.objects.create(
        client_id=client_id,
        device_code=hash_secret(answer["device_code"]),
        user_code=answer["user_code"],
        scope=answer.get("scope", ""),
        interval=answer["interval"],
        expires=now + timedelta(seconds=answer["expires_in"]),
    )


def find_waiting_grant(typed: str, *, user: User) -> Any:
    """Return the grant of a program that waits for a code. typed: the code, in any writing.

    Raises: WrongCode.
    """
    key = f"user {user.pk}"
    verdict = guesses.take_token(WRONG_CODES, key)
    if not verdict.allowed:
        _refuse(user, guesses.WAITING.replace("passwords", "device codes"))
        raise WrongCode(f"Too many wrong codes. Try again in {verdict.retry_after} seconds.")
    code = "".join(character for character in typed.upper() if character.isalnum())
    grant = None
    if is_storable(code) and len(code) <= _CODE_LENGTH:
        model = get_device_grant_model()
        pending = model.objects.filter(user_code=code, status=model.AUTHORIZATION_PENDING)
        grant = pending.filter(expires__gt=timezone.now()).first()
    if grant is None:
        _refuse(user, "wrong device code")
        raise WrongCode("No program waits for this code. It may have expired: start again there.")
    guesses.refill_bucket(WRONG_CODES, key)
    return grant


@transaction.atomic
def decide_device_grant(grant: Any, *, allowed: bool, user: User) -> bool:
    """Store the decision of a user; return whether the code still waited for one."""
    model = get_device_grant_model()
    pending = model.objects.filter(
        pk=grant.pk, status=model.AUTHORIZATION_PENDING, expires__gt=timezone.now()
    )
    status = model.AUTHORIZED if allowed else model.DENIED
    if not pending.update(status=status, user=user):
        return False
    event = DeviceEvent.ALLOWED if allowed else DeviceEvent.DENIED
    audit.record_event(event, by=access.caller_of(user), about=f"{grant.client_id} by device code")
    return True


def answer_device_grant(client_id: str, device_code: str, request: Request) -> str | None:
    """Return how far a program's sign-in is; None for an unknown code. A code gives tokens once.

    Sets user and scopes of the request if a user has allowed it.
    """
    model, now = get_device_grant_model(), timezone.now()
    grants = model.objects.filter(device_code=hash_secret(device_code), client_id=client_id)
    grant = grants.select_related("user").first()
    if grant is None:
        return None
    if grant.expires <= now:
        return EXPIRED
    if grant.status == model.AUTHORIZATION_PENDING:
        soon = now - grant.last_checked < timedelta(seconds=grant.interval / 2)
        grants.update(last_checked=now)
        return SLOW_DOWN if soon else PENDING
    if grant.status != model.AUTHORIZED or not grant.user.is_active:
        return DENIED
    deleted, _ = grants.filter(status=model.AUTHORIZED).delete()
    if not deleted:  # another request with the code was first
        return None
    request.user, request.scopes = grant.user, grant.scope.split()
    return AUTHORIZED


def _refuse(user: User, reason: str) -> None:
    audit.count_refusal(AuditEvent.SIGN_IN_REFUSED, about=f"user {user}", reason=reason)
