"""Periods open and close by the day, and filings are started once."""

from datetime import UTC, date, datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from filing import submissions
from filing.access import SERVICE
from filing.errors import (
    AlreadyExists,
    Forbidden,
    MissingParent,
    NotFound,
    NotReady,
    PeriodClosed,
)
from filing.lar.years import Period
from filing.models import Filing, FilingPeriod, Institution, Submission
from filing.periods import filings
from filing.statuses import FilingStatus

pytestmark = pytest.mark.django_db
LEI = "529900TESTBANK000042"
UNKNOWN = "529900OTHERBANK00017"
PERIOD_CLOSED = "The provided year or quarter is no longer available for filing"
ANNUAL, FIRST_QUARTER = Period(2024), Period(2024, 1)


@pytest.fixture
def open_quarter(open_period) -> FilingPeriod:
    return FilingPeriod.objects.create(
        year=2024,
        quarter="Q1",
        opens=open_period.opens,
        timely_until=open_period.timely_until,
        closes=open_period.closes,
    )


@pytest.fixture
def annual_only(institution) -> Institution:
    institution.quarterly_filer = False
    institution.save()
    return institution


# --- windows and days


@pytest.mark.parametrize(
    ("today", "is_open"),
    [
        (date(2025, 3, 8), False),
        (date(2025, 3, 9), True),
        (date(2025, 5, 1), True),
        (date(2025, 11, 2), True),
        (date(2025, 11, 3), False),
    ],
)
def test_a_period_is_open_from_its_first_day_to_its_last(today, is_open):
    window = FilingPeriod(year=2024, opens=date(2025, 3, 9), closes=date(2025, 11, 2))
    assert filings.is_period_open(window, today) is is_open


@pytest.mark.parametrize(
    ("now", "is_open"),
    [
        # Clocks in New York go forward on 9 March 2025, and back on 2 November.
        (datetime(2025, 3, 9, 4, 59, 59, tzinfo=UTC), False),
        (datetime(2025, 3, 9, 5, 0, 0, tzinfo=UTC), True),
        (datetime(2025, 11, 3, 4, 59, 59, tzinfo=UTC), True),
        (datetime(2025, 11, 3, 5, 0, 0, tzinfo=UTC), False),
    ],
)
def test_days_begin_at_midnight_in_new_york(monkeypatch, now, is_open):
    monkeypatch.setattr(timezone, "now", lambda: now)
    window = FilingPeriod(year=2024, opens=date(2025, 3, 9), closes=date(2025, 11, 2))
    assert filings.is_period_open(window) is is_open


def test_days_begin_where_the_site_says(monkeypatch, settings):
    settings.FILING_TIME_ZONE = "Pacific/Honolulu"
    now = datetime(2025, 3, 9, 9, 59, 59, tzinfo=UTC)
    monkeypatch.setattr(timezone, "now", lambda: now)
    window = FilingPeriod(year=2024, opens=date(2025, 3, 9), closes=date(2025, 11, 2))
    assert not filings.is_period_open(window)
    monkeypatch.setattr(timezone, "now", lambda: now + timedelta(seconds=1))
    assert filings.is_period_open(window)


def test_a_period_is_found_if_somebody_made_it(open_period):
    assert filings.find_period(ANNUAL) == open_period
    assert filings.find_period(FIRST_QUARTER) is None


# --- finding


def test_an_institution_is_found_by_lei_and_year(institution):
    assert filings.find_institution(lei=LEI, period=ANNUAL) == institution
    assert filings.find_institution(lei=LEI, period=FIRST_QUARTER) == institution


@pytest.mark.parametrize(
    ("lei", "period", "message"),
    [
        (UNKNOWN, ANNUAL, f"institution with ID: {UNKNOWN} does not exist"),
        (LEI, Period(2023), f"institution with ID: {LEI} does not exist"),
        (LEI.lower(), ANNUAL, f"institution with ID: {LEI.lower()} does not exist"),
        (UNKNOWN, FIRST_QUARTER, "institution does not exist"),
        (LEI, Period(2023, 1), "institution does not exist"),
    ],
)
def test_an_institution_that_is_not_in_the_panel_of_the_year_is_refused(
    institution, lei, period, message
):
    with pytest.raises(MissingParent) as refused:
        filings.find_institution(lei=lei, period=period)
    assert (refused.value.message, refused.value.status) == (message, 400)


