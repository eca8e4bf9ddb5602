"""The duty to file quarterly from a day on, and its end."""

from __future__ import annotations

import pytest
from django.test import Client

from filing.access import SERVICE
from filing.models import Filing, FilingPeriod, Institution, ReferenceData, Submission
from filing.panel import carry_over
from filing.seasons import open_season
from filing.submissions import overview
from tests.filing.lives.recorded import BANK, preview, record, refusal, take_back, texts_of
from tests.filing.lives.test_mergers import expected

pytestmark = pytest.mark.django_db
FROM = {"effective_on": "2025-04-01"}


@pytest.fixture
def annual(bank: Institution, other: Institution, periods: dict[str, FilingPeriod]) -> Institution:
    """Return the bank as an annual filer, whose annual filing of 2025 is expected."""
    Institution.objects.filter(lei=BANK).update(quarterly_filer=False)
    bank.refresh_from_db()
    Filing.objects.create(institution=bank, period=periods["2025"])
    return bank


def flags() -> dict[int, bool]:
    rows = Institution.objects.filter(lei=BANK)
    return dict(rows.values_list("activity_year", "quarterly_filer"))


def open_2025() -> None:
    ReferenceData.objects.create(
        kind="census", year=2025, source="test", rows=1, sha256="0" * 64, path="test"
    )
    open_season(2025, by=SERVICE)


def test_it_owes_the_quarters_that_begin_from_then_on(
    operator: Client, annual: Institution
) -> None:
    report = preview(operator, BANK, "quarterly", **FROM)
    assert set(texts_of(report, "Who files what")) == {"2025-Q2", "2025-Q3"}
    record(operator, BANK, "quarterly", **FROM)
    assert flags() == {2024: False, 2025: True}
    assert expected(BANK) == {"2025-Q2", "2025-Q3", "2025"}
    dues = {str(due.period) for due in overview.find_due_filings([BANK])}
    assert dues == {"2024", "2025-Q2", "2025-Q3", "2025"}
    open_2025()
    assert expected(BANK) == {"2025-Q2", "2025-Q3", "2025"}


def test_a_duty_from_the_next_year_on_is_carried_over(
    operator: Client, annual: Institution
) -> None:
    record(operator, BANK, "quarterly", effective_on="2026-01-01")
    assert flags() == {2024: False, 2025: False}
    carry_over.carry_panel_over(2025, 2026, reason="New year.", by=SERVICE)
    assert flags()[2026] is True


def test_it_ends_with_a_year(operator: Client, filings: dict[str, Filing]) -> None:
    event = record(operator, BANK, "quarterly-end", effective_on="2025-01-01")
    assert flags() == {2024: True, 2025: False}
    assert expected(BANK) == {"2024-Q1", "2024", "2025"}
    take_back(operator, event)
    assert flags() == {2024: True, 2025: True}
    assert len(expected(BANK)) == 6


@pytest.mark.parametrize(("ends", "before"), [("2025-04-01", {"2025-Q1"}), ("2025-01-01", set())])
def test_it_begins_again_after_it_ended(
    operator: Client, filings: dict[str, Filing], ends: str, before: set[str]
) -> None:
    years = {"2024-Q1", "2024", "2025"}
    end = record(operator, BANK, "quarterly-end", effective_on=ends)
    again = record(operator, BANK, "quarterly", effective_on="2025-07-01")
    assert expected(BANK) == {*years, *before, "2025-Q3"}
    assert "first" in take_back(operator, end)
    take_back(operator, again)
    assert expected(BANK) == {*years, *before}
    third = record(operator, BANK, "quarterly", effective_on="2025-07-01")
    Submission.objects.create(filing=filings["2025-Q3"], sequence_number=1)
    assert "created since" in take_back(operator, third)


def test_it_is_taken_back_unless_a_file_was_sent(operator: Client, annual: Institution) -> None:
    event = record(operator, BANK, "quarterly", **FROM)
    filing = Filing.objects.get(institution=annual, period__quarter="Q2")
    submission = Submission.objects.create(filing=filing, sequence_number=1)
    assert "created since" in take_back(operator, event)
    submission.delete()
    take_back(operator, event)
    assert flags() == {2024: False, 2025: False}
    assert expected(BANK) == {"2025"}


def test_refusals_say_what_to_do_instead(
    operator: Client, filings: dict[str, Filing], bank: Institution
) -> None:
    assert "already" in refusal(operator, BANK, "quarterly", **FROM)
    record(operator, BANK, "quarterly-end", effective_on="2025-07-01")
    assert "Take it back" in refusal(operator, BANK, "quarterly", **FROM)
    assert "2020" in refusal(operator, BANK, "quarterly", effective_on="2019-01-01")
    Institution.objects.update(quarterly_filer=False)
    assert "does not file quarterly" in refusal(operator, BANK, "quarterly-end", **FROM)
