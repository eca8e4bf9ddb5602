"""Filing periods and the filings that an institution owes, as data and as calendars."""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import Any

import pytest
from django.test import Client

from filing import day_hours
from filing.models import FilingYear
from filing.statuses import FilingStatus
from tests import make
from tests.conftest import LEI
from tests.filing.restored import restore_period

pytestmark = pytest.mark.django_db

PERIODS = "/v2/filing/periods"
OBLIGATIONS = f"/v2/filing/institutions/{LEI}/obligations"
DAYS = (date(2024, 1, 1), date(2024, 3, 1), date(2048, 12, 31))


def create_period(year: int, quarter: str = "", days: tuple[date, date, date] = DAYS) -> None:
    opens, due, closes = days
    restore_period(year, quarter, opens=opens, timely_until=due, closes=closes)


def read(client: Client, address: str) -> Any:
    answer = client.get(address)
    assert answer.status_code == 200, answer.content
    return answer.json()


def summaries(client: Client, address: str) -> list[str]:
    """Return the titles of the events of a calendar, whose lines are put together again."""
    answer = client.get(address)
    assert answer["Content-Type"] == "text/calendar; charset=UTF-8"
    content = answer.content.decode()
    assert max(len(line.encode()) for line in content.split("\r\n")) <= 75
    return re.findall(r"SUMMARY:(.*)\r\n", content.replace("\r\n ", ""))


def test_periods_and_years_are_public_and_newest_first():
    for year, quarter in ((2018, ""), (2025, "Q2"), (2025, ""), (2019, "Q1"), (2027, "")):
        create_period(year, quarter)
    body = read(Client(), PERIODS)
    # 2019 has no quarters, and files of 2027 can only be checked.
    assert [period["period"] for period in body["periods"]] == ["2025", "2025-Q2", "2018"]
    assert body["periods"][1] == {
        "period": "2025-Q2",
        "year": 2025,
        "quarter": "Q2",
        "opens": "2024-01-01",
        "due": "2024-03-01",
        "closes": "2048-12-31",
        "stage": "filing",
        "rulebook": 2025,
        "provisional": False,
        "thresholds": {
            "assets": 58_000_000,
            "closedEndLoans": 25,
            "openEndLines": 200,
            "quarterlyRecords": 60_000,
        },
    }
    years = {year["year"]: year for year in body["years"]}
    assert list(years) == sorted(years, reverse=True)
    prepared = years[2027]
    assert (prepared["stage"], prepared["rulebook"], prepared["provisional"]) == (
        "checks",
        2026,
        True,
    )
    assert body["periods"][0]["quarter"] is None
    answer = Client().get(f"{PERIODS}.ics?format=xlsx", headers={"Accept": "text/csv"})
    assert answer["Content-Type"].startswith("text/calendar")
    assert summaries(Client(), f"{PERIODS}.ics") == [
        f"HMDA filing deadline {period}" for period in ("2025", "2025-Q2", "2018")
    ]


def test_a_year_that_staff_prepare_is_not_public():
    year = FilingYear.objects.get(year=2027)
    year.stage = 1
    year.save()
    assert 2027 not in [each["year"] for each in read(Client(), PERIODS)["years"]]


@pytest.mark.parametrize("ending", ["", ".ics"])
def test_obligations_are_those_of_a_known_institution(ending, db):
    program = make.program(leis=[LEI])
    assert program.get(f"{OBLIGATIONS}{ending}").status_code == 404
    assert Client().get(f"{OBLIGATIONS}{ending}").status_code == 401
    other = OBLIGATIONS.replace(LEI, "529900OTHERBANK00017")
    assert program.get(f"{other}{ending}").status_code == 403


@pytest.mark.parametrize("address", [PERIODS, f"{PERIODS}.ics", OBLIGATIONS, f"{OBLIGATIONS}.ics"])
def test_what_has_not_changed_is_not_sent_again(address, program, institution, open_period):
    answer = program.get(address)
    condition = {"If-None-Match": answer["ETag"]}
    assert program.get(address, headers=condition).status_code == 304
    open_period.timely_until += timedelta(days=1)
    open_period.closes = max(open_period.closes, day_hours.today() + timedelta(days=9))
    open_period.save()
    assert program.get(address, headers=condition).status_code == 200


def test_a_canceled_filing_is_no_event(program, filing):
    filing.status = FilingStatus.CANCELLED
    filing.save()
    (obligation,) = read(program, OBLIGATIONS)["obligations"]
    assert obligation["filingStatus"]["code"] == FilingStatus.CANCELLED
    assert summaries(program, f"{OBLIGATIONS}.ics") == []
