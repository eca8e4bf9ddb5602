"""A season that was asked for is opened by a worker, whatever happens to the first one."""

from __future__ import annotations

from datetime import date, timedelta
from functools import partial

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.utils import timezone

from filing import seasons
from filing.access import Caller
from filing.errors import BadInput, NotReady
from filing.jobs import claims, loop, sweeper
from filing.models import (
    AuditEvent,
    Filing,
    FilingPeriod,
    Institution,
    Job,
    Mail,
    SeasonOpening,
    TrailEntry,
)
from filing.seasons import InstitutionChoice, SeasonPlan, Window, opening
from tests import make
from tests.at_once import call_all_at_once

pytestmark = pytest.mark.django_db
BY = Caller(id="1", username="olga", email="olga@service.example")
NOTHING_NEW = "Nothing has changed: all filings and windows already existed."


@pytest.fixture
def panel(census: object) -> list[Institution]:
    """Ten institutions, every second of them a quarterly filer."""
    return Institution.objects.bulk_create(
        Institution(
            activity_year=2024,
            lei=f"529900TESTBANK{number:06d}",
            name=f"Bank {number}",
            agency=9 if number < 6 else 5,
            state="CA" if number < 3 else "NY",
            quarterly_filer=number % 2 == 0,
        )
        for number in range(10)
    )


def ask(choice: InstitutionChoice | None = None, *, announce: bool = False) -> SeasonOpening:
    plan = SeasonPlan(2024, seasons.usual_windows(2024), choice or InstitutionChoice(), announce)
    return seasons.queue_opening(plan, by=BY, reason="It is time.")


def worked(asked: SeasonOpening) -> SeasonOpening:
    """Let a worker do it, here and now."""
    loop.run_job(asked.job_id)
    asked.refresh_from_db()
    assert asked.job.state == "done", asked.job.last_error
    return asked


def made(asked: SeasonOpening) -> list[tuple[int, int]]:
    report = seasons.read_report(asked)
    assert report is not None
    return [(each.made, each.existing) for each in report.periods]


def test_done_again_it_makes_nothing_new_and_says_so(panel):
    first = seasons.read_report(worked(ask()))
    assert first is not None
    assert not first.nothing_new
    before = list(Filing.objects.values())
    again = seasons.read_report(worked(ask()))
    assert again is not None
    assert again.nothing_new
    assert NOTHING_NEW in str(again)
    assert list(Filing.objects.values()) == before


@pytest.mark.parametrize(
    ("choice", "numbers", "words"),
    [
        (InstitutionChoice(), (10, 5), "all institutions of the panel"),
        (InstitutionChoice(agencies=(5,)), (4, 2), "agency NCUA"),
        (InstitutionChoice(states=("CA", "TX")), (3, 2), "in CA, TX"),
        (InstitutionChoice(quarterly_only=True), (5, 5), "quarterly filers only"),
        (InstitutionChoice(leis=("529900TESTBANK000003", "nobody")), (1, 0), "a list of 2 LEIs"),
        (InstitutionChoice(panel_year=2023), (1, 0), "also in the panel of 2023"),
        (InstitutionChoice(agencies=(9,), states=("NY",)), (3, 1), "agency CFPB; in NY"),
    ],
)
def test_filings_are_made_for_the_institutions_that_were_chosen(panel, choice, numbers, words):
    make.institution(panel[1].lei, year=2023)
    whole, quarter = numbers
    asked = worked(ask(choice))
    assert made(asked) == [(whole, 0), *[(quarter, 0)] * 3]
    assert str(InstitutionChoice.of_json(asked.choice)) == words
    assert InstitutionChoice.of_json(asked.choice) == choice


@pytest.mark.servers
def test_a_worker_that_was_killed_is_followed_by_one_that_goes_on(panel, open_period, monkeypatch):
    monkeypatch.setattr(opening, "CHUNK", 3)
    asked = ask()
    lost = claims.claim_job(asked.job_id)
    assert lost is not None
    # As far as the first one came: the windows, and a part of the annual filings.
    plan = opening.read_plan(asked)
    opening._set_windows(asked, plan, BY)
    annual = FilingPeriod.objects.get(quarter="")
    opening._create_chunk(
        plan.expected_filers("").values_list("pk", flat=True)[:3], annual, asked, lost
    )
    assert Filing.objects.count() == 3
    assert Job.objects.get(pk=asked.job_id).rows_done == 3
    over = timezone.now() - timedelta(seconds=1)
    Job.objects.filter(pk=asked.job_id).update(lease_until=over)
    sweeper.sweep_jobs()
    worked(asked)
    assert asked.job.attempts == 2
    assert [each.outcome for each in asked.job.tries.all()] == ["lost", "done"]
    # What the first one did counts as done by this opening, and is told once.
    assert made(asked) == [(10, 0), (5, 0), (5, 0), (5, 0)]
    report = seasons.read_report(asked)
    assert report is not None
    assert report.periods[0].before == Window.of(open_period)
    events = sorted(entry.event for entry in TrailEntry.objects.all())
    sealed_first = AuditEvent.RECEIPT_KEY_ADDED  # by the sweep, with the first key
    assert events == [AuditEvent.WINDOW_CHANGED, sealed_first, AuditEvent.SEASON_OPENED]


