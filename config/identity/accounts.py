"""Accounts of the embedded provider: created at sign-up, active once the email is confirmed."""

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
from filing.models import AuditEvent, Identity
from filing.people import accounts, roles


class ConfirmationTokens(PasswordResetTokenGenerator):
    """The secret part of the link in an email, valid for one state of one account.

    The hash includes the account's password and last sign-in: the link is used up when the account
    is used, and void when someone signs up again with the same address.
    """

    key_salt = "config.identity.accounts.ConfirmationTokens"

    def _make_hash_value(self, user: User, timestamp: int) -> str:
        return f"{super()._make_hash_value(user, timestamp)}{user.is_active}"


confirmation_tokens = ConfirmationTokens()


def sign_up(*, first_name: str, last_name: str, email: str, password: str) -> None:
    """Create an inactive account, and email a link that confirms its address.

    An address that has an account gets an email that says so: the page never tells.
    """
    hashed = make_password(password)  # always, so that the time it takes reveals nothing
    with transaction.atomic():
        user = User.objects.filter(username=email).first()
        taken = User.objects.filter(email__iexact=email).exclude(username=email).exists()
        if not taken and (user is None or is_unconfirmed(user)):
            user = user or User(username=email, is_active=False)
            user.email, user.password = email, hashed
            user.first_name, user.last_name = first_name, last_name
            user.save()
            Identity.objects.filter(pk=tokens.known(user).pk).update(email_verified=False)
            audit.record(AuditEvent.ACCOUNT_MADE, by=access.caller_of(user), about=f"user {user}")
        requested.request("sign-up", email, subject="Your sign-up")


@transaction.atomic
def ask_for_password(email: str) -> None:
    """Email links to choose a new password for the accounts with an address.

    Whether there are any is only checked when the email is sent.
    """
    requested.request("password", email, subject="A new password")


def is_unconfirmed(user: User) -> bool:
    """Return whether an account waits for its address to be confirmed.

    Accounts that staff disabled are inactive as well, and their users must not activate them: those
    were confirmed, or did not come from sign-up.
    """
    if user.is_active or user.last_login is not None or accounts.is_disabled(user):
        return False
    return user.identities.filter(email_verified=False, signed_in_at=None).exists()


def unconfirmed(user: str, token: str) -> User | None:
    """Return the account that a link confirms; None for a link that was used or has expired."""
    try:
        account = User.objects.filter(pk=int(force_str(urlsafe_base64_decode(user)))).first()
    except (ValueError, OverflowError):
        return None
    if account is None or not is_unconfirmed(account):
        return None
    return account if confirmation_tokens.check_token(account, token) else None


@transaction.atomic
def confirm(user: User) -> bool:
    """Activate the account; return whether this call did."""
    if not User.objects.filter(pk=user.pk, is_active=False).update(is_active=True):
        return False
    user.is_active = True
    Identity.objects.filter(pk=tokens.known(user).pk).update(email_verified=True)
    roles.assign(user, [role for role in access.ROLES if role.group == "filer"])
    audit.record(AuditEvent.EMAIL_CONFIRMED, by=access.caller_of(user), about=user.email)
    return True


@transaction.atomic
def verify_address(user: User) -> None:
    """Record that the user opened a link sent to their address."""
    unverified = Identity.objects.filter(pk=tokens.known(user).pk, email_verified=False)
    if unverified.update(email_verified=True):
        audit.record(AuditEvent.EMAIL_CONFIRMED, by=access.caller_of(user), about=user.email)
