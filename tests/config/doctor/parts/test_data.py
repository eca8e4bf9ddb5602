"""Filing periods, reference data, published data."""

from __future__ import annotations

from datetime import timedelta

import pytest

from config.doctor.parts import data
from filing import day_hours
from filing.models import FilingPeriod
from tests.config.doctor.parts.looking import bad, texts

pytestmark = pytest.mark.django_db


def test_a_service_without_any_filing_period_is_warned_of() -> None:
    (line,) = bad(data.periods)
    assert line.startswith("warning: No filing period is open, and none is to open")
    assert bad(data.reference) == bad(data.published) == []


def test_an_open_period_needs_a_panel_a_deadline_and_reference_data() -> None:
    today = day_hours.today()
    period = FilingPeriod.objects.create(
        year=2025,
        opens=today - timedelta(days=9),
        timely_until=today,
        closes=today + timedelta(days=2),
    )
    panel, deadline, closing = bad(data.periods)
    assert panel.startswith("error: The panel of 2025 is empty.")
    assert "is not the computed one" in deadline
    assert closing.startswith(f"warning: 2025 closes on {period.closes}")
    census, limits = bad(data.reference)
    assert census.startswith("error: Not loaded for 2025: census")
    assert limits.startswith("warning: Not loaded for 2025: county loan limits")


def test_a_period_that_opens_later_is_named() -> None:
    today = day_hours.today()
    later = today + timedelta(days=9)
    FilingPeriod.objects.create(year=2025, opens=later, timely_until=later, closes=later)
    assert bad(data.periods) == []
    assert f"opens on {later}" in texts(data.periods)
