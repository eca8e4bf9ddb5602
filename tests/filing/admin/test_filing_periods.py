"""A window is extended or closed with a reason, and the list tells how many filings have come."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from filing import day_hours
from filing.lar.years import YearStage, describe_supported
from filing.models import (
    Filing,
    FilingPeriod,
    TrailEntry,
)
from tests.filing.admin.change_forms import loaded
from tests.filing.test_standing import add_signed

pytestmark = pytest.mark.django_db
DAYS = {"opens": "2020-01-01", "timely_until": "2030-01-01", "closes": "2041-01-01"}
REASON = {"reason": "The storm of December."}
DUE = date(2025, 3, 3)


def page_of(period: FilingPeriod) -> str:
    return reverse("admin:filing_filingperiod_change", args=[period.pk])


def change(client: Client, period: FilingPeriod, sent: dict[str, Any]) -> Any:
    return client.post(page_of(period), sent | loaded(client, page_of(period)))


def test_a_window_is_closed_now(operator, open_period, filing):
    change(operator, open_period, DAYS | REASON | {"close_now": "on"})
    found = FilingPeriod.objects.get()
    assert timedelta() < day_hours.today() - found.closes <= timedelta(days=2)
    assert found.timely_until == found.closes
    assert Filing.objects.get() == filing


def test_what_cannot_be_is_refused_and_nothing_is_told(operator, open_period):
    for changes, message in [
        ({"reason": ""}, "Enter a reason; one sentence for the audit log is enough."),
        ({"closes": "2029-01-01"}, "these days must follow each other"),
        ({"opens": "2029-01-01", "close_now": "on"}, "yesterday cannot be its last day"),
        ({"closes": "soon"}, "Enter a valid date."),
    ]:
        page = change(operator, open_period, DAYS | REASON | changes).content.decode()
        assert message in page
        assert "filing_period_opens" not in page  # the name of the constraint says nothing
        assert FilingPeriod.objects.get().closes == date(2040, 1, 1)
        assert not TrailEntry.objects.exists()


def test_a_period_is_added_with_a_reason(operator, open_period):
    page = reverse("admin:filing_filingperiod_add")
    asked = {"year": "2024", "quarter": "Q1", **DAYS, **REASON}
    assert operator.post(page, asked).status_code == 302
    assert FilingPeriod.objects.get(quarter="Q1").closes == date(2041, 1, 1)
    assert TrailEntry.objects.get().about == "2024-Q1"
    again = operator.post(page, asked).content.decode()
    assert "already exists" in again


def test_a_period_that_is_added_says_that_the_panel_has_no_filings_of_it(operator, institution):
    sent = {"year": "2024", "quarter": "", **DAYS, **REASON}
    page = operator.post(reverse("admin:filing_filingperiod_add"), sent, follow=True)
    assert "1 institution of the panel" in page.text
    assert not Filing.objects.exists()


def test_a_period_without_a_rulebook_is_refused_with_those_that_have_one(operator):
    page = reverse("admin:filing_filingperiod_add")
    for year, quarter in [
        ("1990", ""),
        ("2017", "Q1"),
        ("2019", "Q1"),
        ("2027", ""),
        ("2045", ""),
        ("0", ""),
    ]:
        sent = {"year": year, "quarter": quarter, **DAYS, **REASON}
        answer = operator.post(page, sent)
        assert answer.status_code == 200
        assert set(answer.context["adminform"].form.errors) == {"year"}
        assert not FilingPeriod.objects.exists()
        assert not TrailEntry.objects.exists()


def test_no_season_without_a_rulebook_is_opened_in_the_admin(admin_client, institution):
    page = reverse("admin:filing_seasonopening_open")
    for year in ["1990", "2045"]:
        for answer in (
            admin_client.get(page, {"year": year, "start": "now"}),
            admin_client.post(page, {"year": year}),
        ):
            assert describe_supported(YearStage.FILING) in answer.content.decode()
        assert not FilingPeriod.objects.exists()


COMPUTED = (
    "Computed: Monday, March 3, 2025. March 1 is a Saturday, so the deadline moves to the next "
    "Monday (12 CFR 1003.5(a)(1)(i) and (iii))."
)


def test_a_period_that_is_added_is_told_the_rule_and_then_the_day(operator):
    page = reverse("admin:filing_filingperiod_add")
    form = operator.get(page).content.decode()
    assert "60 calendar days after a quarter ends" in form
    assert "Computed" not in form
    asked = {"year": "2024", "quarter": "", **DAYS, **REASON}
    saved = operator.post(page, asked, follow=True).content.decode()
    assert f"The filing deadline January 1, 2030 is not the computed one. {COMPUTED}" in saved
    asked = {"year": "2023", "quarter": "", **DAYS, **REASON, "timely_until": "2024-03-01"}
    saved = operator.post(page, asked, follow=True).content.decode()
    assert "is not the computed one" not in saved


def test_who_may_only_look_is_asked_for_no_reason(desk, open_period):
    page = desk.get(page_of(open_period)).text
    assert "2040-01-01" in page
    assert "Reason" not in page


@pytest.mark.parametrize(
    ("year", "quarter", "rules"),
    [(2025, "", 2025), (2027, "Q1", None), (2019, "Q1", None), (1990, "", None)],
)
def test_the_list_says_which_rules_are_run_and_what_was_signed_without_any(
    operator, filing, year, quarter, rules
):
    FilingPeriod.objects.update(year=year, quarter=quarter)
    add_signed(Filing.objects.get(), 1, datetime(2025, 3, 4, tzinfo=UTC))
    shown: Any = operator.get(reverse("admin:filing_filingperiod_changelist"))
    found = shown.context["cl"]
    assert (len(found.unprepared), len(found.without_rules)) == ((0, 0) if rules else (1, 1))
    page = operator.get(page_of(FilingPeriod.objects.get())).content.decode()
    assert ("None: nothing can be filed." in page) is (rules is None)


# --- counts


def counts(client: Client, period: FilingPeriod) -> list[int]:
    shown: Any = client.get(reverse("admin:filing_filingperiod_changelist"))
    found = next(each for each in shown.context["cl"].result_list if each.pk == period.pk)
    return [found.owed, found.signed, found.late]


def test_the_list_takes_no_more_queries_for_more_periods(operator, open_period):
    page = reverse("admin:filing_filingperiod_changelist")
    with CaptureQueriesContext(connection) as one:
        operator.get(page)
    days = {"opens": DUE, "timely_until": DUE, "closes": DUE}
    FilingPeriod.objects.bulk_create(FilingPeriod(year=year, **days) for year in range(2018, 2024))
    with CaptureQueriesContext(connection) as many:
        operator.get(page)
    assert len(many) == len(one) <= 15