def test_a_filing_is_found_in_one_query_with_what_belongs_to_it(filing):
    with CaptureQueriesContext(connection) as queries:
        found = filings.find_filing(lei=LEI, period=ANNUAL)
        assert (found, str(found)) == (filing, f"{LEI}-2024")
    assert len(queries) == 1


def test_a_filing_that_nobody_started_is_not_found(institution):
    with pytest.raises(NotFound) as refused:
        filings.find_filing(lei=LEI, period=ANNUAL)
    message = f"Filing for institution: {LEI} and period: 2024 does not exist"
    assert (refused.value.message, refused.value.status) == (message, 404)


def test_a_filing_of_no_institution_is_refused_for_want_of_the_institution():
    with pytest.raises(MissingParent):
        filings.find_filing(lei=UNKNOWN, period=ANNUAL)


def test_a_quarterly_filing_is_refused_to_who_no_longer_files_quarterly(annual_only, open_quarter):
    Filing.objects.create(institution=annual_only, period=open_quarter)
    with pytest.raises(Forbidden, match="Institution is not permitted to do quarterly filing"):
        filings.find_filing(lei=LEI, period=FIRST_QUARTER)


@pytest.mark.servers
def test_the_filings_of_a_year_come_with_their_submissions(
    filing, open_quarter, institution, filer
):
    quarterly = Filing.objects.create(institution=institution, period=open_quarter)
    first = submissions.create_submission(lei=LEI, period=ANNUAL, by=filer)
    second = submissions.create_submission(lei=LEI, period=ANNUAL, by=filer)
    with CaptureQueriesContext(connection) as queries:
        owed = filings.find_filings(institution)
        assert [(each.filing, each.submissions) for each in owed] == [
            (filing, [second, first]),
            (quarterly, []),
        ]
        assert str(owed[0].submissions[0]) == f"{LEI}-2024-2"
    assert len(queries) == 2
    assert [each.filing for each in filings.find_filings(institution, quarter="Q1")] == [quarterly]


# --- starting


def test_a_started_filing_is_in_progress(institution, open_period, filer):
    filing = filings.start_filing(lei=LEI, period=ANNUAL, by=filer)
    assert (filing.institution, filing.period) == (institution, open_period)
    assert filing.status == FilingStatus.IN_PROGRESS
    assert filing.required
    assert filing.completed_at is None
    assert Filing.objects.get() == filing


def test_a_quarter_is_started_beside_the_year(filing, open_quarter, filer):
    filings.start_filing(lei=LEI, period=FIRST_QUARTER, by=filer)
    assert {str(each) for each in Filing.objects.all()} == {f"{LEI}-2024", f"{LEI}-2024-Q1"}


@pytest.mark.parametrize(
    ("lei", "period", "refusal", "message"),
    [
        (UNKNOWN, FIRST_QUARTER, MissingParent, "institution does not exist"),
        (UNKNOWN, ANNUAL, MissingParent, f"institution with ID: {UNKNOWN} does not exist"),
        (
            LEI,
            FIRST_QUARTER,
            Forbidden,
            "Institution is not permitted to do quarterly filing",
        ),
        (
            UNKNOWN,
            Period(2023),
            PeriodClosed,
            f"{PERIOD_CLOSED}. There is no filing period 2023.",
        ),
        (LEI, ANNUAL, AlreadyExists, f"Filing {LEI}-2024 already exists"),
    ],
)
def test_a_filing_is_not_started(
    annual_only, filing, open_quarter, filer, lei, period, refusal, message
):
    with pytest.raises(refusal) as refused:
        filings.start_filing(lei=lei, period=period, by=filer)
    assert refused.value.message == message
    assert Filing.objects.count() == 1


@pytest.mark.servers
def test_a_quarterly_filing_is_not_started_twice(institution, open_quarter, filer):
    filings.start_filing(lei=LEI, period=FIRST_QUARTER, by=filer)
    with pytest.raises(AlreadyExists, match=f"Filing {LEI}-2024-Q1 already exists"):
        filings.start_filing(lei=LEI, period=FIRST_QUARTER, by=filer)


@pytest.mark.parametrize("period", [ANNUAL, FIRST_QUARTER])
def test_a_filing_is_not_started_outside_its_days(institution, open_quarter, filer, period):
    FilingPeriod.objects.update(timely_until=date(2021, 1, 1), closes=date(2021, 1, 1))
    with pytest.raises(PeriodClosed) as refused:
        filings.start_filing(lei=LEI, period=period, by=filer)
    assert refused.value.message == (
        f"{PERIOD_CLOSED}. The filing period {period} closed on January 1, 2021."
    )
    assert not Filing.objects.exists()


