"""The deadlines page has the years, their rules and thresholds, and the days that are planned."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from filing.day_hours import today
from filing.lar.years import RULEBOOKS, YearStage
from filing.models import FilingPeriod, FilingYear
from filing.models.filing_years import forget_years
from filing.seasons import Window, usual_windows

pytestmark = pytest.mark.django_db
LAST, NEXT = RULEBOOKS[-1], RULEBOOKS[-1] + 1


def page() -> Any:
    return Client().get("/filing/deadlines/")


def planned(year: int) -> dict[str, Window]:
    """Return the days that the page says are planned, by period of a year."""
    rows = page().context["periods"]
    each = {row["period"]: row["days"] for row in rows if "is_planned" in row}
    return {str(period): days for period, days in each.items() if period.year == year}


@pytest.mark.parametrize("stage", list(YearStage))
def test_the_days_to_come_of_a_year_are_planned_until_it_has_periods(stage):
    FilingYear.objects.filter(pk=NEXT).update(stage=stage)
    forget_years()
    usual = {f"{NEXT}-{name}".rstrip("-"): days for name, days in usual_windows(NEXT).items()}
    to_come = {each: days for each, days in usual.items() if days.timely_until >= today()}
    assert planned(NEXT) == ({} if stage is YearStage.DRAFT else to_come)
    assert planned(NEXT - 5) == {}
    if stage is YearStage.FILING:
        FilingPeriod.objects.create(year=NEXT, **usual[str(NEXT)]._asdict())
        assert planned(NEXT) == {}
