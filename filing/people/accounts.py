"""Accounts: unused ones are disabled after a warning, and what changes about them is recorded.

Django calls `record_new_password` through a password validator, wherever a password is set: on
pages, in the admin and by a command. One that the user did not choose is no proof of who they are,
so nobody can sign in with it: it only leads to the email with which the user chooses their own.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.utils import timezone

from filing import access, audit
from filing.access import SERVICE, Caller, person_name
from filing.audit.value_changes import describe_change
from filing.day_hours import day_in_words, describe_day, to_filing_zone
from filing.emails import outbox
from filing.emails.outbox import EmailDraft
from filing.models import Account, AuditEvent, Identity, PersonalToken
from filing.people import invitations, memberships, personal_tokens, sign_ins

log = logging.getLogger(__name__)

WARNING_DAYS = 14  # before an account is disabled; less if accounts are disabled that early
CHUNK = 500
_ADMINISTRATOR = Q(is_superuser=True) | Q(groups__name="administrator")
# Who sets passwords now, and how; no one where a command does.
_setting: ContextVar[tuple[User | None, str]] = ContextVar("setting", default=(None, ""))


@dataclass(frozen=True)
class UnusedAccountsReport:
    """How many users were warned, and how many accounts disabled."""

    warned: int = 0
    disabled: int = 0


def check_unused_accounts(*, now: datetime | None = None) -> UnusedAccountsReport:
    """Warn the users of accounts that will be disabled, and disable those still unused since then.

    The last active administrator keeps their account, if all others are disabled.
    """
    if not settings.ACCOUNT_UNUSED_DAYS:
        return UnusedAccountsReport()
    now = now or timezone.now()
    life, notice = timedelta(days=settings.ACCOUNT_UNUSED_DAYS), _notice()
    warned = unused_since(F("account__warned_at"))
    due = unused_since(now - life).filter(
        pk__in=warned.values("pk"), account__warned_at__lte=now - notice
    )
    disabled = sum(_disable(users) for users in _chunks(_without_last_administrator(due)))
    soon = unused_since(now - life + notice).exclude(pk__in=warned.values("pk"))
    warnings = sum(_warn(users, now) for users in _chunks(_without_last_administrator(soon)))
    return UnusedAccountsReport(warned=warnings, disabled=disabled)


def unused_since(since: datetime | F) -> QuerySet[User]:
    """Return the users with an enabled account that has not been used since a time."""
    inner = OuterRef(since.name) if isinstance(since, F) else since
    identities = Identity.objects.filter(
        Q(added_at__gte=inner) | Q(signed_in_at__gte=inner) | Q(used_at__gte=inner),
        user=OuterRef("pk"),
    )
    tokens = PersonalToken.objects.filter(
        Q(made_at__gte=inner) | Q(last_used_at__gte=inner), user=OuterRef("pk")
    )
    enabled = Account.objects.filter(enabled_at__gte=inner, user=OuterRef("pk"))
    return User.objects.filter(
        Q(last_login=None) | Q(last_login__lt=since),
        ~Exists(identities),
        ~Exists(tokens),
        ~Exists(enabled),
        is_active=True,
        date_joined__lt=since,
    )


def is_account_disabled(user: User) -> bool:
    """Tell whether the account was enabled once, and is disabled now."""
    disabled = Account.objects.filter(user=user, disabled_at__isnull=False)
    return not user.is_active and disabled.exists()


def is_unconfirmed(user: User) -> bool:
    """Tell whether an account waits for its address to be confirmed.

    Accounts that staff disabled are inactive as well, and their users must not activate them: those
    were confirmed, or did not come from sign-up.
    """
    if user.is_active or user.last_login is not None or is_account_disabled(user):
        return False
    return user.identities.filter(email_verified=False, signed_in_at=None).exists()


def describe_account_state(user: User) -> str:
    """Return in words whether the account is enabled, and since when and why not."""
    account = Account.objects.filter(user=user).first() or Account(user=user)
    if not user.is_active:
        if is_unconfirmed(user):
            return "not confirmed yet: the person has not opened the link of the sign-up email"
        if account.disabled_at is None:
            return "disabled"
        return f"disabled since {describe_day(account.disabled_at)}: {account.get_reason_display()}"
    if account.warned_at and unused_since(F("account__warned_at")).filter(pk=user.pk).exists():
        return f"enabled; unused, and the user was warned on {describe_day(account.warned_at)}"
    return (
        f"enabled again on {describe_day(account.enabled_at)}" if account.enabled_at else "enabled"
    )


@transaction.atomic
def record_account_disabled(user: User, *, by: Caller, reason: str, notifies: bool = True) -> None:
    """Record that staff disabled an account, and end its sign-ins and personal tokens for good.

    notifies: whether the user gets an email.
    """
    _store_disabled([user], "staff")
    audit.record_event(AuditEvent.ACCOUNT_DISABLED, by=by, about=f"user {user}", reason=reason)
    sign_ins.end_sign_ins(user)
    personal_tokens.revoke_tokens(user, by=by, reason="The account was disabled.")
    invitations.withdraw_void_invitations([user], by=by)
    if notifies:
        queue_account_email("account_closed", user)


@transaction.atomic
def record_account_enabled(user: User, *, by: Caller, reason: str) -> None:
    """Record that staff enabled an account again, which counts as use. No sign-in comes back."""
    enabled = {"warned_at": None, "disabled_at": None, "reason": "", "enabled_at": timezone.now()}
    Account.objects.update_or_create(user=user, defaults=enabled)
    audit.record_event(AuditEvent.ACCOUNT_ENABLED, by=by, about=f"user {user}", reason=reason)
    sign_ins.end_sign_ins(user)
    queue_account_email("account_opened", user)


@transaction.atomic
def record_new_email_address(user: User, *, former: str, by: Caller, reason: str) -> None:
    """Record that staff changed the address of a user, which is not verified yet.

    The sign-ins and personal tokens end; both addresses get an email.
    """
    user.identities.update(email_verified=False)
    audit.record_event(
        AuditEvent.PROFILE_CHANGED,
        by=by,
        about=f"email of {user}",
        reason=f"{describe_change('Email', former, user.email)}\n{reason}",
    )
    memberships.check_memberships(user.memberships.all(), by=by)
    sign_ins.end_sign_ins(user)
    personal_tokens.revoke_tokens(user, by=by, reason="The email address of the account changed.")
    for to in dict.fromkeys((former, user.email)):
        queue_account_email("address_changed", user, to=to, former=former)


@contextmanager
def attribute_passwords(user: User, *, how: str = "") -> Iterator[None]:
    """Say who sets passwords while the context lasts, and how, for the audit log."""
    before = _setting.set((user, how))
    try:
        yield
    finally:
        _setting.reset(before)


@transaction.atomic
def record_new_password(user: User) -> None:
    """Record the new password of a user, and end their sign-ins and personal tokens.

    A user without a usable password has lost it.
    """
    actor, how = _setting.get()
    is_own = actor is not None and actor.pk == user.pk
    is_removed = not user.has_usable_password()
    by = access.caller_of(actor) if actor else None
    sign_ins.end_sign_ins(user)
    account = Account.objects.get(user=user)
    account.staff_password_at = None if is_own or is_removed else timezone.now()
    account.save(update_fields=["staff_password_at"])
    event = AuditEvent.PASSWORD_CHANGED if is_own else AuditEvent.PASSWORD_SET
    outcome = "The password was removed." if is_removed else "" if actor else "by a command"
    reason = "\n".join(filter(None, [audit.current_reason(), outcome]))
    about = f"user {user}{f', {how}' if how else ''}"
    audit.record_event(event, by=by, about=about, reason=reason)
    personal_tokens.revoke_tokens(user, by=by, reason="The password changed.")
    queue_account_email("password", user, is_own=is_own, is_removed=is_removed)


def queue_account_email(kind: str, user: User, *, to: str = "", key: str = "", **more: Any) -> None:
    """Queue the email to a user, or to another address, about a change of their account.

    key: what tells it from others of its kind between two ends of all sign-ins.
    """
    facts = {"name": person_name(user), "username": user.username, "email": user.email, **more}
    subject, text = outbox.render_email(kind, facts)
    generation = str(Account.objects.get(user=user).generation)
    to = to or user.email
    parts = [kind, str(user.pk), generation, to, *filter(None, [key])]
    email_key = outbox.make_email_key("account", *parts)
    outbox.queue_emails([EmailDraft("account", email_key, to, subject, text)])


def _notice() -> timedelta:
    return timedelta(days=min(WARNING_DAYS, settings.ACCOUNT_UNUSED_DAYS // 2))


def _without_last_administrator(users: QuerySet[User]) -> QuerySet[User]:
    """Leave out the last active administrator, if all administrators are among the users."""
    administrators = User.objects.filter(_ADMINISTRATOR, is_active=True).distinct()
    if administrators.exclude(pk__in=users.values("pk")).exists():
        return users
    last = administrators.order_by(F("last_login").desc(nulls_last=True), "pk").first()
    return users.exclude(pk=last.pk) if last else users


def _chunks(users: QuerySet[User]) -> Iterator[list[User]]:
    keys = list(users.order_by("pk").values_list("pk", flat=True))
    for start in range(0, len(keys), CHUNK):
        yield list(User.objects.filter(pk__in=keys[start : start + CHUNK]).order_by("pk"))


@transaction.atomic
def _warn(users: list[User], now: datetime) -> int:
    rows = [Account(user=user, warned_at=now) for user in users]
    Account.objects.bulk_create(
        rows, update_conflicts=True, unique_fields=["user"], update_fields=["warned_at"]
    )
    today, last = to_filing_zone(now).date(), to_filing_zone(now + _notice()).date()
    outbox.queue_emails(
        [_draft("account_warning", user, today, disabled_on=last) for user in users]
    )
    return len(users)


@transaction.atomic
def _disable(users: list[User]) -> int:
    """Disable the accounts that are still enabled."""
    keys = [user.pk for user in users]
    users_now = User.objects.select_for_update().filter(pk__in=keys, is_active=True)
    active = list(users_now.order_by("pk"))
    User.objects.filter(pk__in=[user.pk for user in active]).update(is_active=False)
    _store_disabled(active, "unused")
    invitations.withdraw_void_invitations(active, by=SERVICE)
    audit.record_entries(
        audit.make_entry(
            AuditEvent.ACCOUNT_DISABLED,
            by=SERVICE,
            about=f"user {user}",
            reason=f"not used for {settings.ACCOUNT_UNUSED_DAYS} days",
        )
        for user in active
    )
    today = to_filing_zone(timezone.now()).date()
    outbox.queue_emails([_draft("account_disabled", user, today) for user in active])
    log.info("%s unused accounts were disabled", len(active))
    return len(active)


def _store_disabled(users: list[User], reason: str) -> None:
    now = timezone.now()
    Account.objects.bulk_create(
        [Account(user=user, disabled_at=now, reason=reason) for user in users],
        update_conflicts=True,
        unique_fields=["user"],
        update_fields=["disabled_at", "reason"],
    )


def _draft(kind: str, user: User, day: date, *, disabled_on: date | None = None) -> EmailDraft:
    facts = {
        "name": person_name(user),
        "username": user.username,
        "days": settings.ACCOUNT_UNUSED_DAYS,
        "disabled_on": day_in_words(disabled_on) if disabled_on else "",
    }
    about = (kind, str(user.pk), day.isoformat())
    return outbox.draft_email("rights", about, user.email, facts, template=kind)
