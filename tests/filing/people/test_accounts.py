"""Accounts that nobody uses are disabled, after a warning; not the last administrator's."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.utils import timezone

from filing import tasks
from filing.jobs import loop
from filing.models import (
    Account,
    AuditEvent,
    Identity,
    Job,
    Mail,
    PersonalToken,
    TrailEntry,
)
from filing.people import accounts
from filing.people.accounts import UnusedAccountsReport
from tests.filing.mail_server import reach, serving

pytestmark = pytest.mark.django_db
NOW = timezone.now()
DAY = timedelta(days=1)


def ago(days: float) -> datetime:
    return NOW - days * DAY


@pytest.fixture
def ann() -> User:
    return unused("ann", 400)


def unused(name: str, days: float, *, role: str = "") -> User:
    """Return a user who was here last so many days ago."""
    user = User.objects.create_user(name, f"{name}@bank.example", date_joined=ago(900))
    User.objects.filter(pk=user.pk).update(last_login=ago(days))
    if role:
        user.groups.add(Group.objects.get(name=role))
    user.refresh_from_db()
    return user


def is_active(user: User) -> bool:
    user.refresh_from_db()
    return user.is_active


def warned(user: User, days: float = 20) -> User:
    Account.objects.create(user=user, warned_at=ago(days))
    return user


@pytest.mark.servers
def test_it_is_warned_first_and_disabled_two_weeks_later(ann: User) -> None:
    assert accounts.check_unused_accounts(now=NOW) == UnusedAccountsReport(warned=1)
    assert accounts.check_unused_accounts(now=NOW + 13 * DAY) == UnusedAccountsReport()
    assert is_active(ann)
    assert accounts.check_unused_accounts(now=NOW + 14 * DAY) == UnusedAccountsReport(disabled=1)
    assert not is_active(ann)
    entry = TrailEntry.objects.get(event=AuditEvent.ACCOUNT_DISABLED)
    assert (entry.about, entry.reason) == ("user ann", "not used for 365 days")
    first, second = Mail.objects.order_by("pk")
    assert "Sign in to keep your account" in first.subject
    assert "is disabled" in second.subject
    assert accounts.check_unused_accounts(now=NOW + 15 * DAY) == UnusedAccountsReport()
    assert accounts.describe_account_state(ann).endswith(": not used for a long time")


def test_a_worker_does_so_every_night_and_the_emails_are_sent(ann: User, settings: Any) -> None:
    settings.CONTACT_EMAIL = "help@service.example"
    warned(ann)
    with serving() as server:
        reach(settings, server.port)
        tasks.check_rights()
        for job in Job.objects.filter(stage="mail"):
            loop.run_job(job.pk)
    (mail,) = server.mails
    assert mail["To"] == "ann@bank.example"
    assert "ask the help desk to enable it: help@service.example." in mail.get_content()


def test_351_days_are_not_yet_too_long() -> None:
    ann = unused("ann", 350)
    assert accounts.check_unused_accounts(now=NOW) == UnusedAccountsReport()
    assert accounts.check_unused_accounts(now=NOW + 2 * DAY) == UnusedAccountsReport(warned=1)
    assert accounts.check_unused_accounts(now=NOW + 16 * DAY) == UnusedAccountsReport(disabled=1)
    assert not is_active(ann)


USES: list[Callable[[User], Any]] = [
    lambda user: User.objects.filter(pk=user.pk).update(last_login=ago(3)),
    lambda user: User.objects.filter(pk=user.pk).update(date_joined=ago(3)),
    lambda user: Identity.objects.create(
        user=user, issuer="i", subject="s", added_at=ago(800), signed_in_at=ago(3)
    ),
    lambda user: Identity.objects.create(
        user=user, issuer="i", subject="t", added_at=ago(800), used_at=ago(3)
    ),
    lambda user: PersonalToken.objects.create(
        user=user, name="t", sha256="a", made_at=ago(800), expires_at=ago(-9), last_used_at=ago(3)
    ),
    lambda user: Account.objects.filter(user=user).update(enabled_at=ago(3)),
]


def test_whatever_use_keeps_it() -> None:
    for number, use in enumerate(USES):
        use(warned(unused(f"user-{number}", 400)))
    assert accounts.check_unused_accounts(now=NOW) == UnusedAccountsReport()
    assert not User.objects.filter(is_active=False).exists()
    # A new time of no use is warned of again.
    assert accounts.check_unused_accounts(now=NOW + 360 * DAY).warned == len(USES)
    assert accounts.check_unused_accounts(now=NOW + 363 * DAY) == UnusedAccountsReport()


@pytest.mark.parametrize("role", ["administrator", ""])
def test_the_last_administrator_stays(role: str) -> None:
    first, last = (warned(unused(name, days)) for name, days in (("first", 700), ("last", 400)))
    for user in (first, last):
        User.objects.filter(pk=user.pk).update(is_superuser=not role)
        user.groups.set(Group.objects.filter(name=role))
    assert accounts.check_unused_accounts(now=NOW) == UnusedAccountsReport(disabled=1)
    assert [is_active(first), is_active(last)] == [False, True]
    assert accounts.check_unused_accounts(now=NOW + 100 * DAY) == UnusedAccountsReport()


def test_an_administrator_beside_one_who_is_here_is_disabled_as_others_are() -> None:
    unused("here", 1, role="administrator")
    away = warned(unused("away", 400, role="administrator"))
    assert accounts.check_unused_accounts(now=NOW) == UnusedAccountsReport(disabled=1)
    assert not is_active(away)


def test_the_days_are_a_setting(ann: User, settings: Any) -> None:
    warned(ann)
    settings.ACCOUNT_UNUSED_DAYS = 0
    assert accounts.check_unused_accounts(now=NOW) == UnusedAccountsReport()
    settings.ACCOUNT_UNUSED_DAYS = 500
    assert accounts.check_unused_accounts(now=NOW) == UnusedAccountsReport()
    settings.ACCOUNT_UNUSED_DAYS = 30
    assert accounts.check_unused_accounts(now=NOW) == UnusedAccountsReport(disabled=1)
