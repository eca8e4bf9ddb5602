"""What is announced is on every page and in a header of every answer of an API, in its time."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from email.message import Message
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.auth.models import User
from django.db import connections
from django.db.models import Model
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from filing.models import Announcement
from filing.pages import announcements
from tests.filing.people.members import one_of_each  # noqa: F401 -- a fixture

pytestmark = pytest.mark.django_db
API = "/v2/public/edits/V600"


def announce(text: str = "Closed on Sunday.", level: str = "info", **days: Any) -> Announcement:
    ago = {"begins": timezone.now() - timedelta(hours=1)}
    return Announcement.objects.create(text=text, level=level, **(ago | days))


def announcement(path: str = API) -> str | None:
    return Client().get(path).headers.get("Announcement")


@pytest.mark.parametrize("path", ["/help/", "/nowhere"])
def test_pages_tell_it_to_everybody(path: str) -> None:
    announce("Loan limits <changed> & corrected.", "warning")
    page = Client().get(path).content.decode()
    assert '<section aria-label="Announcements">' in page
    assert "<strong>Warning:</strong> Loan limits &lt;changed&gt; &amp; corrected." in page
    assert "site-announcement--warning" in page


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


@pytest.mark.servers
def test_pages_go_on_without_when_it_cannot_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    announcements.forget_announcements()

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


def test_an_end_before_the_beginning_is_refused_with_a_sentence(client: Client) -> None:
    client.force_login(User.objects.create_superuser("boss"))
    early = form(ends_0="2025-12-31", ends_1="23:59:59")
    page = client.post(reverse("admin:filing_announcement_add"), early).content.decode()
    assert "Enter an end later than the beginning." in page
    assert not Announcement.objects.exists()


EASTERN = "All times are Eastern Time (America/New_York)."


def of(model: type[Model], page: str, *keys: object) -> str:
    return reverse(f"admin:{model._meta.label_lower.replace('.', '_')}_{page}", args=keys)


def text_of(client: Client, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200, address
    return re.sub(r"<script.*?</script>", "", answer.content.decode(), flags=re.S)


def test_every_page_of_the_admin_names_the_zone_and_shows_no_other(
    admin_client: Client,
    one_of_each: dict[type[Model], Model],
) -> None:
    addresses = [reverse("admin:index"), reverse("admin:season"), reverse("admin:season_not_filed")]
    for model, thing in [*one_of_each.items()][::6]:
        if model in admin.site._registry:
            addresses += [of(model, "changelist"), of(model, "change", thing.pk)]
    assert len(addresses) > 10
    for address in addresses:
        page = text_of(admin_client, address)
        assert EASTERN in page, address
        assert not re.search(r"\bUTC\b", page), address
