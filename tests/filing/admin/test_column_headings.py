"""Headings of spreadsheets that staff match to fields count at once, in page and API."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from filing.models import ColumnHeading, TrailEntry
from filing.spreadsheets.names import list_known_names
from tests.publicapi.lar_tool.calls import LAR_TOOL, report, sent

pytestmark = pytest.mark.django_db

FILE = b"Loan Type,County,State,Income,City,Zins\n1,06037,CA,36,Springfield,4.125\n"
WHY = "Files of a vendor."


def added(client: Client, **changes: Any) -> Any:
    values = {"heading": "Zins", "field": "interest_rate", "source": "A vendor", "reason": WHY}
    return client.post(reverse("admin:filing_columnheading_add"), values | changes)


def test_a_heading_counts_at_once_and_is_in_the_audit_log(admin_client: Client) -> None:
    assert report(sent(admin_client, "columns", FILE))["columns"][5]["field"] is None
    assert added(admin_client, heading=" Zins ").status_code == 302
    column = report(sent(admin_client, "columns", FILE))["columns"][5]
    assert (column["field"], column["matched"]) == ("interest_rate", "name")
    fields = report(admin_client.get(f"{LAR_TOOL}/fields?year=2024"))["fields"]
    assert "Zins" in fields[77]["aliases"]
    assert WHY in TrailEntry.objects.latest("pk").reason
    ColumnHeading.objects.get().delete()
    assert "zins" not in list_known_names()


@pytest.mark.parametrize(
    "changes",
    [
        {"heading": "12"},
        {"heading": "--"},
        {"heading": "loan_AMOUNT"},
        {"heading": "Rate"},
        {"field": "loan_typ"},
        {"source": ""},
        {"heading": "x" * 201},
    ],
)
def test_a_heading_that_is_known_or_says_nothing_is_refused(
    admin_client: Client, changes: dict[str, Any]
) -> None:
    assert added(admin_client, **changes).context["adminform"].form.errors
    assert not ColumnHeading.objects.exists()


def test_two_headings_that_are_the_same_when_folded_are_refused(admin_client: Client) -> None:
    assert added(admin_client).status_code == 302
    assert "heading" in added(admin_client, heading="ZINS:").context["adminform"].form.errors


def test_a_long_heading_of_signs_is_kept(admin_client: Client) -> None:
    assert added(admin_client, heading="a" + "&" * 199).status_code == 302
