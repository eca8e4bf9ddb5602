"""A new name from a day on."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from filing.access import SERVICE
from filing.models import Institution, InstitutionEvent, Mail, TrailEntry
from filing.panel import carry_over, history
from tests import make
from tests.filing.lives.recorded import BANK, event_page, preview, record, refusal, take_back

pytestmark = pytest.mark.django_db
NEW_NAME = {"name": "Prairie  Trust ", "effective_on": "2025-03-01"}


def names() -> dict[int, str]:
    return dict(Institution.objects.filter(lei=BANK).values_list("activity_year", "name"))


def test_records_from_that_year_on_get_the_name(
    operator: Client, bank: Institution, ann: User
) -> None:
    event = record(operator, BANK, "name", **NEW_NAME)
    assert names() == {2024: "Prairie Bank", 2025: "Prairie Trust"}
    assert event.facts["former_name"] == "Prairie Bank"
    assert event.actor_username == "operator"
    newest = history.list_editions(history.list_entries(BANK), lei=BANK)[0]
    assert "Prairie Trust" in " ".join(newest.lines)
    assert TrailEntry.objects.filter(event="institution event recorded", lei=BANK).count() == 1
    mail = Mail.objects.get(kind="institution_event")
    assert mail.to == ann.email
    assert "Prairie Trust" in mail.text


def test_the_former_name_is_shown_to_staff_and_filers(
    operator: Client, desk: Client, bank: Institution, ann: User
) -> None:
    record(operator, BANK, "name", **NEW_NAME)
    page = desk.get(reverse("admin:filing_institution_change", args=[bank.pk]))
    assert "Former name: Prairie Bank" in page.content.decode()
    client = make.browser(ann)
    for page in ("filing-institution", "filing-record"):
        own = client.get(reverse(page, args=[BANK]))
        assert "Former name: Prairie Bank" in own.content.decode()


def test_what_changed_since_the_preview_is_shown_again(operator: Client, bank: Institution) -> None:
    report = preview(operator, BANK, "name", **NEW_NAME)
    Institution.objects.filter(pk=bank.pk).update(name="Prairie Savings")
    body = {**NEW_NAME, "digest": report.digest, "reason": "Letter."}
    again = operator.post(event_page(BANK, "name"), body)
    assert again.status_code == 200
    assert again.context["report"].digest != report.digest
    assert not InstitutionEvent.objects.exists()


def test_the_panel_of_a_later_year_gets_the_name(operator: Client, bank: Institution) -> None:
    record(operator, BANK, "name", name="Prairie Trust", effective_on="2026-02-01")
    assert names() == {2024: "Prairie Bank", 2025: "Prairie Bank"}
    carry_over.carry_panel_over(2025, 2026, reason="New year.", by=SERVICE)
    assert names()[2026] == "Prairie Trust"


def test_the_name_that_it_has_is_refused(operator: Client, bank: Institution) -> None:
    body = {"name": "Prairie Bank", "effective_on": "2025-03-01"}
    assert "another name" in refusal(operator, BANK, "name", **body)


def test_it_is_taken_back(operator: Client, bank: Institution, ann: User) -> None:
    event = record(operator, BANK, "name", **NEW_NAME)
    assert "changed back: 1" in take_back(operator, event)
    assert names() == {2024: "Prairie Bank", 2025: "Prairie Bank"}
    assert TrailEntry.objects.filter(event="institution event taken back").count() == 1
    assert Mail.objects.filter(kind="institution_event", to=ann.email).count() == 2
    assert "already" in take_back(operator, event)


def test_a_record_that_staff_changed_since_is_not_overwritten(
    operator: Client, bank: Institution
) -> None:
    event = record(operator, BANK, "name", **NEW_NAME)
    Institution.objects.filter(pk=bank.pk).update(name="Prairie Savings")
    assert "changed since" in take_back(operator, event)
    assert names()[2025] == "Prairie Savings"


def test_the_help_desk_reads_and_is_led_to_no_act(
    desk: Client, operator: Client, bank: Institution
) -> None:
    event = record(operator, BANK, "name", **NEW_NAME)
    page = desk.get(reverse("admin:filing_institutionevent_change", args=[event.pk]))
    assert "Prairie Trust" in page.content.decode()
    listed = desk.get(reverse("admin:filing_institutionevent_changelist"), {"q": BANK})
    assert listed.context["cl"].result_count == 1
    institution = desk.get(reverse("admin:filing_institution_change", args=[bank.pk]))
    assert "kind=merger" not in institution.content.decode()
