"""Lists on a schedule: made once a day, sent as a link to those who may see them, and removed."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import openpyxl
import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.core.files.storage import default_storage
from django.db import transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from config.running import clearing
from filing import registries
from filing.access import Caller
from filing.jobs import loop, queue
from filing.lists import schedules
from filing.models import (
    AuditEvent,
    Filing,
    FilingPeriod,
    Institution,
    Job,
    ListSchedule,
    Mail,
    ProducedList,
    Signature,
    Submission,
    TrailEntry,
)
from filing.statuses import FilingStatus, Status
from filing.tasks import queue_lists
from tests.filing.people.members import STAFF, member, signed_in

pytestmark = pytest.mark.django_db
OLGA = Caller(id="1", username="olga", email="olga@agency.example")
FILED, OWING, TEST = (f"529900LISTED00{number:06d}" for number in range(3))


@pytest.fixture
def season(open_period: FilingPeriod) -> FilingPeriod:
    """An institution that has filed, one that has not, and a test institution."""
    for lei in (FILED, OWING, TEST):
        institution = Institution.objects.create(
            activity_year=2024,
            lei=lei,
            name=f"=Bank {lei[-1]}",
            agency=9,
            email_domains=["a.example", "b.example"],
            is_test=lei == TEST,
        )
        filing = Filing.objects.create(institution=institution, period=open_period)
        if lei != OWING:
            submission = Submission.objects.create(
                filing=filing, sequence_number=1, status=Status.SIGNED, lines=61
            )
            Signature.objects.create(
                submission=submission, receipt=f"{lei}-r", signed_at=timezone.now()
            )
            Filing.objects.filter(pk=filing.pk).update(
                status=FilingStatus.COMPLETED, completed_at=timezone.now()
            )
    return open_period


@pytest.fixture
def olga() -> User:
    return member("operator", email="olga@agency.example")


@pytest.fixture
def make(season: FilingPeriod) -> Callable[..., ProducedList]:
    def add_and_run(kind: str = "panel", *readers: User, **facts: Any) -> ProducedList:
        schedule = ListSchedule.objects.create(kind=kind, hour=0, **facts)
        schedule.recipients.set(readers)
        queue_lists()
        produced = ProducedList.objects.get(schedule=schedule)
        loop.run_job(produced.job_id)
        produced.refresh_from_db()
        return produced

    return add_and_run


def status_of(client: Client, address: str) -> int:
    answer = client.get(address)
    b"".join(answer.streaming_content)  # to its end, which closes the file
    return int(answer.status_code)


def content(produced: ProducedList) -> bytes:
    with default_storage.open(produced.stored_as) as file:
        return bytes(file.read())


def rows_of(produced: ProducedList) -> list[dict[str, Any]]:
    text = content(produced).decode("utf-8-sig")
    if produced.schedule.form == "json":
        return list(json.loads(text))
    return list(csv.DictReader(io.StringIO(text)))


@pytest.mark.servers
def test_each_list_has_its_rows_without_test_institutions(
    make: Callable[..., ProducedList],
) -> None:
    rows = {kind: rows_of(make(kind, form="json")) for kind in registries.STAFF_LISTS}
    assert [row["lei"] for row in rows["panel"]] == [FILED, OWING]
    assert [row["lei"] for row in rows["filers"]] == [FILED]
    assert rows["filers"][0]["records"] == 60
    assert [row["lei"] for row in rows["not-filed"]] == [OWING]
    figures = {row["figure"]: row["number"] for row in rows["season"]}
    assert (figures["filings expected"], figures["filings signed"]) == (2, 1)
    assert figures["submissions signed"] == 1


@pytest.mark.parametrize("kind", list(registries.STAFF_LISTS))
def test_without_a_season_a_list_has_a_header_alone(db: None, kind: str) -> None:
    schedule = ListSchedule.objects.create(kind=kind, hour=0, form="csv")
    queue_lists()
    produced = ProducedList.objects.get(schedule=schedule)
    loop.run_job(produced.job_id)
    produced.refresh_from_db()
    assert produced.rows == 0
    assert content(produced).count(b"\n") == 1


def test_the_forms_have_the_same_rows_and_no_formulas(make: Callable[..., ProducedList]) -> None:
    of_csv, of_json = rows_of(make("panel", form="csv")), rows_of(make("panel", form="json"))
    workbook = openpyxl.load_workbook(io.BytesIO(content(make("panel", form="xlsx"))))
    cells = list(workbook.active.values)
    assert [row["lei"] for row in of_csv] == [row["lei"] for row in of_json] == [FILED, OWING]
    assert cells[1][cells[0].index("lei")] == FILED
    assert of_csv[0]["email_domains"] == "a.example;b.example"
    assert of_json[0]["name"] == "=Bank 0"
    assert of_csv[0]["name"] == "'=Bank 0"
    assert cells[1][cells[0].index("name")] == "'=Bank 0"


def test_it_is_made_once_a_day_from_its_hour(
    season: FilingPeriod, monkeypatch: pytest.MonkeyPatch
) -> None:
    schedule = ListSchedule.objects.create(kind="panel", hour=6)
    ListSchedule.objects.create(kind="filers", hour=6, is_on=False)
    begin = datetime(2026, 1, 5, 10, 59, tzinfo=UTC)  # 05:59 in Washington
    for minutes, number in ((0, 0), (1, 1), (60, 1), (20 * 60, 1), (24 * 60 + 1, 2)):
        now = begin + timedelta(minutes=minutes)
        monkeypatch.setattr(timezone, "now", lambda now=now: now)
        queue_lists()
        queue_lists()
        assert ProducedList.objects.count() == number
    days = ProducedList.objects.filter(schedule=schedule).order_by("day")
    assert [f"{each.file_name}" for each in days] == [
        "panel-2026-01-05.csv",
        "panel-2026-01-06.csv",
    ]


def test_readers_get_a_link_and_never_the_file(
    make: Callable[..., ProducedList], olga: User
) -> None:
    gone = member("help desk", email="gone@agency.example", is_active=False)
    rightless = User.objects.create(username="new", is_staff=True, email="new@agency.example")
    produced = make("panel", olga, gone, rightless)
    for email in Mail.objects.filter(kind="list"):
        loop.run_job(email.job_id)
    (message,) = mail.outbox
    assert message.to == ["olga@agency.example"]
    assert not message.attachments
    address = reverse("admin:filing_producedlist_file", args=[produced.pk])
    assert address in message.body
    assert FILED not in message.body
    answer = signed_in(olga).get(address)
    assert b"".join(answer.streaming_content) == content(produced)
    assert "panel-" in answer.headers["Content-Disposition"]
    entry = TrailEntry.objects.get(event=AuditEvent.LIST_DOWNLOADED)
    assert entry.actor_username == "operator"


def test_a_job_that_runs_again_sends_no_second_email(
    make: Callable[..., ProducedList], olga: User
) -> None:
    produced = make("panel", olga)
    with transaction.atomic():
        queue.requeue_job(Job.objects.get(pk=produced.job_id))
    loop.run_job(produced.job_id)
    assert Mail.objects.filter(kind="list").count() == 1
    assert len(rows_of(produced)) == 2


def test_the_file_needs_a_sign_in_and_the_right(make: Callable[..., ProducedList]) -> None:
    produced = make("panel")
    address = reverse("admin:filing_producedlist_file", args=[produced.pk])
    assert Client().get(address).status_code == 302
    rightless = User.objects.create(username="new", is_staff=True)
    assert signed_in(rightless).get(address).status_code == 403
    for role in STAFF:
        assert status_of(signed_in(member(role)), address) == 200
    assert signed_in(User.objects.get(username="operator")).post(address).status_code == 405


def test_files_are_removed_and_their_address_ends(
    make: Callable[..., ProducedList], admin_client: Client, settings: Any
) -> None:
    produced = make("panel")
    address = reverse("admin:filing_producedlist_file", args=[produced.pk])
    almost = timezone.now() - timedelta(days=settings.LIST_DAYS) + timedelta(minutes=1)
    ProducedList.objects.update(done_at=almost)
    list(clearing.clear_expired())
    assert status_of(admin_client, address) == 200
    ProducedList.objects.update(done_at=almost - timedelta(minutes=2))
    assert clearing.KINDS["files of lists on a schedule"]() == 1
    assert admin_client.get(address).status_code == 410
    assert not default_storage.exists(produced.stored_as)
    assert ProducedList.objects.get().removed_at


@pytest.mark.servers
def test_staff_add_one_and_run_it_now(season: FilingPeriod, olga: User) -> None:
    client = signed_in(olga)
    form = {"kind": "filers", "form": "csv", "hour": 23, "recipients": [olga.pk], "is_on": "on"}
    add = reverse("admin:filing_listschedule_add")
    rightless = User.objects.create(username="new", is_staff=True)
    refused = client.post(add, {**form, "recipients": [rightless.pk], "reason": "Daily."})
    assert refused.context["adminform"].form.errors.keys() == {"recipients"}
    assert client.post(add, {**form, "reason": "Daily."}).status_code == 302
    schedule = ListSchedule.objects.get()
    run = reverse("admin:filing_listschedule_run_now")
    chosen = client.get(run, {"pk": schedule.pk}).context["chosen"]
    page = client.post(run, {"chosen": chosen, "reason": "The board asks."})
    assert page.status_code == 200
    again = schedules.run_now(schedule, by=OLGA, reason="Once more.")
    assert again
    runs = list(ProducedList.objects.order_by("run"))
    assert [each.run for each in runs] == [1, 2]
    for each in runs:
        loop.run_job(each.job_id)
    assert Mail.objects.filter(kind="list").count() == 2
    assert TrailEntry.objects.filter(event=AuditEvent.LIST_REQUESTED).count() == 2
    lists = client.get(reverse("admin:filing_listschedule_changelist")).content.decode()
    assert "1 rows" in lists or "1 row" in lists
    assert client.get(reverse("admin:filing_producedlist_changelist")).status_code == 200
