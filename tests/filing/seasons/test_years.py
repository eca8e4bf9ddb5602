"""Years are prepared as copies, opened step by step, and run rules that staff can change."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest
from django.utils import timezone

from filing import day_hours
from filing.access import Caller
from filing.edits import catalogue
from filing.edits.facts import EditFacts
from filing.errors import AlreadyExists, BadInput, NotReady
from filing.lar.years import RULEBOOKS, Period, YearStage, rulebook_period
from filing.models import (
    AuditEvent,
    Filing,
    FilingPeriod,
    FilingYear,
    Submission,
    TrailEntry,
)
from filing.previews import PreviewChanged
from filing.seasons import rulebooks, years
from filing.statuses import Status
from filing.submissions import rules_run
from tests import make
from tests.filing.restored import restore_period
from tests.filing.test_standing import add, add_signed

pytestmark = pytest.mark.django_db
LAST = RULEBOOKS[-1]
NEXT, AFTER = LAST + 1, LAST + 2
BY = Caller(id="1", username="olga", email="olga@service.example")
WHY: dict[str, Any] = {"by": BY, "reason": "Before the season."}


@pytest.fixture
def following() -> FilingYear:
    """The year after the last released rules, which a new service has for checks."""
    return FilingYear.objects.get(pk=NEXT)


def period_of(year: int, quarter: str = "") -> FilingPeriod:
    day = date(year, 4, 1)
    return restore_period(year, quarter, opens=day, timely_until=day, closes=day)


def filing_of(year: int, quarter: str = "") -> Filing:
    period_of(year, quarter)
    return make.filing(year=year, quarter=quarter)


def checked(filing: Filing, number: int, rules: str, status: Status) -> Submission:
    return add(filing, number, status, rules_run=rules, edits_folder="edits", raw_file="file")


def events() -> list[str]:
    return list(TrailEntry.objects.order_by("pk").values_list("event", flat=True))


# --- prepare


def test_a_year_that_cannot_be_prepared_is_refused():
    for year, changes, reason, refusal in [
        (NEXT, {}, "Now.", AlreadyExists),
        (AFTER + 1, {}, "Now.", BadInput),
        (RULEBOOKS[0] - 1, {}, "Now.", BadInput),
        (2**64, {}, "Now.", BadInput),
        (AFTER, {}, " ", BadInput),
        (AFTER, {}, "x" * (years.LONGEST_REASON + 1), BadInput),
        (AFTER, {"census_year": AFTER}, "Now.", BadInput),
        (AFTER, {"names_year": RULEBOOKS[0] - 1}, "Now.", BadInput),
    ]:
        with pytest.raises(refusal):
            years.prepare_year(year, changes=changes, by=BY, reason=reason)
        assert not FilingYear.objects.filter(pk=AFTER).exists()
        assert not TrailEntry.objects.exists()


def test_a_change_of_settings_has_an_entry_with_before_and_after(following):
    following.asset_threshold = 60_000_000
    years.change_settings(following, ["asset_threshold", "open_end_threshold"], **WHY)
    entry = TrailEntry.objects.get()
    assert entry.event == AuditEvent.YEAR_CHANGED
    assert entry.reason.splitlines()[1:] == ["Asset threshold: none → $60,000,000"]
    years.change_settings(following, ["asset_threshold"], **WHY)
    assert TrailEntry.objects.count() == 1


# --- stages


@pytest.mark.parametrize(
    ("before", "after", "may"),
    [
        (YearStage.DRAFT, YearStage.CHECKS, True),
        (YearStage.DRAFT, YearStage.FILING, False),
        (YearStage.CHECKS, YearStage.FILING, True),
        (YearStage.CHECKS, YearStage.CHECKS, False),
        (YearStage.CHECKS, YearStage.DRAFT, True),
        (YearStage.FILING, YearStage.DRAFT, True),
    ],
)
def test_a_year_moves_one_stage_ahead_or_back(following, before, after, may):
    FilingYear.objects.update(stage=before)
    following.refresh_from_db()
    if may:
        years.move_stage(following, after, **WHY)
        assert events() == [AuditEvent.YEAR_CHANGED]
    else:
        with pytest.raises(NotReady):
            years.move_stage(following, after, **WHY)
    assert FilingYear.objects.get(pk=NEXT).stage == (after if may else before)


def test_what_is_missing_for_filing_is_said_and_no_year_goes_back_once_a_file_is_signed(following):
    assert set(years.missing_data(following)) >= {"census", "panel of institutions"}
    filing = filing_of(NEXT)
    assert "panel of institutions" not in years.missing_data(following)
    years.move_stage(following, YearStage.FILING, **WHY)
    following.refresh_from_db()
    years.plan_stage(following, YearStage.CHECKS)
    add(filing, 1)
    assert years.plan_stage(following, YearStage.CHECKS).endswith(": 1.")
    add_signed(filing, 2, timezone.now())
    for stage in (YearStage.CHECKS, YearStage.DRAFT):
        with pytest.raises(NotReady):
            years.plan_stage(following, stage)


# --- rules


def test_another_rulebook_shows_what_changes_and_unsigned_files_run_it(following):
    changes = rulebooks.compare_rulebooks(2025, 2026)
    assert "Q621" in changes.codes("removed")
    (changed,) = (edit for edit in changes.edits if edit.code == "V695-3")
    assert changed.verb == "changed"
    assert changed.before != changed.after
    assert rulebooks.compare_rulebooks(2026, 2026).edits == ()
    years.move_stage(following, YearStage.FILING, **WHY)
    filing = filing_of(NEXT)
    signed = checked(filing, 1, str(LAST), Status.SIGNED)
    unsigned = checked(filing, 2, str(LAST), Status.VERIFIED)
    assert rules_run.run_outdated_again() == 0
    rulebooks.switch_rulebook(following, LAST - 1, **WHY)
    assert rulebook_period(Period(NEXT)).year == LAST - 1
    assert rules_run.run_outdated_again() == 1
    unsigned.refresh_from_db()
    signed.refresh_from_db()
    assert (unsigned.status, signed.status) == (Status.PARSED, Status.SIGNED)
    assert signed.rules_run == str(LAST)


def test_a_rulebook_that_cannot_be_run_is_refused(following):
    for rulebook, digest, refusal in [
        (LAST, None, NotReady),
        (NEXT, None, BadInput),
        (RULEBOOKS[0] - 1, None, BadInput),
        (LAST - 1, "of another plan", PreviewChanged),
    ]:
        with pytest.raises(refusal):
            rulebooks.switch_rulebook(following, rulebook, digest=digest, **WHY)
        assert FilingYear.objects.get(pk=NEXT).rulebook == LAST


def outdated() -> list[Submission]:
    return [each for of_year in rules_run.find_outdated_submissions() for each in of_year]


def lacks(code: str, year: int) -> str:
    edit = next(each for each in catalogue.list_edits(Period(LAST)) if each.code == code)
    return EditFacts(period=Period(year)).lacks(edit)


def test_a_withdrawn_edit_is_not_run_until_it_is_put_back(following):
    filing = filing_of(NEXT)
    unsigned = checked(filing, 1, str(LAST), Status.VERIFIED)
    withdrawn = rulebooks.withdraw_edit(following, "V695-3", by=BY, reason="It is wrong.")
    assert "It is wrong." in lacks("V695-3", NEXT)
    assert lacks("V695-3", LAST) == ""
    assert outdated() == [unsigned]
    assert "V695-3" in rulebooks.plan_rulebook(following, LAST - 1).partition("withdrawn")[2]
    rulebooks.put_back_edit(withdrawn, **WHY)
    assert lacks("V695-3", NEXT) == ""
    assert outdated() == []
    with pytest.raises(NotReady):
        rulebooks.put_back_edit(withdrawn, **WHY)
    assert events() == [AuditEvent.EDIT_WITHDRAWN, AuditEvent.EDIT_PUT_BACK]
    rulebooks.withdraw_edit(following, "V695-3", by=BY, reason="It is wrong again.")


@pytest.mark.parametrize(("days", "runs"), [(0, False), (-400, False), (1, True)])
def test_an_edit_is_withdrawn_from_a_day_on(following, days, runs):
    since = day_hours.today() + timedelta(days=days)
    rulebooks.withdraw_edit(following, "V695-3", since=since, by=BY, reason="It is wrong.")
    assert (lacks("V695-3", NEXT) == "") is runs


def test_an_edit_that_cannot_be_withdrawn_is_refused(following):
    rulebooks.withdraw_edit(following, "Q600", by=BY, reason="It is wrong.")
    for code, reason, refusal in [
        ("Q621", "Wrong.", BadInput),  # no edit of the last rulebook
        ("V695-3", "", BadInput),
        ("V695-3", "x" * (rulebooks.LONGEST_REASON + 1), BadInput),
        ("Q600", "Wrong.", AlreadyExists),
    ]:
        with pytest.raises(refusal):
            rulebooks.withdraw_edit(following, code, by=BY, reason=reason)
        assert following.withdrawals.count() == 1
