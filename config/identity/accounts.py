"""Accounts of the embedded provider: created at sign-up, active once the email is confirmed.

With their emails, and the password rule that also hears of each new password. The links in emails
are worth as much as a password: they are made when the email is sent, and expire after a day.
"""

from __future__ import annotations

from collections.abc import Iterable

from django.conf import settings
from django.contrib.auth.forms import PasswordResetForm
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import User
from django.contrib.auth.password_validation import MinimumLengthValidator
from django.contrib.auth.tokens import PasswordResetTokenGenerator, default_token_generator
from django.db import transaction
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.encoding import force_bytes, force_str
from django.utils.http import urlsafe_base64_decode, urlsafe_base64_encode

from config.identity import tokens
from filing import access, audit
from filing.access import person_name
from filing.emails import outbox, requested
from filing.emails.requested import WrittenEmail
from filing.models import AuditEvent, Identity
from filing.people import accounts, roles, sign_ins


class ConfirmationTokens(PasswordResetTokenGenerator):
    """The secret part of the link in an email, valid for one state of one account.

    The hash includes the account's password and last sign-in: the link is used up when the account
    is used, and void when someone signs up again with the same address.
    """

    key_salt = "config.identity.accounts.ConfirmationTokens"

    def _make_hash_value(self, user: User, timestamp: int) -> str:
        return f"{super()._make_hash_value(user, timestamp)}{user.is_active}"


confirmation_tokens = ConfirmationTokens()


def create_account(*, first_name: str, last_name: str, email: str, password: str) -> None:
    """Create an inactive account, and email a link that confirms its address.

    An address that has an account gets an email that says so: the page never tells.
    """
    hashed = make_password(password)  # always, so that the time it takes reveals nothing
    with transaction.atomic():
        user = User.objects.filter(username=email).first()
        taken = User.objects.filter(email__iexact=email).exclude(username=email).exists()
        if not taken and (user is None or accounts.is_unconfirmed(user)):
            user = user or User(username=email, is_active=False)
            user.email, user.password = email, hashed
            user.first_name, user.last_name = first_name, last_name
            user.save()
            Identity.objects.filter(pk=tokens.known_identity(user).pk).update(email_verified=False)
            audit.record_event(
                AuditEvent.ACCOUNT_MADE, by=access.caller_of(user), about=f"user {user}"
            )
        requested.request_email("sign-up", email, subject="Your sign-up")


@transaction.atomic
def email_password_links(email: str) -> None:
    """Email links to choose a new password for the accounts with an address.

    Whether there are any is only checked when the email is sent.
    """
    requested.request_email("password", email, subject="A new password")


def find_unconfirmed_account(user: str, token: str) -> User | None:
    """Return the account that a link confirms; None for a link that was used or has expired."""
    try:
        account = User.objects.filter(pk=int(force_str(urlsafe_base64_decode(user)))).first()
    except (ValueError, OverflowError):
        return None
    if account is None or not accounts.is_unconfirmed(account):
        return None
    return account if confirmation_tokens.check_token(account, token) else None


@transaction.atomic
def confirm_account(user: User) -> bool:
    """Activate the account; return whether this call did."""
    if not User.objects.filter(pk=user.pk, is_active=False).update(is_active=True):
        return False
    user.is_active = True
    Identity.objects.filter(pk=tokens.known_identity(user).pk).update(email_verified=True)
    roles.assign_roles(user, [role for role in access.ROLES if role.group == "filer"])
    audit.record_event(AuditEvent.EMAIL_CONFIRMED, by=access.caller_of(user), about=user.email)
    return True


@transaction.atomic
def verify_address(user: User) -> None:
    """Record that the user opened a link sent to their address."""
    unverified = Identity.objects.filter(pk=tokens.known_identity(user).pk, email_verified=False)
    if unverified.update(email_verified=True):
        audit.record_event(AuditEvent.EMAIL_CONFIRMED, by=access.caller_of(user), about=user.email)


def sign_up_email(address: str) -> WrittenEmail | None:
    """Return the email that asks to confirm an address, or says that it already has an account."""
    user = User.objects.filter(username=address).first()
    others = User.objects.filter(email__iexact=address).exclude(username=address)
    if user and accounts.is_unconfirmed(user) and not others.exists():
        link = _link("confirm-email", user, confirmation_tokens.make_token(user))
        name = outbox.remove_line_breaks(user.get_full_name())
        text = _text("confirm", name=name, link=link)
        subject = "Confirm your email address for the HMDA filing service"
        return WrittenEmail(address, subject, text, secrets=(link,))
    if user or others.exists():
        links = {name.replace("-", "_"): _address(name) for name in ("sign-in", "forgotten")}
        text = _text("has_account", **links)
        subject = "You already have an account with the HMDA filing service"
        return WrittenEmail(address, subject, text)
    return None


def new_password_email(address: str) -> WrittenEmail | None:
    """Return the email with a link for each account of an address; None if there are none."""
    users = sorted(PasswordResetForm().get_users(address), key=lambda user: user.pk)
    if not users:
        return None
    links = [
        _link("new-password", user, default_token_generator.make_token(user)) for user in users
    ]
    text = _text(
        "forgotten",
        name=_name(users),
        accounts=list(zip(users, links, strict=True)),
        is_set_by_staff=any(map(sign_ins.has_staff_password, users)),
    )
    subject = "Choose a new password for the HMDA filing service"
    return WrittenEmail(users[0].email, subject, text, secrets=tuple(links))


def _name(users: Iterable[User]) -> str:
    """Return the name to greet the owner of the accounts with; blank if the names differ."""
    names = {outbox.remove_line_breaks(person_name(user)) for user in users}
    return names.pop() if len(names) == 1 else ""


def _link(name: str, user: User, token: str) -> str:
    return _address(name, urlsafe_base64_encode(force_bytes(user.pk)), token)


def _address(name: str, *parts: str) -> str:
    # Not the host of the request, which the sender can choose.
    return f"{settings.PUBLIC_URL}{reverse(name, args=parts)}"


def _text(template: str, **facts: object) -> str:
    return render_to_string(f"identity/mail/{template}.txt", facts).strip() + "\n"


class RecordedMinimumLength(MinimumLengthValidator):
    """Django's rule of a minimum length, which records each password that is set.

    Django calls all rules after it has saved a new password, whoever set it and wherever.
    """

    def password_changed(self, password: str, user: User | None = None) -> None:
        """Record the new password of a user."""
        if user is not None:
            accounts.record_new_password(user)
