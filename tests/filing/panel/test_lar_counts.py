"""How many records were filed in the years before: of all together, and of quarterly filers."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from filing.models import Filing
from filing.statuses import FilingStatus, Status
from tests import make
from tests.errors import error_of

pytestmark = pytest.mark.django_db
ADDRESS = "/v2/public/institutions/quarterly"
QUARTERLY, ANNUAL = "529900QUARTERLY00012", "529900ANNUALBANK0034"
NEW = "529900NEWCOMER000078"


def sign(lei: str, year: int, *records: int, quarter: str = "") -> Filing:
    """Sign a submission for each number of records, one after the other."""
    make.institution(lei, year=year, quarterly_filer=lei == QUARTERLY)
    filing = make.filing(lei, year=year, quarter=quarter)
    for day, count in enumerate(records, start=1):
        submission = make.submission(filing, lines=count + 1)
        make.signed(submission, signed_at=datetime(2025, 1, day, tzinfo=UTC))
    return filing


@pytest.fixture
def filed() -> None:
    make.institution(QUARTERLY, year=2025, name="Quarter Bank", agency=3)
    make.institution(NEW, year=2025, name="Newcomer")
    make.institution(ANNUAL, year=2025, name="Annual Bank", quarterly_filer=False)
    sign(QUARTERLY, 2024, 70_000, 65_000)  # the second one counts
    sign(QUARTERLY, 2023, 61_000)
    sign(QUARTERLY, 2024, 9_000, quarter="Q1")
    sign(ANNUAL, 2024, 30)
    make.submission(sign(ANNUAL, 2023), status=Status.VERIFIED, lines=50)
    make.change(sign("529900CANCELLED00056", 2023, 400), status=FilingStatus.CANCELLED)


@pytest.mark.usefixtures("filed")
def test_records_of_past_years_are_counted_by_the_file_signed_last() -> None:
    answer = Client().get(f"{ADDRESS}/2025/lars/past/3")
    assert answer.status_code == 200
    assert answer.json() == {
        "yearly": [
            {"year": "2024", "count": 65_030},
            {"year": "2023", "count": 61_000},
            {"year": "2022", "count": 0},
        ],
        "quarterly": [
            {
                "lei": NEW,
                "name": "Newcomer",
                "agency": "Consumer Financial Protection Bureau",
                "larCounts": [],
            },
            {
                "lei": QUARTERLY,
                "name": "Quarter Bank",
                "agency": "Federal Deposit Insurance Corporation",
                "larCounts": [{"year": "2024", "count": 65_000}, {"year": "2023", "count": 61_000}],
            },
        ],
    }


@pytest.mark.usefixtures("filed")
def test_counting_takes_three_statements() -> None:
    with CaptureQueriesContext(connection) as queries:
        Client().get(f"{ADDRESS}/2025/lars/past/2", headers={"x": "y"})
    assert len([each for each in queries if "limits_bucket" not in each["sql"]]) == 3


def test_only_some_past_years_are_counted() -> None:
    for past in ["0", "11", "99"]:
        answer = Client().get(f"{ADDRESS}/2025/lars/past/{past}")
        assert answer.status_code == 400
        assert error_of(answer) == {
            "httpStatus": 400,
            "message": f"{past} past years cannot be counted; enter 1 to 10.",
            "path": f"/institutions/quarterly/2025/lars/past/{past}",
        }
