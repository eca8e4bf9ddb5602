"""Times on staff pages are in the time zone of filing, and each page names it."""

from __future__ import annotations

import csv
import re
from datetime import UTC, datetime
from typing import Any

import pytest
from auditlog.models import LogEntry
from django.contrib import admin
from django.contrib.auth.models import User
from django.db.models import Model
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from filing.emails import outbox
from filing.models import Announcement, Submission
from ratespread.models import AporLoad, Kind
from tests.filing.people.members import one_of_each  # noqa: F401 -- a fixture

pytestmark = pytest.mark.django_db
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
    load = AporLoad.objects.create(kind=Kind.FIXED, rows=1, added=1, changed=0, source="x.txt")
    AporLoad.objects.filter(pk=load.pk).update(loaded_at=LATE)
    assert f"load {load.pk} of 2025-03-01" in text_of(admin_client, of(AporLoad, "change", load.pk))


def test_an_email_says_when_in_the_zone_of_filing_wherever_it_is_written() -> None:
    for zone in ("America/New_York", "UTC"):
        with timezone.override(zone):
            _, text = outbox.render("receipt", {"signed_at": LATE, "signer": "Ann"})
        assert "March 1, 2025, 10:30:00 PM EST by Ann" in text


def test_other_pages_and_the_api_keep_utc(client: Client, admin_user: User) -> None:
    client.force_login(admin_user)
    client.get(reverse("admin:index"))
    assert timezone.get_current_timezone_name() == "UTC"
    assert EASTERN not in client.get("/help/").content.decode()
