"""The form of a season, step by step, as an operator sends it; and the report that it leaves."""

from __future__ import annotations

import re
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


def test_the_form_is_filled_in_with_the_usual_days(operator):
    page = text_of(operator.get(OPEN, {"year": "2024", "start": "usual"}))
    assert 'value="2025-01-01"' in page
    assert 'value="2024-05-30"' in page
    assert "Open season 2024" in page
    assert page.count('_chosen" id') == page.count("checked") == 4


def test_the_form_is_filled_in_with_last_years_days_a_year_later(operator):
    make.period(2023, opens="2024-01-09", timely_until="2024-03-12", closes="2026-12-30")
    page = text_of(operator.get(OPEN, {"year": "2024", "start": "last"}))
    for day in ("2025-01-09", "2025-03-12", "2027-12-30"):
        assert f'value="{day}"' in page
    assert page.count("checked") == 1  # there was no other period
    assert "There was no season last year" in text_of(
        operator.get(OPEN, {"year": "2023", "start": "last"})
    )


def test_the_form_says_beside_each_deadline_which_day_is_computed_and_why(operator):
    page = text_of(operator.get(OPEN, {"year": "2025", "start": "usual"}))
    beside = dict(re.findall(r'id="id_(\w+)_timely_until_helptext">(.*?)</small>', page))
    assert beside == {
        "annual": "Computed: Monday, March 2, 2026. March 1 is a Sunday, so the deadline moves to "
        "the next Monday (12 CFR 1003.5(a)(1)(i) and (iii)).",
        "q1": "Computed: Friday, May 30, 2025, 60 calendar days after the quarter ends "
        "(12 CFR 1003.5(a)(1)(ii)).",
        "q2": "Computed: Friday, August 29, 2025, 60 calendar days after the quarter ends "
        "(12 CFR 1003.5(a)(1)(ii)).",
        "q3": "Computed: Monday, December 1, 2025. November 29, 60 calendar days after the quarter "
        "ends, is a Saturday, so the deadline moves to the next Monday "
        "(12 CFR 1003.5(a)(1)(ii) and (iii)).",
    }
    for name in beside:
        assert f'aria-describedby="id_{name}_timely_until_helptext"' in page


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


def test_the_form_is_filled_in_with_the_days_as_they_are(operator, open_period):
    page = text_of(operator.get(OPEN, {"year": "2024"}))
    assert 'value="2040-01-01"' in page
    assert 'value="2024-12-31"' in page


@pytest.mark.parametrize(("year", "wrong"), [("1999", "1999"), ("x", "x")])
def test_a_year_that_there_is_not_is_told_of(operator, year, wrong):
    page = text_of(operator.get(OPEN, {"year": year}))
    assert f"{wrong} is not one of the available choices" in page
    assert "Periods of" in page


def test_before_a_year_of_quarters_there_is_the_annual_period_alone(operator):
    page = text_of(operator.get(OPEN, {"year": "2019"}))
    assert 'name="annual_opens"' in page
    assert 'name="q1_opens"' not in page


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"annual_opens": "2026-01-01"}, "Annual: A period cannot open on January 1, 2026"),
        ({"q2_closes": ""}, "Q2: Last day: enter a date, or clear the period."),
        ({"q1_opens": "soon"}, "Q1: First day: enter a date."),
        ({f"{name}_chosen": None for name in PERIODS.values()}, "No period is selected"),
        ({"states": "CA, XX"}, "Unknown state: XX. Enter two-letter codes, such as CA, NY."),
        ({"leis": f"{LEI}\nshort"}, "Not an LEI: SHORT. Enter 20 letters and digits for each."),
        ({"agencies": ["4"]}, "4 is not one of the available choices"),
        ({"panel_year": "1999"}, "1999 is not one of the available choices"),
    ],
)
def test_a_form_with_a_mistake_is_shown_again_with_what_is_wrong(
    operator, census, institution, changes, message
):
    for address in (OPEN, CONFIRM):
        page = text_of(operator.post(address, typed(**changes) | REASON))
        assert message in page
        assert "Periods of 2024" in page
    assert not Job.objects.exists()


def test_the_preview_says_what_would_be_and_changes_nothing(operator, census, institution):
    make.institution("529900OTHERBANK00017", tax_id="")
    page = text_of(operator.post(OPEN, typed()))
    assert "For 2 institutions: all institutions of the panel." in page
    assert "No emails are sent." in page
    assert "1 without TIN</h3>" in page
    assert reverse("admin:filing_institution_change", args=[institution.pk]) in page
    assert "There is no census" not in page
    assert not FilingPeriod.objects.exists()
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


def test_leis_that_are_not_in_the_panel_are_named(operator, census, institution):
    page = text_of(operator.post(OPEN, typed(leis=f"{LEI.lower()}, 529900NOSUCHBANK0000")))
    assert "For 1 institution: a list of 2 LEIs." in page
    assert "1 of the LEIs does not meet the conditions: 529900NOSUCHBANK0000." in page


def test_a_season_for_nobody_says_so(operator, census):
    assert "No institution meets the conditions" in text_of(operator.post(OPEN, typed()))


def test_who_would_be_told_is_counted(operator, census, institution):
    make.user("ann", lei=LEI)
    page = text_of(operator.post(OPEN, typed(announce="on")))
    assert "1 user will get one email each." in page


def test_an_opening_that_was_given_up_says_why_and_how_to_go_on(operator, census, institution):
    confirm(operator, typed() | REASON)
    Job.objects.update(state="failed", attempts=5, last_error="OSError: disk full")
    key = SeasonOpening.objects.get().pk
    page = text_of(operator.get(reverse("admin:filing_seasonopening_change", args=[key])))
    assert "Failed after 5 attempts: OSError: disk full" in page
    assert f'href="{OPEN}?year=2024"' in page


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
