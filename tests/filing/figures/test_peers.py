"""How filers compare with institutions of their size: shares, classes left out, and where shown."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from django.core.cache import cache

from filing.figures import peers
from filing.models import EditResult, Filing, FilingPeriod, Institution, Signature, Submission
from filing.statuses import Status
from filing.tasks import compute_peer_shares
from tests.filing.figures.season import at
from tests.filing.pages.conftest import ann, browser  # noqa: F401 -- fixtures

pytestmark = pytest.mark.django_db
RECENT = date(date.today().year - 1, 12, 1)  # noqa: DTZ011 -- about a year ago will do


@pytest.fixture(autouse=True)
def empty_cache() -> None:
    cache.clear()


@pytest.fixture
def period(db: None) -> FilingPeriod:
    return make_period(2024)


def make_period(year: int) -> FilingPeriod:
    return FilingPeriod.objects.create(
        year=year, opens=RECENT, timely_until=date(2040, 1, 1), closes=date(2040, 1, 1)
    )


def sign(period: FilingPeriod, filers: int, *, lines: int, total: int, **facts: Any) -> None:
    """Sign files of institutions, each with an edit that was triggered in some records."""
    begin = Institution.objects.count()
    for number in range(begin, begin + filers):
        institution = Institution.objects.create(
            lei=f"529900PEER{number:010}", activity_year=period.year, name="P", agency=9, **facts
        )
        filing = Filing.objects.create(institution=institution, period=period)
        submission = Submission.objects.create(
            filing=filing, sequence_number=1, status=Status.SIGNED, lines=lines
        )
        Signature.objects.create(
            submission=submission, receipt=f"{submission}", signed_at=at("2025-02-01")
        )
        EditResult.objects.create(
            submission=submission, code="Q614", kind="quality", level="lar", total=total
        )


def submission_of(period: FilingPeriod, lines: int) -> Submission:
    return Submission(filing=Filing(period=period), lines=lines)


@pytest.mark.servers
def test_shares_are_those_of_all_records_of_the_class(period: FilingPeriod) -> None:
    sign(period, 6, lines=51, total=1)
    sign(period, 4, lines=76, total=2)
    compute_peer_shares()
    found = peers.find_peer_shares(submission_of(period, 100))
    assert found is not None
    assert (found.size, found.period) == ("under 100", "2024")
    assert found.shares == {"Q614": pytest.approx(100 * 14 / 600)}
    assert found.describe("Q614", 3).startswith("3.0% of your records, 2.3% for institutions")
    assert found.describe("Q999", 3).startswith("3.0% of your records, none for institutions")


def test_a_class_under_ten_institutions_is_left_out(period: FilingPeriod) -> None:
    sign(period, 9, lines=51, total=1)
    sign(period, 1, lines=51, total=1, is_test=True)
    sign(period, 1, lines=101, total=1)  # 100 records: the next class
    compute_peer_shares()
    assert peers.find_peer_shares(submission_of(period, 100)) is None
    sign(period, 1, lines=51, total=1)
    compute_peer_shares()
    assert peers.find_peer_shares(submission_of(period, 100)) is not None
    assert peers.find_peer_shares(submission_of(period, 101)) is None


@pytest.mark.servers
def test_the_year_before_counts_while_there_are_few(period: FilingPeriod) -> None:
    sign(make_period(2023), 10, lines=51, total=5)
    sign(period, 9, lines=51, total=1)
    compute_peer_shares()
    found = peers.find_peer_shares(submission_of(period, 31))
    assert found is not None
    assert (found.period, found.shares) == ("2023", {"Q614": 10.0})


@pytest.mark.servers
def test_small_shares_are_not_rounded_to_nothing(period: FilingPeriod) -> None:
    sign(period, 10, lines=20_001, total=1)
    compute_peer_shares()
    found = peers.find_peer_shares(submission_of(period, 20_001))
    assert found is not None
    assert found.describe("Q614", 1).startswith("under 0.1% of your records, under 0.1% for")
