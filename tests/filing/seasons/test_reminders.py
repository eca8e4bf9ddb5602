"""Reminders: who gets one, only once a week, and what staff see before and after."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.db import transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from filing.access import Caller
from filing.errors import BadInput, NotReady
from filing.jobs import loop, queue
from filing.models import (
    AuditEvent,
    DeadlineExtension,
    Filing,
    FilingPeriod,
    Identity,
    Institution,
    InstitutionEvent,
    Job,
    Mail,
    Membership,
    RemindedInstitution,
    Reminder,
    TrailEntry,
)
from filing.people import memberships
from filing.seasons import reminders
from filing.statuses import FilingStatus
from tests import make
from tests.filing.people.members import STAFF

pytestmark = pytest.mark.django_db
OLGA = Caller(id="1", username="olga", email="olga@agency.example")
WRITE = reverse("admin:filing_reminder_write")
WITH_PEOPLE, WITH_CONTACT, ALONE, TEST = (f"529900REMINDED{number:06d}" for number in range(4))
WHY = "Two weeks to the deadline."


def owe(period: FilingPeriod, lei: str, **facts: Any) -> Filing:
    make.institution(lei, year=period.year, name=f"Bank {lei[-1]}", quarterly_filer=False, **facts)
    return make.filing(lei, year=period.year)


def add_person(username: str, *leis: str, **facts: Any) -> User:
    user = make.change(make.user(username), **facts)
    for lei in leis:
        make.member(user, lei)
    return user


def sign_with_contact(institution_lei: str, contact: str, *, days_ago: int) -> None:
    """Sign an earlier year of an institution, with a contact on its transmittal sheet."""
    filing = make.filing(institution_lei, year=2023 - (days_ago > 400))
    submission = make.submission(filing, transmittal_sheet={"contact_email": contact})
    make.signed(submission, signed_at=timezone.now() - timedelta(days=days_ago))


@pytest.fixture
def season(open_period: FilingPeriod) -> FilingPeriod:
    """Institutions with two people, with the contact of a sheet alone, with no one, and a test."""
    for lei in (WITH_PEOPLE, WITH_CONTACT, ALONE):
        owe(open_period, lei)
    owe(open_period, TEST, is_test=True)
    add_person("ann", WITH_PEOPLE, TEST)
    add_person("bob", WITH_PEOPLE)
    add_person("gone", WITH_PEOPLE, is_active=False)
    sign_with_contact(WITH_CONTACT, "Former@old.example", days_ago=500)
    sign_with_contact(WITH_CONTACT, "Contact@sheet.example", days_ago=100)
    sign_with_contact(WITH_PEOPLE, "contact@people.example", days_ago=100)
    return open_period


@pytest.fixture
def send(season: FilingPeriod) -> Callable[..., Reminder]:
    def queue_and_run(**facts: Any) -> Reminder:
        reminder = reminders.queue_reminder(
            season, None, **{"text": "Please file.", "by": OLGA, "reason": WHY, **facts}
        )
        loop.run_job(reminder.job_id)
        reminder.refresh_from_db()
        return reminder

    return queue_and_run


def outcomes() -> dict[str, tuple[str, list[str]]]:
    rows = RemindedInstitution.objects.order_by("lei")
    return {row.lei: (row.outcome, row.addresses) for row in rows}


def test_people_get_it_else_the_contact_of_the_last_signed_sheet(season: FilingPeriod) -> None:
    plan = reminders.plan_reminder(season)
    assert {line.institution.lei: line.addresses for line in plan.lines} == {
        WITH_PEOPLE: ("ann@bank.example", "bob@bank.example"),
        WITH_CONTACT: ("contact@sheet.example",),
        ALONE: (),
    }
    assert [line.is_contact for line in plan.lines] == [False, True, True]
    assert plan.lines[2].left_out == "left out: no one to write to"


def test_who_lost_the_right_gets_none(season: FilingPeriod) -> None:
    membership = Membership.objects.get(user__username="bob")
    memberships.end_right(membership, by=OLGA, reason="Left the bank.")
    unverified = add_person("eve")
    Identity.objects.create(user=unverified, issuer="i", subject="s", email_verified=False)
    make.member(unverified, WITH_PEOPLE, source="domain")
    plan = reminders.plan_reminder(season)
    assert plan.lines[0].addresses == ("ann@bank.example",)


def test_who_lost_the_right_gets_none_as_the_contact_either(season: FilingPeriod) -> None:
    user = add_person("contact", WITH_CONTACT)
    User.objects.filter(pk=user.pk).update(email="Contact@sheet.example")
    membership = Membership.objects.get(user=user)
    memberships.end_right(membership, by=OLGA, reason="Left the bank.")
    assert reminders.plan_reminder(season).lines[1].left_out == "left out: no one to write to"


def test_who_can_only_read_gets_none(season: FilingPeriod) -> None:
    reads = {"is_preparer": False, "is_signer": False}
    Membership.objects.filter(user__username="bob").update(**reads)
    ann = Membership.objects.filter(user__username="ann", lei=WITH_PEOPLE)
    ann.update(**reads, administrator_since=timezone.now())
    assert reminders.plan_reminder(season).lines[0].addresses == ("ann@bank.example",)
    ann.update(administrator_since=None)
    line = reminders.plan_reminder(season).lines[0]
    assert (line.addresses, line.is_contact) == (("contact@people.example",), True)


def test_who_can_no_longer_file_for_the_period_gets_none(season: FilingPeriod) -> None:
    make.change(season, timely_until=date(2021, 3, 1), closes=date(2022, 3, 1))
    event = InstitutionEvent.objects.create(
        lei=WITH_PEOPLE, kind="extension", effective_on=date(2021, 3, 1), reason=WHY
    )
    DeadlineExtension.objects.create(
        event=event,
        lei=WITH_PEOPLE,
        year=2024,
        timely_until=date(2040, 1, 1),
        closes=date(2040, 1, 1),
        why="A storm",
    )
    plan = reminders.plan_reminder(season)
    assert [line.institution.lei for line in plan.included] == [WITH_PEOPLE]
    assert plan.lines[1].left_out == "left out: the filing period is closed"
    assert "accepted until" not in reminders.write_default_text(season)
    DeadlineExtension.objects.get().delete()
    with pytest.raises(NotReady):
        reminders.queue_reminder(season, None, text="File.", by=OLGA, reason=WHY)


def test_each_address_gets_one_email_and_the_log_says_so(send: Callable[..., Reminder]) -> None:
    reminder = send(text="Please file.\n\nToday.")
    assert reminder.emails == 3
    assert outcomes() == {
        WITH_PEOPLE: ("sent", ["ann@bank.example", "bob@bank.example"]),
        WITH_CONTACT: ("sent", ["contact@sheet.example"]),
    }
    emails = Mail.objects.filter(kind="reminder")
    for email in emails:
        loop.run_job(email.job_id)
    assert sorted(message.to[0] for message in mail.outbox) == [
        *("ann@bank.example", "bob@bank.example", "contact@sheet.example")
    ]
    assert "Please file.\n\nToday.\n" in mail.outbox[0].body
    entries = TrailEntry.objects.filter(event=AuditEvent.REMINDER_SENT)
    assert {(entry.lei, entry.actor_username, entry.reason) for entry in entries} == {
        (WITH_PEOPLE, "olga", WHY),
        (WITH_CONTACT, "olga", WHY),
    }


def test_a_person_of_two_institutions_gets_one_email(
    season: FilingPeriod, send: Callable[..., Reminder]
) -> None:
    make.member(User.objects.get(username="ann"), ALONE)
    send()
    email = Mail.objects.get(to="ann@bank.example")
    assert WITH_PEOPLE in email.text
    assert ALONE in email.text


def test_a_job_that_runs_again_writes_no_second_email(send: Callable[..., Reminder]) -> None:
    """As after a worker that was killed between its last email and the end of its job."""
    reminder = send()
    Mail.objects.filter(kind="reminder", to="bob@bank.example").delete()
    with transaction.atomic():
        assert queue.requeue_job(Job.objects.get(pk=reminder.job_id))
    loop.run_job(reminder.job_id)
    emails = Mail.objects.filter(kind="reminder").values_list("to", flat=True)
    assert sorted(emails) == ["ann@bank.example", "bob@bank.example", "contact@sheet.example"]


def test_no_one_is_reminded_twice_in_a_week(
    season: FilingPeriod, send: Callable[..., Reminder]
) -> None:
    send()
    plan = reminders.plan_reminder(season)
    assert not plan.included
    assert plan.lines[0].left_out.startswith("left out: reminded on ")
    with pytest.raises(NotReady):
        send()
    assert Reminder.objects.count() == 1
    week = timezone.now() - reminders.PAUSE
    RemindedInstitution.objects.filter(lei=WITH_CONTACT).update(at=week)
    assert [line.institution.lei for line in reminders.plan_reminder(season).included] == [
        WITH_CONTACT
    ]
    send()
    assert Mail.objects.filter(kind="reminder").count() == 4


def test_another_period_has_a_week_of_its_own(
    season: FilingPeriod, send: Callable[..., Reminder]
) -> None:
    send()
    Institution.objects.filter(lei=WITH_PEOPLE).update(quarterly_filer=True)
    quarter = make.filing(WITH_PEOPLE, quarter="Q1").period
    assert len(reminders.plan_reminder(quarter).included) == 1


def test_who_files_meanwhile_is_left_out(season: FilingPeriod) -> None:
    reminder = reminders.queue_reminder(season, None, text="File.", by=OLGA, reason=WHY)
    Filing.objects.filter(institution__lei=WITH_PEOPLE).update(
        status=FilingStatus.COMPLETED, completed_at=timezone.now()
    )
    User.objects.filter(username="ann").update(is_active=False)
    loop.run_job(reminder.job_id)
    assert outcomes() == {
        WITH_PEOPLE: ("filed", []),
        WITH_CONTACT: ("sent", ["contact@sheet.example"]),
    }


def test_what_is_missing_or_too_long_is_refused(send: Callable[..., Reminder]) -> None:
    for facts in [{"text": " "}, {"text": "x" * 4001}, {"text": "a\0"}, {"reason": " "}]:
        with pytest.raises(BadInput):
            send(**facts)
        assert not Reminder.objects.exists()


def test_staff_choose_preview_and_send(season: FilingPeriod, operator: Client) -> None:
    page = operator.get(reverse("admin:season_not_filed"), {"period": "2024"}).content.decode()
    filing = Filing.objects.get(institution__lei=WITH_PEOPLE, period=season)
    assert f'name="filing" value="{filing.pk}"' in page
    chosen = {"period": "2024", "filing": filing.pk}
    form = operator.get(WRITE, chosen).content.decode()
    assert "ann@bank.example" in form
    assert WITH_CONTACT not in form
    preview = operator.post(WRITE, {**chosen, "text": "Please."})
    assert "2 emails" in preview.content.decode()
    assert not Reminder.objects.exists()
    confirmed = {**chosen, "text": "Please.", "confirm": "1", "digest": preview.context["digest"]}
    again = operator.post(WRITE, {**confirmed, "reason": ""})
    assert again.context["why"].errors
    sent = operator.post(WRITE, {**confirmed, "reason": WHY})
    reminder = Reminder.objects.get()
    assert sent.headers["Location"] == reverse("admin:filing_reminder_change", args=[reminder.pk])
    assert RemindedInstitution.objects.get().lei == WITH_PEOPLE
    twice = operator.post(WRITE, {**confirmed, "reason": WHY})
    assert "left out: reminded on" in twice.content.decode()
    assert Reminder.objects.count() == 1
    for table in ("reminder", "remindedinstitution"):
        answer = operator.get(reverse(f"admin:filing_{table}_changelist"))
        assert answer.status_code == 200


@pytest.mark.parametrize("role", STAFF)
def test_the_help_desk_reads_reminders_and_writes_none(role: str, season: FilingPeriod) -> None:
    client = make.browser(make.staff(role))
    expected = 403 if role == "help desk" else 200
    assert client.get(WRITE, {"period": "2024", "all": 1}).status_code == expected
    assert client.post(WRITE, {"period": "2024", "all": 1}).status_code == expected
    page = client.get(reverse("admin:season_not_filed")).content.decode()
    assert ('name="filing"' in page) == (role != "help desk")
    assert client.get(reverse("admin:filing_reminder_changelist")).status_code == 200


@pytest.mark.parametrize("query", [{"period": "1999"}, {"period": "x"}])
def test_an_unknown_period_is_not_found(
    admin_client: Client, season: FilingPeriod, query: dict[str, str]
) -> None:
    assert admin_client.get(WRITE, query).status_code == 404
