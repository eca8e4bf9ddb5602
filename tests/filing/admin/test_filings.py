"""The page of a filing in the admin."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from filing.access import SERVICE
from filing.models import Filing, FilingPeriod, Submission, TrailEntry
from filing.periods import legal_holds
from tests import make

pytestmark = pytest.mark.django_db


LIST = "/admin/filing/filing/"
REMOVE = "/admin/filing/filing/remove/"


@pytest.fixture
def filings(open_period: FilingPeriod) -> list[Filing]:
    """Many filings of a season."""
    return Filing.objects.bulk_create(
        Filing(institution=bank, period=open_period) for bank in make.panel(603)
    )


def select_all(client: Client) -> dict[str, str]:
    first = Filing.objects.order_by("-pk").values_list("pk", flat=True)[:50]
    chosen = {"action": "remove", "select_across": "1", "_selected_action": list(first)}
    preview = client.post(LIST, chosen).context
    return {"chosen": preview["chosen"], "digest": preview["digest"]}


def test_all_of_a_season_are_removed_after_one_confirmation(
    admin_client: Client, filings: list[Filing]
) -> None:
    lengths: list[int] = []

    def count(execute: Any, sql: str, parameters: Any, *rest: Any) -> Any:
        if not sql.startswith("INSERT"):
            lengths.append(len(parameters or ()))
        return execute(sql, parameters, *rest)

    confirmation = select_all(admin_client)
    assert len(json.loads(confirmation["chosen"])) == 603
    refused = admin_client.post(REMOVE, confirmation | {"reason": " "})
    assert refused.context["form"].errors
    assert Filing.objects.count() == 603
    with connection.execute_wrapper(count):
        done = admin_client.post(REMOVE, confirmation | {"reason": "The wrong year."})
    assert max(lengths) < 100  # the keys of all are one parameter, of which SQLite takes 32,766
    assert done.status_code == 302
    assert not Filing.objects.exists()
    assert TrailEntry.objects.filter(event="filing deleted").count() == 603


def test_one_submission_or_hold_among_them_stops_all_and_is_named(
    admin_client: Client, filings: list[Filing]
) -> None:
    Submission.objects.create(filing=filings[7], sequence_number=1)
    legal_holds.hold_filing(filings[8], by=SERVICE, reason="Matter 12")
    confirmation = select_all(admin_client)
    refused = admin_client.post(REMOVE, confirmation | {"reason": "The wrong year."})
    page = refused.content.decode()
    assert f"{filings[7].institution.lei}-2024" in page
    assert f"{filings[8].institution.lei}-2024" in page
    assert Filing.objects.count() == 603


def test_the_delete_button_of_a_filing_leads_there(admin_client: Client, filing: Filing) -> None:
    address = reverse("admin:filing_filing_delete", args=[filing.pk])
    for answer in (admin_client.get(address), admin_client.post(address, {"post": "yes"})):
        assert answer.status_code == 302
        assert answer["Location"] == f"{REMOVE}?pk={filing.pk}"
    assert Filing.objects.exists()
    assert admin_client.get(REMOVE, {"pk": filing.pk}).status_code == 200
    assert admin_client.get(REMOVE).status_code == 302
    assert admin_client.post(REMOVE, {"chosen": "[", "reason": "x"}).status_code == 302
