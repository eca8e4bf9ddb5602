"""A download is recorded if it was handed over, and only then."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import OperationalError
from django.http import HttpResponse
from django.test import Client, RequestFactory

from filing import audit
from filing.models import AuditEvent, FilingPeriod, Institution, Submission, TrailEntry
from tests.conftest import LEI
from tests.filing.pages.steps import FILING, begin, member, signed_in, upload
from tests.filing.submissions.uploading import register

pytestmark = pytest.mark.django_db
OWN = f"{FILING}1/file/"


@pytest.fixture
def browser(institution: Institution, open_period: FilingPeriod) -> Client:
    """The browser of a filer who has uploaded a file."""
    browser = signed_in(member("ann", LEI))
    upload(browser, begin(browser), register())
    return browser


@pytest.fixture
def one_stream(settings: Any) -> Iterator[list[HttpResponse]]:
    """Callers may have one download open. Closes those that the test keeps open."""
    settings.STREAMS_PER_CALLER = 1
    answers: list[HttpResponse] = []
    yield answers
    for answer in answers:
        b"".join(answer)


def downloads() -> int:
    return TrailEntry.objects.filter(event=AuditEvent.FILE_DOWNLOADED).count()


@pytest.mark.parametrize("is_staff", [False, True])
def test_a_download_that_the_limit_refuses_is_not_recorded(browser, desk, one_stream, is_staff):
    def download() -> Any:
        if not is_staff:
            return browser.get(OWN)
        file = f"/admin/filing/submission/{Submission.objects.get().pk}/file/"
        return desk.post(file, {"reason": "Ann asks about line 17."})

    one_stream.append(download())
    assert (one_stream[-1].status_code, downloads()) == (200, 1)
    assert (download().status_code, downloads()) == (429, 1)
    b"".join(one_stream.pop())
    answer = download()
    assert (answer.status_code, b"".join(answer), downloads()) == (200, register(), 2)


def test_a_filers_download_is_recorded_without_a_question(browser):
    assert b"".join(browser.get(OWN)) == register()
    entry = TrailEntry.objects.get(event=AuditEvent.FILE_DOWNLOADED)
    assert (entry.actor_username, entry.lei, entry.about) == ("ann", LEI, f"{LEI}-2024-1")
    assert (entry.reason, bool(entry.request_id)) == ("Downloaded by the institution.", True)


def test_an_answer_that_cannot_be_recorded_is_closed_and_not_sent(browser, monkeypatch):
    def no_database(*args: Any, **options: Any) -> None:
        raise OperationalError("the disk is full")

    monkeypatch.setattr(TrailEntry, "save", no_database)
    browser.raise_request_exception = False
    assert browser.get(OWN).status_code >= 500
    assert downloads() == 0


@pytest.mark.parametrize(
    ("method", "status", "number"),
    [("GET", 200, 1), ("GET", 302, 1), ("GET", 404, 0), ("HEAD", 200, 0)],
)
def test_only_what_is_given_out_is_recorded(method, status, number):
    entry = audit.make_entry(AuditEvent.FILE_DOWNLOADED, by=None)
    answer = audit.attach_entry(HttpResponse(status=status), entry)
    audit.record_delivery(RequestFactory().generic(method, "/"), answer)
    assert downloads() == number
