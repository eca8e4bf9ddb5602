"""Sign-ins of users: whether they still count, when they began, and the access token of each.

Each user has a generation, which sessions and access tokens of the embedded provider carry. Raising
it ends them all at once, although no list of sessions by user exists and access tokens are verified
offline. A password that someone else set begins none. The session keeps, on the server, its access
token and when the user last authenticated.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.contrib.auth.models import User
from django.contrib.sessions.backends.base import SessionBase
from django.db import transaction
from django.db.models import F
from django.utils import timezone
from oauth2_provider.models import (
    get_access_token_model,
    get_device_grant_model,
    get_grant_model,
    get_refresh_token_model,
)

from filing.models import Account

GENERATION_KEY = "generation"  # in the session
AUTHENTICATED_AT_KEY = "proved_at"  # in the session
RECENT_AUTHENTICATION = timedelta(minutes=15)
BEARER_KEY = "access_token"  # in the session


def begin_sign_in(session: SessionBase, user: User) -> None:
    """Store the generation of the user in a session that begins, or goes on after a change."""
    session[GENERATION_KEY] = (
        Account.objects.filter(user=user).values_list("generation", flat=True).first()
    )


def is_sign_in_current(session: SessionBase, user: User) -> bool:
    """Tell whether the session of a user still counts."""
    account = getattr(user, "account", None) or Account()
    is_own_password = account.staff_password_at is None
    return is_own_password and (session.get(GENERATION_KEY) or 0) == account.generation


def was_signed_out(session: SessionBase) -> bool:
    """Tell whether a session is over because someone ended the sign-ins of its user."""
    if (key := session.get(SESSION_KEY)) is None:
        return False
    user = User.objects.filter(pk=key).first()
    return user is not None and not is_sign_in_current(session, user)


def has_staff_password(user: User) -> bool:
    """Tell whether someone else set the password of a user, who has not chosen their own since."""
    return Account.objects.filter(user=user, staff_password_at__isnull=False).exists()


@transaction.atomic
def end_sign_ins(user: User) -> None:
    """End all sessions, access tokens and refresh tokens of a user, and sign-ins under way."""
    Account.objects.get_or_create(user=user)
    Account.objects.filter(user=user).update(generation=F("generation") + 1)
    refresh_tokens = get_refresh_token_model().objects.filter(user=user, revoked=None)
    refresh_tokens.update(revoked=timezone.now())
    for model in (get_access_token_model(), get_grant_model(), get_device_grant_model()):
        model.objects.filter(user=user).delete()


def record_authentication(session: SessionBase, at: float | None = None) -> None:
    """Store when the user of a session authenticated: now, unless another time is given.

    Units: at is in seconds since 1970-01-01 UTC.
    """
    session[AUTHENTICATED_AT_KEY] = int(time.time() if at is None else at)


def read_authentication_time(session: SessionBase) -> int | None:
    """Return the recorded time in seconds since 1970-01-01 UTC; none if unknown."""
    return session.get(AUTHENTICATED_AT_KEY)


def is_recently_authenticated(session: SessionBase) -> bool:
    """Tell whether the user authenticated within the last 15 minutes."""
    at = read_authentication_time(session)
    return at is not None and time.time() - at <= RECENT_AUTHENTICATION.total_seconds()


def name_login_hint(user: User) -> str:
    """Return a user who signs in again, as the identity provider knows them."""
    return user.get_username() if settings.EMBEDDED_PROVIDER else user.email


@dataclass(frozen=True)
class SessionToken:
    """An access token as the profile page shows it."""

    text: str
    expires_at: datetime

    @property
    def is_expired(self) -> bool:
        return self.expires_at.timestamp() <= time.time()


def store_access_token(session: SessionBase, text: str, *, expires: int) -> None:
    """Store an access token in a session; a blank one where those of the provider cannot be used.

    Units: expires is in seconds since 1970-01-01 UTC.
    """
    session[BEARER_KEY] = {"text": text, "expires": expires}


def read_access_token(session: SessionBase) -> SessionToken | None:
    """Return the stored token; none if the user did not sign in through a provider."""
    token = session.get(BEARER_KEY)
    if token is None:
        return None
    return SessionToken(token["text"], datetime.fromtimestamp(token["expires"], UTC))
