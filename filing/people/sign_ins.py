"""Whether the sign-ins of users still count: their sessions, access tokens and refresh tokens.

Each user has a generation, which sessions and access tokens of the embedded provider carry. Raising
it ends them all at once, although no list of sessions by user exists and access tokens are verified
offline. A password that someone else set begins none.
"""

from __future__ import annotations

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

KEY = "generation"  # in the session


def account_of(user: User) -> Account:
    """Return the account of a user; a new one, not saved, if it has no row yet."""
    return getattr(user, "account", None) or Account(user=user)


def begin(session: SessionBase, user: User) -> None:
    """Store the generation of the user in a session that begins, or goes on after a change."""
    session[KEY] = Account.objects.filter(user=user).values_list("generation", flat=True).first()


def is_current(session: SessionBase, user: User) -> bool:
    """Tell whether the session of a user still counts."""
    account = account_of(user)
    is_own_password = account.staff_password_at is None
    return is_own_password and (session.get(KEY) or 0) == account.generation


def has_staff_password(user: User) -> bool:
    """Tell whether someone else set the password of a user, who has not chosen their own since."""
    return Account.objects.filter(user=user, staff_password_at__isnull=False).exists()


@transaction.atomic
def end(user: User) -> None:
    """End all sessions, access tokens and refresh tokens of a user, and sign-ins under way."""
    Account.objects.get_or_create(user=user)
    Account.objects.filter(user=user).update(generation=F("generation") + 1)
    refresh_tokens = get_refresh_token_model().objects.filter(user=user, revoked=None)
    refresh_tokens.update(revoked=timezone.now())
    for model in (get_access_token_model(), get_grant_model(), get_device_grant_model()):
        model.objects.filter(user=user).delete()
