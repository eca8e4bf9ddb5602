"""A closing: what is due until that day, and nothing after."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client

from filing import day_hours
from filing.access import SERVICE, Caller
from filing.errors import NotReady
from filing.lar.years import Period
from filing.models import Filing, Institution, Membership, ReferenceData
from filing.panel import carry_over
from filing.periods.filings import start_filing
from filing.seasons import open_season
from tests.filing.lives.recorded import BANK, OTHER, preview, record, refusal, texts_of
from tests.filing.lives.test_mergers import expected

pytestmark = pytest.mark.django_db
CLOSING = {"effective_on": "2025-05-15"}


def test_it_owes_its_activity_until_then_and_nothing_after(
    operator: Client, filings: dict[str, Filing], ann: User
) -> None:
    report = preview(operator, BANK, "closing", **CLOSING)
    duties = texts_of(report, "Who files what")
    assert "until May 15, 2025" in duties["2025"][0]
    assert "does not owe" in duties["2025-Q3"][0]
    record(operator, BANK, "closing", **CLOSING)
    assert expected(BANK) == {"2024-Q1", "2024", "2025-Q1", "2025-Q2", "2025"}
    assert Membership.objects.filter(user=ann, lei=BANK).exists()


def test_seasons_opened_later_leave_it_out(
    operator: Client, bank: Institution, other: Institution
) -> None:
    record(operator, BANK, "closing", effective_on="2024-12-31")
    assert carry_over.carry_panel_over(2025, 2026, reason="New year.", by=SERVICE).added == 1
    ReferenceData.objects.create(
        kind="census", year=2025, source="test", rows=1, sha256="0" * 64, path="test"
    )
    open_season(2025, by=SERVICE)
    assert expected(BANK) == set()
    assert len(expected(OTHER)) == 4
    by = Caller(id="1", username="ann", leis=frozenset({BANK}))
    with pytest.raises(NotReady, match="closed"):
        start_filing(lei=BANK, period=Period(2025), by=by)


def test_a_day_in_the_future_is_refused(operator: Client, bank: Institution) -> None:
    day = (day_hours.today() + timedelta(days=1)).isoformat()
    assert "on that day" in refusal(operator, BANK, "closing", effective_on=day)
