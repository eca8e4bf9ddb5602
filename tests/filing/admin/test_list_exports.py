"""A long list is exported by a job: the same rows, for the user who asked, for some days."""

from __future__ import annotations

import csv
import io
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.storage import default_storage
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from openpyxl import load_workbook

from filing import exports
from filing.admin import export
from filing.errors import Busy, Forbidden, NotFound
from filing.jobs import loop
from filing.models import (
    AuditEvent,
    Filing,
    FilingPeriod,
    Job,
    ListExport,
    Submission,
    TrailEntry,
)
from filing.statuses import Status
from tests import make

pytestmark = pytest.mark.django_db
LIST = reverse("admin:filing_submission_changelist")
WHY = {"reason": "For the weekly meeting."}


@pytest.fixture(autouse=True)
def long_list(open_period: FilingPeriod, monkeypatch: pytest.MonkeyPatch) -> None:
    """More submissions than are exported at once, every third one failed."""
    monkeypatch.setattr(export, "MAX_DIRECT_ROWS", 10)
    monkeypatch.setattr(export, "CHUNK", 7)
    filings = Filing.objects.bulk_create(
        Filing(institution=institution, period=open_period)
        for institution in make.panel(30, name="=Bank")
    )
    Submission.objects.bulk_create(
        Submission(
            filing=filing,
            sequence_number=1,
            status=Status.CREATED if number % 3 else Status.FAILED,
            lines=number,
        )
        for number, filing in enumerate(filings)
    )


@pytest.fixture
def desk() -> User:
    return make.staff("help desk")


def request_csv(client: Any, query: str = "", form: str = "csv") -> ListExport:
    """Follow the link of the list, give a reason, and return the export."""
    page = client.get(f"{LIST}export.{form}{query}", follow=True)
    assert (page.status_code, page.request["PATH_INFO"]) == (200, f"{LIST}export/{form}/")
    answer = client.post(f"{LIST}export/{form}/{query}", WHY)
    made = ListExport.objects.latest("pk")
    assert (answer.status_code, answer.url) == (302, page_of(made))
    return made


def page_of(made: ListExport) -> str:
    return reverse("admin:filing_listexport_change", args=[made.pk])


def file_of(made: ListExport) -> str:
    return reverse("admin:filing_listexport_download", args=[made.pk])


def read(answer: Any) -> bytes:
    assert answer.status_code == 200
    return b"".join(answer.streaming_content)


@pytest.mark.parametrize("form", ["csv", "xlsx"])
def test_a_long_list_comes_from_a_worker_with_its_filters(desk: User, form: str) -> None:
    client: Any = make.browser(desk)
    made = request_csv(client, "?sequence_number=1&o=-2", form)
    assert b"Progress" in client.get(page_of(made)).content
    assert client.get(file_of(made)).url == page_of(made)  # there is no file yet
    loop.run_job(made.job_id)
    made.refresh_from_db()
    assert (made.job.state, made.job.rows_done, made.job.rows_total) == ("done", 30, 30)
    answer = client.get(file_of(made))
    assert f'.{form}"' in answer["Content-Disposition"]
    content = read(answer)
    assert len(content) == made.size
    if form == "csv":
        rows = list(csv.reader(io.StringIO(content.decode("utf-8-sig"))))
    else:
        sheet = load_workbook(io.BytesIO(content), read_only=True)["list"]
        rows = [[*row] for row in sheet.iter_rows(values_only=True)]
    leis = [f"529900TESTBANK{number:06d}" for number in reversed(range(30))]
    assert [row[:2] for row in rows[1:]] == [[lei, f"'=Bank {int(lei[-6:])}"] for lei in leis]


def test_the_audit_log_has_the_request_and_each_download(desk: User) -> None:
    client: Any = make.browser(desk)
    made = request_csv(client, "?status__in=1,-1")
    loop.run_job(made.job_id)
    read(client.get(file_of(made)))
    requested, downloaded = TrailEntry.objects.filter(
        event__in=[AuditEvent.LIST_EXPORTED, AuditEvent.EXPORT_DOWNLOADED]
    ).order_by("pk")
    assert (requested.actor_username, requested.reason) == (desk.username, WHY["reason"])
    assert requested.about == f"{made}, submissions?status__in=1%2C-1"
    assert (downloaded.event, downloaded.actor_username) == ("export downloaded", desk.username)


