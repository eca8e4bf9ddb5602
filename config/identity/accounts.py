"""Accounts of the embedded provider: made at sign-up, good once their address is confirmed."""

from __future__ import annotations

from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import User
from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.db import transaction
from django.utils.encoding import force_str
from django.utils.http import urlsafe_base64_decode

from config.identity import tokens
from filing import access, audit
from filing.emails import requested
from filing.models import Happening, Identity
from filing.people import accounts, roles


class ConfirmationTokens(PasswordResetTokenGenerator):
    """The secret part of the link in an email: good for one state of one account.

    It names the account's password (in its hash) and its sign-ins, so that it is spent when the
    account is used, and void when somebody signs up anew with the same address.
    """

    key_salt = "config.identity.accounts.ConfirmationTokens"

    def _make_hash_value(self, user: User, timestamp: int) -> str:
        return f"{super()._make_hash_value(user, timestamp)}{user.is_active}"


confirmation_tokens = ConfirmationTokens()


def sign_up(*, first_name: str, last_name: str, email: str, password: str) -> None:
    """Make an account that cannot be used yet, and email a link that confirms its address.

    Whoever has an account with this address gets an email that says so: the caller learns nothing.
    """
    hashed = make_password(password)  # also where it is not needed: that takes its time
    with transaction.atomic():
        user = User.objects.filter(username=email).first()
        taken = User.objects.filter(email__iexact=email).exclude(username=email).exists()
        if not taken and (user is None or is_unconfirmed(user)):
            user = user or User(username=email, is_active=False)
            user.email, user.password = email, hashed
            user.first_name, user.last_name = first_name, last_name
            user.save()
            Identity.objects.filter(pk=tokens.known(user).pk).update(email_verified=False)
            audit.record(Happening.ACCOUNT_MADE, by=access.caller_of(user), about=f"user {user}")
        requested.ask("sign-up", email, subject="Your sign-up")


@transaction.atomic
def ask_for_password(email: str) -> None:
    """Email links to choose a new password to whoever has accounts with an address, if anyone has.

    It does not look whether anyone has.
    """
    requested.ask("password", email, subject="A new password")


def is_unconfirmed(user: User) -> bool:
    """Tell whether an account waits for its address to be confirmed.

    Accounts that staff have locked are not active either, and must not be opened by their users:
    those were confirmed, or were never signed up for.
    """
    if user.is_active or user.last_login is not None or accounts.is_disabled(user):
        return False
    return user.identities.filter(email_verified=False, signed_in_at=None).exists()


def awaiting(user: str, token: str) -> User | None:
    """Return the account that the link of an email is for; none for a link that is spent or old."""
    try:
        found = User.objects.filter(pk=int(force_str(urlsafe_base64_decode(user)))).first()
    except (ValueError, OverflowError):
        return None
    if found is None or not is_unconfirmed(found):
        return None
    return found if confirmation_tokens.check_token(found, token) else None


@transaction.atomic
def confirm(user: User) -> bool:
    """Make the account good for signing in; tell whether it was this call that did."""
    if not User.objects.filter(pk=user.pk, is_active=False).update(is_active=True):
        return False
    user.is_active = True
    Identity.objects.filter(pk=tokens.known(user).pk).update(email_verified=True)
    roles.assign(user, [role for role in access.ROLES if role.group == "filer"])
    audit.record(Happening.EMAIL_CONFIRMED, by=access.caller_of(user), about=user.email)
    return True


@transaction.atomic
def verify_address(user: User) -> None:
    """Keep that the user has opened a link that was sent to their address."""
    unverified = Identity.objects.filter(pk=tokens.known(user).pk, email_verified=False)
    if unverified.update(email_verified=True):
        audit.record(Happening.EMAIL_CONFIRMED, by=access.caller_of(user), about=user.email)
