"""An extension for one institution: its deadline wherever it is shown, and only its own."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from filing import day_hours, submissions
from filing.access import SERVICE, Caller
from filing.errors import PeriodClosed
from filing.lar.years import Period
from filing.models import (
    Filing,
    FilingPeriod,
    Institution,
    Mail,
    ReferenceData,
    Submission,
)
from filing.models.extensions import known_extensions
from filing.periods import timeliness
from filing.periods.timeliness import Timeliness
from filing.seasons import figures, open_season, reminders
from filing.statuses import Status
from filing.submissions import worklist
from tests import make
from tests.filing.lives.recorded import BANK, OTHER, record, refusal, take_back

pytestmark = pytest.mark.django_db
TODAY = day_hours.today()
DEADLINE, CLOSES = TODAY + timedelta(days=20), TODAY + timedelta(days=90)
WORDS = day_hours.day_in_words(DEADLINE)
EXTENSION = {
    "periods": ["2025"],
    "timely_until": DEADLINE.isoformat(),
    "closes": CLOSES.isoformat(),
    "why": "Hurricane Milton",
}


@pytest.fixture
def closed(filings: dict[str, Filing], periods: dict[str, FilingPeriod]) -> Filing:
    """Return the filing of a period whose deadline and last day have just passed."""
    days = {"timely_until": TODAY - timedelta(days=30), "closes": TODAY - timedelta(days=2)}
    make.change(periods["2025"], **days)
    filings["2025"].refresh_from_db()
    return filings["2025"]


@pytest.fixture
def filer(ann: User) -> Client:
    return make.browser(ann)


def signed(filing: Filing, at: datetime) -> Submission:
    """Return a submission of a filing that was signed at a time."""
    submission = make.submission(filing, transmittal_sheet={})
    return make.signed(submission, signed_at=at, sha256="0" * 64)


def test_an_extended_institution_files_after_everyone_else(
    operator: Client, closed: Filing, filings: dict[str, Filing], other: Institution
) -> None:
    by = Caller(id="1", username="ann", leis=frozenset({BANK, OTHER}))
    with pytest.raises(PeriodClosed):
        submissions.create_submission(lei=BANK, period=Period(2025), by=by)
    record(operator, BANK, "extension", **EXTENSION)
    assert submissions.create_submission(lei=BANK, period=Period(2025), by=by)
    with pytest.raises(PeriodClosed):
        submissions.create_submission(lei=OTHER, period=Period(2025), by=by)


def test_each_place_shows_the_deadline_of_the_institution(
    operator: Client, filer: Client, ann: User, closed: Filing, other: Institution
) -> None:
    record(operator, BANK, "extension", **EXTENSION)
    filing = Filing.objects.get(pk=closed.pk)

    def shows(client: Client, address: str, **query: Any) -> str:
        answer = client.get(address, query)
        assert answer.status_code == 200, address
        text = answer.content.decode()
        assert WORDS in text, address
        assert "Hurricane Milton" in text, address
        return text

    # pages of filers
    shows(filer, reverse("filing-pages"))
    shows(filer, reverse("filing-institution", args=[BANK]))
    shows(filer, reverse("filing-period", args=[BANK, "2025"]))
    # the API
    api = "/v2/filing/institutions"
    program = make.program("ann", leis=[BANK])
    rows = program.get(f"{api}/{BANK}/obligations").json()["obligations"]
    (annual,) = (row for row in rows if row["period"] == "2025")
    assert (annual["due"], annual["closes"]) == (DEADLINE.isoformat(), CLOSES.isoformat())
    assert annual["extension"] == "Hurricane Milton"
    calendar = program.get(f"{api}/{BANK}/obligations.ics").content.decode()
    assert f"DTSTART;VALUE=DATE:{DEADLINE:%Y%m%d}" in calendar
    # everyone's calendar has everyone's deadline
    assert f"{DEADLINE:%Y%m%d}" not in filer.get("/v2/filing/periods.ics").content.decode()
    # the admin
    shows(operator, reverse("admin:filing_filing_change", args=[filing.pk]))
    shows(operator, reverse("admin:filing_institution_change", args=[filing.institution_id]))
    created = Submission.objects.create(filing=filing, sequence_number=1, status=Status.CREATED)
    page = shows(operator, reverse("admin:filing_submission_change", args=[created.pk]))
    assert "Not signed yet; the filing deadline is" in page
    shows(operator, reverse("admin:season_not_filed"), period="2025")
    not_filed = {row[0]: row[-1] for row in figures.list_not_filed_rows(filing.period)}
    assert not_filed == {"lei": "extended_until", BANK: DEADLINE.isoformat(), OTHER: ""}
    # the list of those who file for many
    work = {item.period.timely_until for item in worklist.list_work([BANK]) if item.period}
    assert DEADLINE in work
    # lists, filters and figures
    due, overdue = Timeliness.DUE, Timeliness.OVERDUE
    of_bank = Filing.objects.filter(institution__lei=BANK, period=filing.period)
    of_other = Filing.objects.filter(institution__lei=OTHER, period=filing.period)
    assert of_bank.filter(timeliness.is_filing_with_timeliness(due)).exists()
    assert not of_bank.filter(timeliness.is_filing_with_timeliness(overdue)).exists()
    assert of_other.filter(timeliness.is_filing_with_timeliness(overdue)).exists()
    assert created in Submission.objects.filter(timeliness.is_submission_with_timeliness(due))
    assert of_bank.filter(figures.is_due_soon()).count() == 0  # in 20 days
    assert not of_bank.filter(figures.is_late_and_open()).exists()
    (period,) = figures.count_filings(FilingPeriod.objects.filter(pk=filing.period_id))
    assert period.late == 1  # the other one  # type: ignore[attr-defined]
    # emails
    plan = reminders.plan_reminder(filing.period)
    draft = reminders.draft_reminder(
        None, filing.period, "Please file.", ann.email, [line.institution for line in plan.lines]
    )
    (line,) = (line for line in draft.text.splitlines() if BANK in line)
    assert WORDS in line
    assert WORDS not in next(line for line in draft.text.splitlines() if OTHER in line)


def test_a_receipt_within_the_extension_is_timely(
    operator: Client, filer: Client, closed: Filing, other: Institution
) -> None:
    record(operator, BANK, "extension", **EXTENSION)
    now = day_hours.find_start_of_day(TODAY - timedelta(days=1))
    mine = signed(Filing.objects.get(pk=closed.pk), now)
    theirs = signed(Filing.objects.get(institution__lei=OTHER, period=closed.period), now)
    assert timeliness.find_timeliness(mine) is Timeliness.TIMELY
    assert timeliness.find_timeliness(theirs) is Timeliness.LATE
    for kind, submission in ((Timeliness.TIMELY, mine), (Timeliness.LATE, theirs)):
        is_kind = timeliness.is_submission_with_timeliness(kind)
        assert list(Submission.objects.filter(is_kind)) == [submission]
        is_kind = timeliness.is_filing_with_timeliness(kind)
        found = Filing.objects.filter(is_kind, period=closed.period)
        assert [filing.pk for filing in found] == [submission.filing_id]
    assert figures.build_signature_curve(closed.period).late == 1
    page = filer.get(reverse("filing-receipt", args=[BANK, "2025", 1])).content.decode()
    assert day_hours.day_in_words(CLOSES) in page  # until when a corrected file is accepted


def test_it_is_taken_back(operator: Client, closed: Filing, ann: User) -> None:
    event = record(operator, BANK, "extension", **EXTENSION)
    longer = {**EXTENSION, "timely_until": CLOSES.isoformat()}
    second = record(operator, BANK, "extension", **longer)
    assert closed.period.of_institution(BANK).timely_until == CLOSES
    assert "first" in take_back(operator, event)
    take_back(operator, second)
    assert closed.period.of_institution(BANK).timely_until == DEADLINE
    take_back(operator, event)
    assert closed.period.of_institution(BANK).timely_until == closed.period.timely_until
    assert Mail.objects.filter(kind="institution_event", to=ann.email).count() == 4


def test_it_stays_once_something_was_signed_within_it(operator: Client, closed: Filing) -> None:
    event = record(operator, BANK, "extension", **EXTENSION)
    signed(Filing.objects.get(pk=closed.pk), event.at + timedelta(seconds=1))
    assert "signed since" in take_back(operator, event)
    assert known_extensions()


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"timely_until": "2020-01-01"}, "later one"),
        ({"closes": (DEADLINE - timedelta(days=1)).isoformat()}, "deadline or later"),
        ({"periods": []}, "required"),
        ({"why": ""}, "required"),
    ],
)
def test_days_that_extend_nothing_are_refused(
    operator: Client, closed: Filing, changes: dict[str, Any], says: str
) -> None:
    assert says in refusal(operator, BANK, "extension", **{**EXTENSION, **changes})


def test_a_season_opened_again_keeps_it(operator: Client, closed: Filing, ann: User) -> None:
    record(operator, BANK, "extension", **EXTENSION)
    ReferenceData.objects.create(
        kind="census", year=2025, source="test", rows=1, sha256="0" * 64, path="test"
    )
    open_season(2025, closes=date(2050, 1, 1), by=SERVICE)
    period = FilingPeriod.objects.get(year=2025, quarter="")
    assert period.of_institution(BANK).timely_until == DEADLINE
    assert period.of_institution(BANK).closes == date(2050, 1, 1)  # everyone's is later
