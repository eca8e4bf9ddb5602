"""Second factors of accounts of the embedded provider: which a user has, and how they change.

Each change is in the audit log and ends the sign-ins of the user. How a factor is proved is decided
above, by the provider.
"""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.sessions.backends.base import SessionBase
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.crypto import get_random_string

from filing import access, audit
from filing.access import Caller
from filing.errors import Conflict, Forbidden, NotFound
from filing.models import AuditEvent, SecondFactor
from filing.people import accounts, sign_ins
from filing.stored_secrets import hash_secret

PROVED_KEY = "proved_second_factor"  # in the session
CODES = 10
# 25 of 32 characters, without those that look alike: 125 bits, so a fast hash protects them.
# Source: NIST SP 800-63B (2017), section 5.1.2.2: a salt and a slow hash below 112 bits.
_LENGTH, _GROUP = 25, 5
_ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"


def is_factor_required(user: User) -> bool:
    """Tell whether a user may not sign in without a second factor."""
    return settings.EMBEDDED_PROVIDER and settings.STAFF_SECOND_FACTOR_REQUIRED and user.is_staff


def has_proved_factor(session: SessionBase, user: User) -> bool:
    """Tell whether the session of a user began with a second factor, or needs none."""
    return bool(session.get(PROVED_KEY)) or not is_factor_required(user)


def lacks_factor(user: User) -> bool:
    """Tell whether a user has no second factor and must have one."""
    return is_factor_required(user) and not find_factors(user).exists()


def find_factors(user: User) -> QuerySet[SecondFactor]:
    """Return the app and the passkeys of a user; recovery codes alone are no second factor."""
    return user.second_factors.exclude(kind="recovery")


def count_recovery_codes(user: User) -> int:
    """Return how many recovery codes a user has left."""
    return user.second_factors.filter(kind="recovery").count()


@transaction.atomic
def add_factor(user: User, kind: str, **values: Any) -> list[str]:
    """Add a second factor; return the recovery codes that come with the first one.

    Raises: Conflict for a second app.
    """
    User.objects.select_for_update().get(pk=user.pk)
    if kind == "app" and find_factors(user).filter(kind=kind).exists():
        raise Conflict("You have an authenticator app. Remove it first.")
    is_first = not find_factors(user).exists()
    factor = SecondFactor.objects.create(user=user, kind=kind, **values)
    _record(AuditEvent.SECOND_FACTOR_ADDED, user, factor)
    _end_sign_ins(user, f"a second factor was added: {_describe(factor)}")
    return make_recovery_codes(user) if is_first else []


@transaction.atomic
def remove_factor(user: User, factor_id: int) -> SecondFactor:
    """Remove the app or a passkey of a user; with the last one, the recovery codes.

    Raises: NotFound; Conflict for the last one of a user who must have one.
    """
    User.objects.select_for_update().get(pk=user.pk)
    factor = find_factors(user).filter(pk=factor_id).first()
    if factor is None:
        raise NotFound("You have no such second factor.")
    is_last = not find_factors(user).exclude(pk=factor_id).exists()
    if is_last and is_factor_required(user):
        raise Conflict("You must have a second factor. Add another one before you remove this one.")
    (user.second_factors.all() if is_last else find_factors(user).filter(pk=factor_id)).delete()
    _record(AuditEvent.SECOND_FACTOR_REMOVED, user, factor)
    _end_sign_ins(user, f"a second factor was removed: {_describe(factor)}")
    return factor


@transaction.atomic
def make_recovery_codes(user: User) -> list[str]:
    """Return new recovery codes, which replace those of before. Only hashes are stored."""
    codes = [get_random_string(_LENGTH, _ALPHABET) for _ in range(CODES)]
    user.second_factors.filter(kind="recovery").delete()
    SecondFactor.objects.bulk_create(
        SecondFactor(user=user, kind="recovery", secret=hash_secret(code)) for code in codes
    )
    audit.record_event(
        AuditEvent.RECOVERY_CODES_MADE, by=access.caller_of(user), about=f"user {user}"
    )
    groups = range(0, _LENGTH, _GROUP)
    return ["-".join(code[start : start + _GROUP] for start in groups) for code in codes]


@transaction.atomic
def use_recovery_code(user: User, typed: str) -> bool:
    """Use up a recovery code, in any writing; tell whether the user had it."""
    code = "".join(character for character in typed.upper() if character.isalnum())
    deleted, _ = user.second_factors.filter(kind="recovery", secret=hash_secret(code)).delete()
    if not deleted:
        return False
    left = count_recovery_codes(user)
    audit.record_event(
        AuditEvent.RECOVERY_CODE_USED,
        by=access.caller_of(user),
        about=f"user {user}",
        reason=f"{left} left",
    )
    change = f"a recovery code was used, and {left} are left"
    accounts.queue_account_email("second_factor", user, change=change, key=hash_secret(code)[:16])
    return True


def record_use(factor: SecondFactor, counter: int) -> bool:
    """Store that a factor was used; tell whether its counter had not reached this value before.

    Passkeys that are kept on several devices count nothing and always say 0.
    """
    unused = SecondFactor.objects.filter(pk=factor.pk, counter__lt=max(counter, 1))
    return bool(unused.update(counter=counter, last_used_at=timezone.now()))


def plan_reset(user: User) -> str:
    """Return what a reset would do. Raises: NotFound without a second factor."""
    factors = list(find_factors(user))
    if not factors:
        raise NotFound("The user has no second factor.")
    return f"Removes: {', '.join(map(_describe, factors))}, and the recovery codes."


@transaction.atomic
def reset_factors(user: User, *, by: Caller, reason: str) -> str:
    """Remove all second factors of a user, end their sign-ins, and return what was done.

    Raises: NotFound without a second factor; Forbidden for one's own.
    """
    if by.username == user.username:
        raise Forbidden("Another administrator must reset your own second factor.")
    plan_reset(user)
    user.second_factors.all().delete()
    audit.record_event(AuditEvent.SECOND_FACTOR_RESET, by=by, about=f"user {user}", reason=reason)
    _end_sign_ins(user, "the help desk removed the second factor")
    return "The second factor was removed. The user is signed out and got an email."


def _end_sign_ins(user: User, change: str) -> None:
    sign_ins.end_sign_ins(user)
    accounts.queue_account_email("second_factor", user, change=change)


def _record(event: AuditEvent, user: User, factor: SecondFactor) -> None:
    about = f"{_describe(factor)} of user {user}"
    audit.record_event(event, by=access.caller_of(user), about=about)


def _describe(factor: SecondFactor) -> str:
    name = f" “{factor.name}”" if factor.name else ""
    return f"{factor.get_kind_display()}{name}"
