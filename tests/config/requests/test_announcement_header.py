"""What is announced is on every page and in a header of every answer of an API, in its time."""

from __future__ import annotations

from datetime import datetime, timedelta
from email.message import Message
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection, connections
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from filing.models import Announcement
from filing.pages import announcements

pytestmark = pytest.mark.django_db
API = "/v2/public/edits/V600"


def announce(text: str = "Closed on Sunday.", level: str = "info", **days: Any) -> Announcement:
    ago = {"begins": timezone.now() - timedelta(hours=1)}
    return Announcement.objects.create(text=text, level=level, **(ago | days))


def announcement(path: str = API) -> str | None:
    return Client().get(path).headers.get("Announcement")


@pytest.mark.parametrize("path", ["/", "/help/", "/sign-up/", "/nowhere"])
def test_pages_tell_it_to_everybody(path: str) -> None:
    announce("Loan limits <changed> & corrected.", "warning")
    page = Client().get(path).content.decode()
    assert '<section aria-label="Announcements">' in page
    assert "<strong>Warning:</strong> Loan limits &lt;changed&gt; &amp; corrected." in page
    assert "site-announcement--warning" in page


def test_the_admin_tells_it_as_well(admin_client: Client) -> None:
    announce()
    assert b"<strong>News:</strong> Closed on Sunday." in admin_client.get("/admin/").content


@pytest.mark.parametrize(
    ("path", "status"),
    [
        (API, 200),
        ("/v2/public/nowhere", 404),
        ("/v2/filing/", 200),
        ("/v2/filing/institutions/529900TESTBANK000042/year/2024", 401),
        ("/hmda-auth/users/", 401),
    ],
)
def test_every_answer_of_an_api_tells_it(path: str, status: int) -> None:
    announce()
    answer = Client().get(path)
    assert answer.status_code == status
    assert answer["Announcement"] == 'info; text="Closed on Sunday."'


def test_pages_have_no_header_and_answers_without_news_neither() -> None:
    assert announcement() is None
    announce()
    assert announcement("/") is None


def test_the_most_urgent_comes_first_then_the_newest() -> None:
    now = timezone.now()
    announce("one")
    announce("two", "warning", begins=now - timedelta(days=2))
    announce("three", "warning", begins=now - timedelta(days=1))
    announce("four", "maintenance")
    levels = ["maintenance", "warning", "warning", "info"]
    texts = ["four", "three", "two", "one"]
    assert announcement() == ", ".join(
        f'{level}; text="{text}"' for level, text in zip(levels, texts, strict=True)
    )


@pytest.mark.parametrize(
    "text", ['He said "no" \\ yes.', "Fermé dimanche, naïve, 100 %", "two\r\nlines; X: 1", "日本"]
)
def test_any_text_fits_into_the_header_and_is_read_by_the_usual_rules(text: str) -> None:
    announce(text)
    header = announcement()
    assert header is not None
    assert header.isascii()
    message = Message()
    message["Announcement"] = header
    read = message.get_param("text", header="announcement")
    if isinstance(read, tuple):
        read = bytes(read[2], "latin-1").decode("utf-8")
    assert read == " ".join(text.split())


def test_a_header_that_would_be_too_long_leaves_out_what_is_less_urgent() -> None:
    for _ in range(9):
        announce("é" * 300)
    announce("é" * 300, "maintenance")
    header = announcement()
    assert header is not None
    assert header.startswith("maintenance; text*=UTF-8''%C3%A9")
    assert len(header) <= announcements.LONGEST_HEADER


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A clock that stands still until it is set."""

    def set_to(moment: datetime) -> None:
        monkeypatch.setattr(timezone, "now", lambda: moment)

    return set_to


def test_it_begins_and_ends_on_time_without_being_read_anew(clock: Any) -> None:
    begins = timezone.now() + timedelta(hours=1)
    announce(begins=begins, ends=begins + timedelta(hours=1))
    assert announcement() is None
    for minutes, is_announced in ((-0.01, False), (0, True), (59.9, True), (60, False)):
        clock(begins + timedelta(minutes=minutes))
        assert (announcement() is not None) is is_announced, minutes


def test_it_costs_no_query_for_some_seconds() -> None:
    announce()
    announcement()
    with CaptureQueriesContext(connection) as queries:
        assert announcement()
        assert b"Closed on Sunday." in Client().get("/").content
    assert not queries.captured_queries


def test_what_this_process_changes_it_knows_at_once() -> None:
    made = announce()
    assert announcement()
    made.text = "Open on Sunday."
    made.save()
    assert announcement() == 'info; text="Open on Sunday."'
    made.delete()
    assert announcement() is None


def test_what_another_process_changes_is_known_after_some_seconds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert announcement() is None
    Announcement.objects.bulk_create([Announcement(text="Closed.", begins=timezone.now())])
    assert announcement() is None  # no signal came: it is still kept
    monkeypatch.setattr(announcements._cache, "_until", 0)
    assert announcement() == 'info; text="Closed."'
    assert announcements.CACHE_SECONDS < 5


def test_pages_go_on_without_when_it_cannot_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    announcements.forget()

    def broken(execute: Any, *arguments: Any) -> Any:
        from django.db import OperationalError

        raise OperationalError("away")

    with connections["default"].execute_wrapper(broken):
        assert Client().get("/help/").status_code == 200
        assert Client().get("/v2/filing/").status_code == 200


def form(**changes: str) -> dict[str, str]:
    return {
        "level": "info",
        "text": "Closed.",
        "begins_0": "2026-01-01",
        "begins_1": "00:00:00",
        "ends_0": "",
        "ends_1": "",
        "reason": "A holiday.",
        **changes,
    }


def test_an_operator_announces_on_a_page(client: Client) -> None:
    from tests.filing.people.members import member

    client.force_login(member("operator"))
    answer = client.post(reverse("admin:filing_announcement_add"), form(text="Closed\r\n today."))
    assert answer.status_code == 302
    assert Announcement.objects.get().text == "Closed today."
    assert announcement() == 'info; text="Closed today."'


def test_an_end_before_the_beginning_is_refused_with_a_sentence(client: Client) -> None:
    client.force_login(User.objects.create_superuser("boss"))
    early = form(ends_0="2025-12-31", ends_1="23:59:59")
    page = client.post(reverse("admin:filing_announcement_add"), early).content.decode()
    assert "Enter an end later than the beginning." in page
    assert not Announcement.objects.exists()
