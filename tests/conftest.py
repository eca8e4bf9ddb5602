"""What many tests begin with: an institution, an open period, a filing, a submission."""

from datetime import date

import pytest

from filing import submissions
from filing.access import Caller
from filing.lar.period import Period
from filing.models import Filing, FilingPeriod, Institution, Submission

LEI = "529900TESTBANK000042"
OTHER_LEI = "529900OTHERBANK00017"


@pytest.fixture
def filer() -> Caller:
    return Caller(id="user-1", username="ann", email="ann@bank.example", leis=frozenset({LEI}))


@pytest.fixture
def institution(db: None) -> Institution:
    return Institution.objects.create(
        activity_year=2024,
        lei=LEI,
        name="Test Bank",
        tax_id="12-3456789",
        agency=9,
        email_domains=["bank.example"],
        quarterly_filer=True,
    )


@pytest.fixture
def open_period(db: None) -> FilingPeriod:
    return FilingPeriod.objects.create(
        year=2024,
        opens=date(2020, 1, 1),
        timely_until=date(2030, 1, 1),
        closes=date(2040, 1, 1),
    )


@pytest.fixture
def filing(institution: Institution, open_period: FilingPeriod) -> Filing:
    return Filing.objects.create(institution=institution, period=open_period)


@pytest.fixture
def submission(filing: Filing, filer: Caller) -> Submission:
    return submissions.create(lei=LEI, period=Period(2024), by=filer)
