"""How many records were filed in the years before: of all together, and of quarterly filers."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from filing.models import Filing, FilingPeriod, Institution, Signature, Submission
from filing.statuses import FilingStatus, Status
from tests.errors import error_of

pytestmark = pytest.mark.django_db
ADDRESS = "/v2/public/institutions/quarterly"
QUARTERLY, ANNUAL = "529900QUARTERLY00012", "529900ANNUALBANK0034"
NEW = "529900NEWCOMER000078"


def sign(lei: str, year: int, *records: int, quarter: str = "") -> Filing:
    """Sign a submission for each number of records, one after the other."""
    days = {"opens": date(2020, 1, 1), "timely_until": date(2030, 1, 1), "closes": date(2040, 1, 1)}
    period, _ = FilingPeriod.objects.get_or_create(year=year, quarter=quarter, defaults=days)
    institution, _ = Institution.objects.get_or_create(
        lei=lei,
        activity_year=year,
        defaults={"name": lei[6:12].title(), "agency": 3, "quarterly_filer": lei == QUARTERLY},
    )
    filing = Filing.objects.create(institution=institution, period=period)
    for number, count in enumerate(records, start=1):
        submission = Submission.objects.create(
            filing=filing, sequence_number=number, status=Status.SIGNED, lines=count + 1
        )
        signed_at = datetime(2025, 1, number, tzinfo=UTC)
        Signature.objects.create(
            submission=submission, receipt=f"{filing}-{number}", signed_at=signed_at
        )
    return filing


@pytest.fixture
def filed() -> None:
    Institution.objects.create(
        lei=QUARTERLY, activity_year=2025, name="Quarter Bank", agency=3, quarterly_filer=True
    )
    Institution.objects.create(
        lei=NEW, activity_year=2025, name="Newcomer", agency=9, quarterly_filer=True
    )
    Institution.objects.create(lei=ANNUAL, activity_year=2025, name="Annual Bank", agency=9)
    sign(QUARTERLY, 2024, 70_000, 65_000)  # the second one counts
    sign(QUARTERLY, 2023, 61_000)
    sign(QUARTERLY, 2024, 9_000, quarter="Q1")
    sign(ANNUAL, 2024, 30)
    unsigned = sign(ANNUAL, 2023)
    Submission.objects.create(filing=unsigned, sequence_number=1, status=Status.VERIFIED, lines=50)
    cancelled = sign("529900CANCELLED00056", 2023, 400)
    Filing.objects.filter(pk=cancelled.pk).update(status=FilingStatus.CANCELLED)


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


def test_a_panel_that_is_not_there_has_no_quarterly_filers() -> None:
    answer = Client().get(f"{ADDRESS}/2019/lars/past/1/")
    assert answer.json() == {"yearly": [{"year": "2018", "count": 0}], "quarterly": []}


@pytest.mark.parametrize("past", ["0", "11", "99"])
def test_only_some_past_years_are_counted(past: str) -> None:
    answer = Client().get(f"{ADDRESS}/2025/lars/past/{past}")
    assert answer.status_code == 400
    assert error_of(answer) == {
        "httpStatus": 400,
        "message": f"{past} past years cannot be counted; enter 1 to 10.",
        "path": f"/institutions/quarterly/2025/lars/past/{past}",
    }


@pytest.mark.parametrize("where", ["25/lars/past/1", "2025/lars/past/x", "2025/lars/past/100"])
def test_what_is_no_year_and_no_number_is_no_address(where: str) -> None:
    assert Client().get(f"{ADDRESS}/{where}").status_code == 404