def test_malformed_filters_lead_back_to_the_list(desk: User) -> None:
    answer: Any = make.browser(desk).post(f"{LIST}export/csv/?created_at__year=x", WHY)
    assert answer.url == f"{LIST}?e=1"


def test_only_its_user_and_administrators_get_the_file(desk: User) -> None:
    made = request_csv(make.browser(desk))
    loop.run_job(made.job_id)
    other, chief = make.browser(make.staff("operator")), make.browser(make.staff("administrator"))
    assert other.get(page_of(made)).status_code == 200
    assert other.get(file_of(made)).status_code == 403
    assert read(chief.get(file_of(made)))
    listed = reverse("admin:filing_listexport_changelist")
    assert other.get(listed, {"whose": "mine"}).context["cl"].result_count == 0
    assert other.get(listed).context["cl"].result_count == 1
    assert Client().get(file_of(made)).status_code == 302
    assert other.post(file_of(made)).status_code == 405


def test_a_right_that_ended_meanwhile_gives_nothing(desk: User) -> None:
    client: Any = make.browser(desk)
    made, later = request_csv(client), request_csv(client)
    loop.run_job(made.job_id)
    desk.groups.clear()
    loop.run_job(later.job_id)
    later.refresh_from_db()
    assert (later.job.state, later.stored_as) == (Job.State.FAILED, "")
    assert client.get(file_of(made)).status_code == 403


def test_an_export_is_refused_to_those_who_may_not_read_the_list(desk: User) -> None:
    with pytest.raises(Forbidden):
        exports.request_export("filing.submission", user=User.objects.create(username="ann"))
    with pytest.raises(NotFound):
        exports.request_export("filing.user", user=desk)


def test_a_user_has_few_unfinished_exports(desk: User) -> None:
    for _ in range(exports.MAX_UNFINISHED):
        exports.request_export("filing.filing", user=desk)
    with pytest.raises(Busy):
        exports.request_export("filing.filing", user=desk)
    answer = make.browser(desk).post(f"{LIST}export/csv/", WHY, follow=True)
    assert [str(message) for message in answer.context["messages"]]
    assert ListExport.objects.count() == exports.MAX_UNFINISHED


def test_an_export_with_malformed_filters_fails(desk: User) -> None:
    made = exports.request_export("filing.filing", user=desk, query="status__exact=x&bad=1")
    loop.run_job(made.job_id)
    made.refresh_from_db()
    assert made.job.state == Job.State.FAILED
    assert b"Export the list again" in make.browser(desk).get(page_of(made)).content


def test_files_are_removed_after_some_days(desk: User) -> None:
    client: Any = make.browser(desk)
    made, newer = request_csv(client), request_csv(client)
    for each in (made, newer):
        loop.run_job(each.job_id)
        each.refresh_from_db()
    old = timezone.now() - exports.RETENTION - timedelta(hours=1)
    Job.objects.filter(pk=made.job_id).update(finished_at=old)
    assert exports.clear_old_exports() == 1
    assert list(ListExport.objects.all()) == [newer]
    assert not default_storage.exists(made.stored_as)
    assert default_storage.exists(newer.stored_as)
    default_storage.delete(newer.stored_as)
    assert client.get(file_of(newer)).url == page_of(newer)


@pytest.mark.servers
def test_institutions_are_exported_by_a_job_too(desk: User) -> None:
    client: Any = make.browser(desk)
    page = reverse("admin:filing_institution_export")
    assert not client.post(page, {"format": "csv"}).context["form"].is_valid()  # without a reason
    client.post(f"{page}?q=Bank", {"format": "xlsx", **WHY})
    made = ListExport.objects.get()
    loop.run_job(made.job_id)
    made.refresh_from_db()
    assert (made.job.state, made.job.rows_done) == ("done", 30), made.job.last_error
    content = io.BytesIO(read(client.get(file_of(made))))
    sheet = load_workbook(content, read_only=True)["list"]
    header, first, *_ = sheet.iter_rows(values_only=True)
    row = dict(zip(header, first, strict=True))
    assert (row["activity_year"], str(row["name"])[:6]) == (2024, "'=Bank")
