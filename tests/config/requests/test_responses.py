"""What is announced is on every page and in a header of every answer of an API, in its time."""

from __future__ import annotations

import csv
import re
from datetime import UTC, datetime, timedelta
from email.message import Message
from typing import Any

import pytest
from auditlog.models import LogEntry
from django.contrib import admin
from django.contrib.auth.models import User
from django.db import connection, connections
from django.db.models import Model
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from filing.emails import outbox
from filing.models import Announcement, Submission
from filing.pages import announcements
from ratespread.models import AporKind, AporLoad
from tests.filing.people.members import one_of_each  # noqa: F401 -- a fixture

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
        assert b"Closed on Sunday." in Client().get("/help/").content
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


EASTERN = "All times are Eastern Time (America/New_York)."
LATE = datetime(2025, 3, 2, 3, 30, tzinfo=UTC)  # March 1 in New York


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
    for model, thing in one_of_each.items():
        if model in admin.site._registry:
            addresses += [of(model, "changelist"), of(model, "change", thing.pk)]
    assert len(addresses) > 50
    for address in addresses:
        page = text_of(admin_client, address)
        assert EASTERN in page, address
        assert not re.search(r"\bUTC\b", page), address


def test_another_zone_of_filing_is_named_and_used(
    admin_client: Client, submission: Submission, settings: Any
) -> None:
    Submission.objects.update(created_at=LATE)
    for zone, names in {
        "Pacific/Honolulu": ("Hawaii Time (Pacific/Honolulu)", "2025-03-01 17:30:00 HST"),
        "Europe/Berlin": ("Europe/Berlin", "2025-03-02 04:30:00 CET"),
    }.items():
        settings.FILING_TIME_ZONE = zone
        page = text_of(admin_client, of(type(submission.filing), "change", submission.filing.pk))
        assert f"All times are {names[0]}." in page
        assert names[1] in page


def test_lists_are_filtered_by_the_days_of_the_zone(
    admin_client: Client, submission: Submission
) -> None:
    Submission.objects.update(created_at=LATE)
    query = {"created_at__year": 2025, "created_at__month": 3, "created_at__day": 1}
    listed = of(Submission, "changelist")
    assert admin_client.get(listed, query).context["cl"].result_count == 1
    assert admin_client.get(listed, query | {"created_at__day": 2}).context["cl"].result_count == 0
    exported = admin_client.get(f"{listed}export.csv", query)
    (row,) = csv.DictReader(b"".join(exported).decode("utf-8-sig").splitlines())
    assert row["Created (America/New_York)"] == "2025-03-01 22:30:00"


def test_what_staff_type_is_read_in_the_zone(admin_client: Client) -> None:
    sent = {"level": "info", "text": "Closed.", "begins_0": "2025-03-01", "begins_1": "22:30:00"}
    answer = admin_client.post(
        of(Announcement, "add"), {**sent, "ends_0": "", "ends_1": "", "reason": "We move."}
    )
    assert answer.status_code == 302
    announcement = Announcement.objects.get()
    assert announcement.begins == LATE
    entry = LogEntry.objects.get_for_object(announcement).get()
    assert "2025-03-01 22:30:00 EST" in text_of(admin_client, of(LogEntry, "change", entry.pk))


def test_names_of_things_have_the_day_of_the_zone(admin_client: Client) -> None:
    load = AporLoad.objects.create(kind=AporKind.FIXED, rows=1, added=1, changed=0, source="x.txt")
    AporLoad.objects.filter(pk=load.pk).update(loaded_at=LATE)
    assert f"load {load.pk} of 2025-03-01" in text_of(admin_client, of(AporLoad, "change", load.pk))


def test_an_email_says_when_in_the_zone_of_filing_wherever_it_is_written() -> None:
    for zone in ("America/New_York", "UTC"):
        with timezone.override(zone):
            _, text = outbox.render_email("receipt", {"signed_at": LATE, "signer": "Ann"})
        assert "March 1, 2025, 10:30:00 PM EST by Ann" in text


def test_other_pages_and_the_api_keep_utc(client: Client, admin_user: User) -> None:
    client.force_login(admin_user)
    client.get(reverse("admin:index"))
    assert timezone.get_current_timezone_name() == "UTC"
    assert EASTERN not in client.get("/help/").content.decode()