@pytest.mark.servers
@pytest.mark.django_db(transaction=True)
def test_two_openings_at_once_make_each_filing_once(panel, monkeypatch):
    monkeypatch.setattr(opening, "CHUNK", 2)
    both = [ask(), ask()]
    call_all_at_once([partial(loop.run_job, asked.job_id) for asked in both])
    for asked in both:
        worked(asked)
    assert Filing.objects.count() == 25
    made_by = [sum(number for number, _ in made(asked)) for asked in both]
    assert sum(made_by) == 25


# --- what is refused


@pytest.mark.parametrize("reason", ["", "  "])
def test_a_season_is_not_opened_without_a_reason(panel, reason):
    with pytest.raises(BadInput, match="Enter the reason for opening the season"):
        seasons.queue_opening(SeasonPlan(2024, seasons.usual_windows(2024)), by=BY, reason=reason)
    assert not Job.objects.exists()


def test_a_season_without_its_census_is_not_queued_unless_it_is_forced(institution):
    plan = SeasonPlan(2024, seasons.usual_windows(2024))
    with pytest.raises(NotReady, match="There is no census for 2024"):
        seasons.queue_opening(plan, by=BY, reason="It is time.")
    assert not SeasonOpening.objects.exists()
    assert (
        seasons.queue_opening(plan, by=BY, reason="It is time.", force=True).job.state == "queued"
    )


def test_what_cannot_be_opened_is_refused(census):
    for plan, message in [
        (SeasonPlan(2017, {}), "Year 2017 has no rulebook"),
        (SeasonPlan(2024, {}), "No period was chosen"),
        (SeasonPlan(2019, seasons.usual_windows(2024)), "Period 2019-Q1 does not exist"),
        (
            SeasonPlan(2024, {"": Window(*[date(2025, 1, day) for day in (3, 2, 1)])}),
            "cannot open on",
        ),
    ]:
        with pytest.raises(BadInput, match=message):
            seasons.queue_opening(plan, by=BY, reason="It is time.", force=True)


# --- mails


def filer(name: str, *leis: str, **facts: object) -> User:
    user = make.change(make.user(name), **facts)
    for lei in leis:
        make.member(user, lei)
    return user


@pytest.mark.servers
def test_filers_are_told_of_the_season_once_each(panel):
    ann, bob = (panel[0].lei, panel[1].lei), (panel[1].lei,)
    filer("ann", *ann)
    filer("bob", *bob)
    filer("Ann2", panel[2].lei, email="ANN@bank.example")  # the same address
    filer("carl", "529900NOSUCHBANK0000")
    filer("dora", *bob, is_active=False)
    filer("emil", *bob, email="")
    asked = worked(ask(announce=True))
    assert asked.report["mails"] == 2
    written = {each.to.lower(): each for each in Mail.objects.filter(kind="season")}
    assert written.keys() == {"ann@bank.example", "bob@bank.example"}
    text = written["bob@bank.example"].text
    assert f"- Bank 1 (LEI {panel[1].lei})" in text
    assert "2024\n  January 1, 2025 to December 31, 2027; filing deadline March 3, 2025\n" in text
    assert (
        "2024-Q1 (quarterly filers)\n"
        "  April 1, 2024 to June 30, 2024; filing deadline May 30, 2024\n" in text
    )
    assert "Filings signed after the filing deadline are late." in text
    again = seasons.read_report(worked(ask(announce=True)))
    assert again is not None
    assert again.nothing_new
    assert Mail.objects.count() == 2
    for each in Mail.objects.all():
        loop.run_job(each.job_id)
    assert sorted(sent.to[0].lower() for sent in mail.outbox) == sorted(written)


def test_only_filers_of_the_chosen_institutions_are_told(panel):
    filer("ann", panel[0].lei)
    filer("bob", panel[9].lei)
    worked(ask(InstitutionChoice(agencies=(5,)), announce=True))
    assert [each.to for each in Mail.objects.all()] == ["bob@bank.example"]