def test_a_closed_period_takes_neither_a_file_nor_a_signature(submission, filer):
    FilingPeriod.objects.update(timely_until=date(2021, 1, 1), closes=date(2021, 1, 1))
    late = Submission.objects.select_related("filing__period").get(pk=submission.pk)
    message = f"^{PERIOD_CLOSED}. The filing period 2024 closed on January 1, 2021.$"
    with pytest.raises(PeriodClosed, match=message), submissions.Reception(late, by=filer).opened():
        pass
    with pytest.raises(PeriodClosed, match=message):
        submissions.sign_submission(late, signed=True, by=filer)


def test_before_its_first_day_a_period_says_when_it_opens(institution, open_period, filer):
    days = ("opens", "timely_until", "closes")
    FilingPeriod.objects.update(**dict.fromkeys(days, date(2099, 4, 1)))
    with pytest.raises(PeriodClosed) as refused:
        filings.start_filing(lei=LEI, period=ANNUAL, by=filer)
    assert refused.value.message == (
        f"{PERIOD_CLOSED}. The filing period 2024 opens on April 1, 2099."
    )


def test_require_open_gives_the_period_or_says_what_is_wrong(annual_only, open_period):
    assert filings.require_open_period(lei=LEI, period=ANNUAL) == open_period
    assert filings.require_open_period(lei=UNKNOWN, period=ANNUAL) == open_period
    with pytest.raises(PeriodClosed):
        filings.require_open_period(lei=LEI, period=Period(2023))
    with pytest.raises(Forbidden):
        filings.require_open_period(lei=LEI, period=FIRST_QUARTER)
    with pytest.raises(MissingParent, match="institution does not exist"):
        filings.require_open_period(lei=UNKNOWN, period=FIRST_QUARTER)


# --- status


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (FilingStatus.NOT_STARTED, FilingStatus.IN_PROGRESS),
        (FilingStatus.IN_PROGRESS, FilingStatus.IN_PROGRESS),
        (FilingStatus.COMPLETED, FilingStatus.COMPLETED),
        (FilingStatus.CANCELLED, FilingStatus.CANCELLED),
    ],
)
def test_a_first_submission_moves_only_a_filing_that_was_not_started(filing, before, after):
    Filing.objects.update(status=before)
    filing.refresh_from_db()
    filings.mark_filing_in_progress(filing)
    assert filing.status == after
    assert Filing.objects.get().status == after


@pytest.mark.parametrize("before", set(FilingStatus) - {FilingStatus.CANCELLED})
def test_a_signature_completes_a_filing_and_a_later_one_moves_the_time(filing, before):
    Filing.objects.update(status=before)
    for at in (datetime(2025, 1, 2, tzinfo=UTC), datetime(2025, 2, 3, tzinfo=UTC)):
        filings.mark_filing_completed(filing, at, by=SERVICE)
        assert (filing.status, filing.completed_at) == (FilingStatus.COMPLETED, at)
        found = Filing.objects.get()
        assert (found.status, found.completed_at) == (FilingStatus.COMPLETED, at)


def test_a_filing_that_was_cancelled_is_not_completed(filing):
    Filing.objects.update(status=FilingStatus.CANCELLED)
    with pytest.raises(NotReady, match=f"Filing {LEI}-2024 is canceled"):
        filings.mark_filing_completed(filing, timezone.now(), by=SERVICE)


@pytest.mark.servers
def test_a_filing_is_named_by_institution_and_period_from_its_submissions_too(
    open_period, open_quarter, institution, filing, submission
):
    other = Institution.objects.create(
        activity_year=2024, lei=UNKNOWN, name="Another", tax_id="98-7654321", agency=9
    )
    Filing.objects.create(institution=other, period=open_period)
    of_quarter = filings.start_filing(lei=LEI, period=FIRST_QUARTER, by=SERVICE)
    wanted = filings.match_filing(lei=LEI, period=ANNUAL)
    assert list(Filing.objects.filter(wanted)) == [filing]
    assert list(Filing.objects.filter(filings.match_filing(lei=LEI, period=FIRST_QUARTER))) == [
        of_quarter
    ]
    assert not Filing.objects.filter(filings.match_filing(lei=LEI, period=Period(2023))).exists()
    submissions.create_submission(lei=UNKNOWN, period=ANNUAL, by=SERVICE)
    from_submissions = filings.match_filing(lei=LEI, period=ANNUAL, of="filing__")
    assert list(Submission.objects.filter(from_submissions)) == [submission]
