"""The emails of the embedded provider, written when they are sent.

Their links are worth as much as a password: they are made at that moment and expire after a day.
"""

from __future__ import annotations

from collections.abc import Iterable

from django.conf import settings
from django.contrib.auth.forms import PasswordResetForm
from django.contrib.auth.models import User
from django.contrib.auth.tokens import default_token_generator
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

from config.identity import accounts
from filing.access.persons import person_name
from filing.emails import outbox
from filing.emails.requested import Message
from filing.people import sign_ins


def sign_up(address: str) -> Message | None:
    """Return the email that asks to confirm an address, or says that it already has an account."""
    user = User.objects.filter(username=address).first()
    others = User.objects.filter(email__iexact=address).exclude(username=address)
    if user and accounts.is_unconfirmed(user) and not others.exists():
        link = _link("confirm-email", user, accounts.confirmation_tokens.make_token(user))
        name = outbox.one_line(user.get_full_name())
        text = _text("confirm", name=name, link=link)
        return Message(address, "Confirm your email address", text, secrets=(link,))
    if user or others.exists():
        links = {name.replace("-", "_"): _address(name) for name in ("sign-in", "forgotten")}
        text = _text("has_account", **links)
        return Message(address, "Your account with the HMDA filing service", text)
    return None


def new_password(address: str) -> Message | None:
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
    return Message(users[0].email, subject, text, secrets=tuple(links))


def _name(users: Iterable[User]) -> str:
    """Return the name to greet the owner of the accounts with; blank if the names differ."""
    names = {outbox.one_line(person_name(user)) for user in users}
    return names.pop() if len(names) == 1 else ""


def _link(name: str, user: User, token: str) -> str:
    return _address(name, urlsafe_base64_encode(force_bytes(user.pk)), token)


def _address(name: str, *parts: str) -> str:
    # Not the host of the request, which the sender can choose.
    return f"{settings.PUBLIC_URL}{reverse(name, args=parts)}"


def _text(template: str, **facts: object) -> str:
    return render_to_string(f"identity/mail/{template}.txt", facts).strip() + "\n"
