"""Bearer tokens that users create for their programs: shown once, stored as a hash, revocable."""

from __future__ import annotations

import secrets
from collections.abc import Collection
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import models, transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from filing import access, audit
from filing.access import Caller, Scope
from filing.audit.value_changes import describe_change
from filing.errors import BadInput, NotFound
from filing.models import AuditEvent, PersonalToken
from filing.models.database import Parameter, PreparedQuery
from filing.stored_secrets import hash_secret

# It tells whoever finds a token what it is; scanners of repositories look for such prefixes.
PREFIX = "hmda_pat_"
_START_LENGTH = len(PREFIX) + 4
_LONGEST_NAME = 100
_MOST = 20  # usable tokens of one user
_USE_INTERVAL = timedelta(minutes=1)  # not every request has to write
_BY_HASH = PreparedQuery(
    lambda: (
        _usable_at(Parameter("time", models.DateTimeField()))
        .select_related("user")
        .filter(sha256=Parameter("sha256", models.CharField()))
    )
)


def create_token(
    user: User,
    *,
    name: str,
    leis: Collection[str],
    days: int,
    by: Caller,
    scopes: Collection[str] = (),
    is_prepare_only: bool = False,
) -> tuple[str, PersonalToken]:
    """Return a new token, which cannot be shown again, and its row.

    It is for institutions of the user, or for the operator API where the user is administrator.
    At an institution it may do what its user may do then; is_prepare_only: all but sign and manage.

    Units: days until it expires.
    Raises: BadInput.
    """
    name = name.strip()
    if not 1 <= len(name) <= _LONGEST_NAME:
        raise BadInput(f"Enter a name of 1 to {_LONGEST_NAME} characters.")
    if not 1 <= days <= settings.PERSONAL_TOKEN_DAYS:
        raise BadInput(f"Enter 1 to {settings.PERSONAL_TOKEN_DAYS} days.")
    is_for_nothing = not leis and not scopes
    if is_for_nothing or not access.find_leis(access.caller_of(user)).issuperset(leis):
        raise BadInput("Choose from the institutions you can file for.")
    if scopes and not (access.is_administrator(user) and set(Scope).issuperset(scopes)):
        raise BadInput("Only administrators create tokens for the operator API.")
    text = PREFIX + secrets.token_urlsafe(32)
    now = timezone.now()
    with transaction.atomic():
        # Two requests at the same time must not exceed the limit, so the second waits here.
        User.objects.select_for_update().get(pk=user.pk)
        if find_usable_tokens().filter(user=user).count() >= _MOST:
            raise BadInput(f"You have {_MOST} tokens. Revoke one that you no longer need.")
        token = PersonalToken.objects.create(
            user=user,
            name=name,
            start=text[:_START_LENGTH],
            sha256=hash_secret(text),
            leis=sorted(leis),
            scopes=sorted(scopes),
            is_prepare_only=is_prepare_only,
            made_at=now,
            expires_at=now + timedelta(days=days),
        )
        audit.record_event(
            AuditEvent.PERSONAL_TOKEN_MADE,
            by=by,
            about=str(token),
            reason=f"Operator API: {', '.join(token.scopes)}." if scopes else "",
        )
    return text, token


def revoke_token(user: User, token_id: int, *, by: Caller) -> PersonalToken:
    """Revoke a token of the user. Repeating the call changes nothing.

    Raises: NotFound.
    """
    token = PersonalToken.objects.filter(user=user, pk=token_id).first()
    if token is None:
        raise NotFound("You have no such token.")
    with transaction.atomic():
        now = timezone.now()
        if PersonalToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=now):
            token.revoked_at = now
            audit.record_event(AuditEvent.PERSONAL_TOKEN_REVOKED, by=by, about=str(token))
    return token


@transaction.atomic
def remove_institutions(user: User, leis: Collection[str], *, by: Caller) -> None:
    """Take institutions out of the tokens of a user; revoke those that are left without any."""
    for token in user.personal_tokens.select_for_update().filter(revoked_at=None):
        leis_after = sorted(set(token.leis) - set(leis))
        if leis_after == sorted(token.leis):
            continue
        if not leis_after and not token.scopes:
            revoke_token(user, token.pk, by=by)
            continue
        change_institutions(token, leis_after, by=by)


def change_institutions(
    token: PersonalToken, leis: Collection[str], *, by: Caller, lei: str = ""
) -> None:
    """Change the institutions of a token. lei: for which the audit log has it."""
    before, token.leis = token.leis, sorted(leis)
    token.save(update_fields=["leis"])
    audit.record_event(
        AuditEvent.PERSONAL_TOKEN_CHANGED,
        by=by,
        lei=lei,
        about=str(token),
        reason=describe_change("Institutions", before, token.leis),
    )


def revoke_tokens(user: User, *, by: Caller | None, reason: str) -> None:
    """Revoke all tokens of a user."""
    tokens = list(user.personal_tokens.select_for_update().filter(revoked_at=None))
    user.personal_tokens.filter(pk__in=[token.pk for token in tokens]).update(
        revoked_at=timezone.now()
    )
    audit.record_entries(
        audit.make_entry(AuditEvent.PERSONAL_TOKEN_REVOKED, by=by, about=str(token), reason=reason)
        for token in tokens
    )


def find_usable_tokens() -> QuerySet[PersonalToken]:
    """Return the tokens that are neither revoked nor expired, of users with enabled accounts."""
    return _usable_at(timezone.now())


def find_bearer(text: str) -> Caller | None:
    """Return the caller who sent a personal token, with its institutions; none if it is not usable.

    An institution counts only while the user still acts for it. The token carries no staff roles;
    its scopes in the operator API count while the user is administrator.
    """
    if not settings.PERSONAL_TOKENS_ENABLED:
        return None
    token = _BY_HASH.first(time=timezone.now(), sha256=hash_secret(text))
    if token is None:
        return None
    _record_use(token)
    return access.caller_of(
        token.user,
        only=frozenset(token.leis),
        scopes=token.scopes,
        is_prepare_only=token.is_prepare_only,
    )


def _usable_at(time: Any) -> QuerySet[PersonalToken]:
    return PersonalToken.objects.filter(revoked_at=None, expires_at__gt=time, user__is_active=True)


def _record_use(token: PersonalToken) -> None:
    """Record when the token was last used, to the minute."""
    now = timezone.now()
    is_due = Q(last_used_at=None) | Q(last_used_at__lt=now - _USE_INTERVAL)
    if token.last_used_at is None or token.last_used_at < now - _USE_INTERVAL:
        PersonalToken.objects.filter(is_due, pk=token.pk).update(last_used_at=now)
