"""Periods open and close by the day, and filings are started once."""

from datetime import UTC, date, datetime

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


def test_days_begin_at_midnight_in_new_york(monkeypatch):
    for now, is_open in [
        # Clocks in New York go forward on 9 March 2025, and back on 2 November.
        (datetime(2025, 3, 9, 4, 59, 59, tzinfo=UTC), False),
        (datetime(2025, 3, 9, 5, 0, 0, tzinfo=UTC), True),
        (datetime(2025, 11, 3, 4, 59, 59, tzinfo=UTC), True),
        (datetime(2025, 11, 3, 5, 0, 0, tzinfo=UTC), False),
    ]:
        monkeypatch.setattr(timezone, "now", lambda now=now: now)
        window = FilingPeriod(year=2024, opens=date(2025, 3, 9), closes=date(2025, 11, 2))
        assert filings.is_period_open(window) is is_open


# --- finding


def test_an_institution_that_is_not_in_the_panel_of_the_year_is_refused(institution):
    for lei, period, message in [
        (UNKNOWN, ANNUAL, f"institution with ID: {UNKNOWN} does not exist"),
        (LEI, Period(2023), f"institution with ID: {LEI} does not exist"),
        (LEI.lower(), ANNUAL, f"institution with ID: {LEI.lower()} does not exist"),
        (UNKNOWN, FIRST_QUARTER, "institution does not exist"),
        (LEI, Period(2023, 1), "institution does not exist"),
    ]:
        with pytest.raises(MissingParent) as refused:
            filings.find_institution(lei=lei, period=period)
        assert (refused.value.message, refused.value.status) == (message, 400)


def test_a_filing_that_nobody_started_is_not_found(institution):
    with pytest.raises(NotFound) as refused:
        filings.find_filing(lei=LEI, period=ANNUAL)
    message = f"Filing for institution: {LEI} and period: 2024 does not exist"
    assert (refused.value.message, refused.value.status) == (message, 404)


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


def test_a_filing_is_not_started(annual_only, filing, open_quarter, filer):
    for lei, period, refusal, message in [
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
    ]:
        with pytest.raises(refusal) as refused:
            filings.start_filing(lei=lei, period=period, by=filer)
        assert refused.value.message == message
        assert Filing.objects.count() == 1


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


# --- status


def test_a_filing_that_was_cancelled_is_not_completed(filing):
    Filing.objects.update(status=FilingStatus.CANCELLED)
    with pytest.raises(NotReady, match=f"Filing {LEI}-2024 is canceled"):
        filings.mark_filing_completed(filing, timezone.now(), by=SERVICE)
