"""Bearer tokens that users make for their programs: shown once, kept as a hash, revocable."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Collection
from datetime import timedelta

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from filing import access, audit
from filing.access import Caller, rights
from filing.errors import BadInput, NotFound
from filing.models import Happening, PersonalToken

# So that whoever finds one, a scanner of repositories too, knows what it is.
PREFIX = "hmda_pat_"
_SHOWN = len(PREFIX) + 4
_LONGEST_NAME = 100
_MOST = 20  # usable ones of one user
_USE_IS_NOTED_EVERY = timedelta(minutes=1)


def make(
    user: User, *, name: str, leis: Collection[str], days: int, by: Caller
) -> tuple[str, PersonalToken]:
    """Return a new token, which nobody can see again, and what is kept of it.

    Units: days is its life.
    Raises: BadInput.
    """
    name = name.strip()
    if not 1 <= len(name) <= _LONGEST_NAME:
        raise BadInput(f"Name the token in 1 to {_LONGEST_NAME} characters.")
    if not 1 <= days <= settings.PERSONAL_TOKEN_DAYS:
        raise BadInput(f"A token lives 1 to {settings.PERSONAL_TOKEN_DAYS} days.")
    if not leis or not rights.held(user.memberships.all()).issuperset(leis):
        raise BadInput("Choose among the institutions that you act for.")
    if usable().filter(user=user).count() >= _MOST:
        raise BadInput(f"You have {_MOST} tokens: revoke one that you no longer need.")
    text = PREFIX + secrets.token_urlsafe(32)
    now = timezone.now()
    with transaction.atomic():
        token = PersonalToken.objects.create(
            user=user,
            name=name,
            start=text[:_SHOWN],
            sha256=_hash(text),
            leis=sorted(leis),
            made_at=now,
            expires_at=now + timedelta(days=days),
        )
        audit.record(Happening.PERSONAL_TOKEN_MADE, by=by, about=str(token))
    return text, token


def revoke(user: User, token_id: int, *, by: Caller) -> PersonalToken:
    """Make a token of the user useless for good. To do it again changes nothing.

    Raises: NotFound.
    """
    token = PersonalToken.objects.filter(user=user, pk=token_id).first()
    if token is None:
        raise NotFound("There is no such token of yours.")
    with transaction.atomic():
        now = timezone.now()
        if PersonalToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=now):
            token.revoked_at = now
            audit.record(Happening.PERSONAL_TOKEN_REVOKED, by=by, about=str(token))
    return token


def usable() -> QuerySet[PersonalToken]:
    """Return the tokens that are neither revoked nor expired, of users who are not locked out."""
    return PersonalToken.objects.filter(
        revoked_at=None, expires_at__gt=timezone.now(), user__is_active=True
    )


def bearer(text: str) -> Caller | None:
    """Return who sent a personal token, with the institutions it is for; nobody if it is no good.

    An institution counts only while its user still acts for it. Roles of staff do not come along.
    """
    if not settings.PERSONAL_TOKENS_ENABLED:
        return None
    token = usable().select_related("user").filter(sha256=_hash(text)).first()
    if token is None:
        return None
    _note_use(token)
    return access.caller_of(token.user, only=frozenset(token.leis))


def _note_use(token: PersonalToken) -> None:
    """Keep when the token was last used, to the minute: not each request has to write."""
    now = timezone.now()
    long_ago = Q(last_used_at=None) | Q(last_used_at__lt=now - _USE_IS_NOTED_EVERY)
    if token.last_used_at is None or token.last_used_at < now - _USE_IS_NOTED_EVERY:
        PersonalToken.objects.filter(long_ago, pk=token.pk).update(last_used_at=now)


def _hash(text: str) -> str:
    # Plain, not salted or slow: there are 256 random bits in it that nobody can guess.
    return hashlib.sha256(text.encode()).hexdigest()
