"""The form of a season, step by step, as an operator sends it; and the report that it leaves."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from filing import seasons
from filing.access import SERVICE, Caller
from filing.jobs import loop
from filing.models import (
    Filing,
    FilingPeriod,
    Job,
    SeasonOpening,
    TrailEntry,
)
from tests import make
from tests.conftest import LEI
from tests.filing.admin.unmarked import unmarked
from tests.filing.seasons.conftest import census  # noqa: F401 -- a fixture

pytestmark = pytest.mark.django_db
OPEN = reverse("admin:filing_seasonopening_open")
CONFIRM = reverse("admin:filing_seasonopening_confirm")
REASON = {"reason": "The season begins."}
PERIODS = {"": "annual", "Q1": "q1", "Q2": "q2", "Q3": "q3"}


def typed(**changes: Any) -> dict[str, Any]:
    """Return what a browser sends of the form of 2024, as it is filled in."""
    days = {
        f"{PERIODS[quarter]}_{day}": value.isoformat()
        for quarter, window in seasons.usual_windows(2024).items()
        for day, value in window._asdict().items()
    }
    ticks = {f"{name}_chosen": "on" for name in PERIODS.values()}
    sent = {"year": "2024", **days, **ticks, **changes}
    return {name: value for name, value in sent.items() if value is not None}


def confirm(client: Client, fields: dict[str, Any]) -> Any:
    """Confirm what a preview of the form shows."""
    digest = client.post(OPEN, fields).context["digest"]
    return client.post(CONFIRM, {**fields, "digest": digest})


def text_of(answer: Any) -> str:
    return unmarked(" ".join(answer.content.decode().split()))


def test_a_deadline_that_is_not_the_computed_one_is_marked(operator, census, institution):
    make.period(opens="2025-01-01", timely_until="2025-04-01", closes="2027-12-31")
    page = text_of(operator.get(OPEN, {"year": "2024", "start": "now"}))
    assert page.count("is not the computed one") == 1
    differs = "The filing deadline April 1, 2025 is not the computed one. Computed: Monday, March 3"
    assert differs in page
    assert differs in text_of(
        operator.post(OPEN, typed(annual_timely_until="2025-04-01", change="Back"))
    )
    preview = text_of(operator.post(OPEN, typed(annual_timely_until="2025-04-01")))
    assert preview.count(differs) == 1
    assert "is not the computed one" not in text_of(operator.post(OPEN, typed()))
    broken = text_of(operator.post(OPEN, typed(annual_timely_until="soon")))
    assert "Annual: Filing deadline: enter a date." in broken
    assert "is not the computed one" not in broken


@pytest.mark.parametrize(("year", "wrong"), [("1999", "1999"), ("x", "x")])
def test_a_year_that_there_is_not_is_told_of(operator, year, wrong):
    page = text_of(operator.get(OPEN, {"year": year}))
    assert f"{wrong} is not one of the available choices" in page
    assert "Periods of" in page


def test_a_form_with_a_mistake_is_shown_again_with_what_is_wrong(operator, census, institution):
    for changes, message in [
        ({"annual_opens": "2026-01-01"}, "Annual: A period cannot open on January 1, 2026"),
        ({"q2_closes": ""}, "Q2: Last day: enter a date, or clear the period."),
        ({"q1_opens": "soon"}, "Q1: First day: enter a date."),
        ({f"{name}_chosen": None for name in PERIODS.values()}, "No period is selected"),
        ({"states": "CA, XX"}, "Unknown state: XX. Enter two-letter codes, such as CA, NY."),
        ({"leis": f"{LEI}\nshort"}, "Not an LEI: SHORT. Enter 20 letters and digits for each."),
        ({"agencies": ["4"]}, "4 is not one of the available choices"),
        ({"panel_year": "1999"}, "1999 is not one of the available choices"),
    ]:
        for address in (OPEN, CONFIRM):
            page = text_of(operator.post(address, typed(**changes) | REASON))
            assert message in page
            assert "Periods of 2024" in page
        assert not Job.objects.exists()


def test_from_the_preview_one_goes_back_to_the_form_as_it_was(operator, census, institution):
    page = text_of(operator.post(OPEN, typed(states="CA", change="Back to the form")))
    assert "Periods of 2024" in page
    assert 'value="CA"' in page


def test_a_season_is_confirmed_with_a_reason_opened_by_a_worker_and_reported(
    operator, census, institution
):
    refused = text_of(operator.post(CONFIRM, typed() | {"reason": " "}))
    assert "Enter a reason; one sentence for the audit log is enough." in refused
    assert not Job.objects.exists()
    answer = confirm(operator, typed(agencies=["9"], announce="on") | REASON)
    opening = SeasonOpening.objects.get()
    report = reverse("admin:filing_seasonopening_change", args=[opening.pk])
    assert (answer.status_code, answer["Location"]) == (302, report)
    assert (opening.actor_username, opening.reason) == ("operator", REASON["reason"])
    assert (opening.choice, opening.announce) == ({"agencies": [9]}, True)
    waiting = text_of(operator.get(report))
    assert "Queued: the next free worker starts it." in waiting
    part = reverse("admin:filing_seasonopening_progress", args=[opening.pk])
    assert f'hx-get="{part}"' in waiting
    loop.run_job(opening.job_id)
    for address in (report, part):
        page = text_of(operator.get(address))
        assert "4 filings created; 0 already existed. 0 emails queued." in page
        assert "filing deadline March 3, 2025" in page
        assert "hx-get" not in page
    entry = TrailEntry.objects.get()
    assert (entry.actor_username, entry.reason) == ("operator", REASON["reason"])


def test_done_again_it_makes_nothing_new_and_says_so(operator, census, institution):
    for _ in range(2):
        confirm(operator, typed() | REASON)
        loop.run_job(SeasonOpening.objects.latest("pk").job_id)
    key = SeasonOpening.objects.latest("pk").pk
    again = reverse("admin:filing_seasonopening_change", args=[key])
    assert "Nothing changed: all filings existed" in text_of(operator.get(again))
    assert "This season is already open" in text_of(operator.post(OPEN, typed()))
    assert Filing.objects.count() == 4


def test_without_a_census_the_season_is_opened_only_by_an_explicit_tick(operator, institution):
    assert "No census is loaded for 2024." in text_of(operator.post(OPEN, typed()))
    refused = text_of(operator.post(CONFIRM, typed() | REASON))
    assert (
        "No census is loaded for 2024. Load it first, or select this to open without it." in refused
    )
    assert not Job.objects.exists()
    assert confirm(operator, typed() | REASON | {"force": "on"}).status_code == 302
    assert Job.objects.get().stage == "season"


def test_the_help_desk_sees_reports_and_opens_nothing(desk, census, institution):
    seasons.open_season(2024, by=SERVICE)
    assert OPEN not in text_of(desk.get(reverse("admin:filing_seasonopening_changelist")))
    key = SeasonOpening.objects.get().pk
    page = text_of(desk.get(reverse("admin:filing_seasonopening_change", args=[key])))
    assert "4 filings created" in page
    assert "the command line" in page
    assert desk.post(CONFIRM, typed() | REASON).status_code == 403
    assert SeasonOpening.objects.count() == 1


def test_no_step_takes_more_than_fifteen_queries(operator, census, institution):
    steps = [
        lambda: operator.get(OPEN),
        lambda: operator.post(OPEN, typed(announce="on", leis=LEI)),
        lambda: operator.get(reverse("admin:filing_seasonopening_changelist")),
    ]
    for step in steps:
        with CaptureQueriesContext(connection) as queries:
            assert step().status_code == 200
        assert len(queries) <= 15


def test_a_deadline_that_someone_moved_meanwhile_is_not_moved_back(operator, open_period, census):
    loaded = operator.get(f"{OPEN}?year=2024&start=now").context["form"]["loaded"].value()
    period = FilingPeriod.objects.get()
    boss = Caller(id="1", username="boss", email="boss@agency.example")
    storm = seasons.Window(period.opens, date(2031, 1, 1), period.closes)
    seasons.change_window(period, storm, by=boss, reason="A storm.")
    for address in (OPEN, CONFIRM):
        answer = operator.post(address, typed(loaded=loaded) | REASON)
        assert answer.context["form"].has_error("annual_opens", "overtaken")
        page = text_of(answer)
        assert "January 1, 2031" in page
        assert "by boss on" in page
    assert FilingPeriod.objects.get(quarter="").timely_until == date(2031, 1, 1)
    assert not SeasonOpening.objects.exists()
    # Who has seen both may decide.
    again = answer.context["form"]["loaded"].value()
    assert confirm(operator, typed(loaded=again) | REASON).status_code == 302
