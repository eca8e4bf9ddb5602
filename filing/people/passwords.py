"""New passwords: what ends with the former one, who gets an email, and whose password it is.

Django calls `record_new` through a password validator, wherever a password is set: on pages, in the
admin and by a command. One that the user did not choose is no proof of who they are, so nobody can
sign in with it: it only leads to the email with which the user chooses their own.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from filing import access, audit
from filing.access.persons import person_name
from filing.emails import outbox
from filing.emails.outbox import Draft
from filing.models import Account, AuditEvent
from filing.people import personal_tokens, sign_ins

# Who sets passwords now, and how; no one where a command does.
_setting: ContextVar[tuple[User | None, str]] = ContextVar("setting", default=(None, ""))


@contextmanager
def set_by(user: User, *, how: str = "") -> Iterator[None]:
    """Say who sets passwords while the context lasts, and how, for the audit log."""
    before = _setting.set((user, how))
    try:
        yield
    finally:
        _setting.reset(before)


@transaction.atomic
def record_new(user: User) -> None:
    """Record the new password of a user, and end their sign-ins and personal tokens.

    A user without a usable password has lost it.
    """
    actor, how = _setting.get()
    is_own = actor is not None and actor.pk == user.pk
    is_removed = not user.has_usable_password()
    by = access.caller_of(actor) if actor else None
    sign_ins.end(user)
    account = Account.objects.get(user=user)
    account.staff_password_at = None if is_own or is_removed else timezone.now()
    account.save(update_fields=["staff_password_at"])
    event = AuditEvent.PASSWORD_CHANGED if is_own else AuditEvent.PASSWORD_SET
    outcome = "The password was removed." if is_removed else "" if actor else "by a command"
    reason = "\n".join(filter(None, [audit.reason(), outcome]))
    about = f"user {user}{f', {how}' if how else ''}"
    audit.record(event, by=by, about=about, reason=reason)
    personal_tokens.revoke_all(user, by=by, reason="The password changed.")
    facts = {
        "name": person_name(user),
        "username": user.username,
        "is_own": is_own,
        "is_removed": is_removed,
    }
    subject, text = outbox.render("password", facts)
    key = outbox.key("account", "password", str(user.pk), str(account.generation), user.email)
    outbox.queue([Draft("account", key, user.email, subject, text)])
