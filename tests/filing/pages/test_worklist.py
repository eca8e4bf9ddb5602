"""The list of whoever files for many: what is due first, with search, filter and pages."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from filing import day_hours
from filing.models import Filing, FilingPeriod, Institution, Membership, Submission
from filing.statuses import FilingStatus, Status
from tests import make
from tests.filing.pages.steps import member, signed_in, text

pytestmark = pytest.mark.django_db
LEIS = [f"529900MANYBANK{number:06d}" for number in range(60)]


@pytest.fixture
def later() -> FilingPeriod:
    return make.period(2024, timely_until=day_hours.today() + timedelta(days=60))


@pytest.fixture
def vendor(later: FilingPeriod) -> Client:
    """Someone who files for 60 institutions."""
    Institution.objects.bulk_create(
        Institution(lei=lei, activity_year=2024, name=f"Bank {number:02d}", agency=9)
        for number, lei in enumerate(LEIS)
    )
    return signed_in(member("vera", *LEIS))


def start(lei: str, period: FilingPeriod, status: Status) -> Submission:
    filing = make.filing(lei, year=period.year, status=FilingStatus.IN_PROGRESS)
    return make.submission(filing, status=status)


def test_filings_are_found_by_state(vendor: Client, later: FilingPeriod) -> None:
    states = (
        (Status.CREATED, "upload", "Waiting for a file"),
        (Status.QUALITY_ERRORS, "review", "Quality edits to verify"),
        (Status.VERIFIED, "sign", "Ready to certify and sign"),
        (Status.PARSING, "checking", "Checking"),
    )
    for lei, (status, _, _) in zip(LEIS, states, strict=False):
        start(lei, later, status)
    for _, state, label in states:
        page = text(vendor.get(f"/filing/?state={state}"))
        assert "1 filing " in page
        assert label in page.split("Next step")[1]
    assert "56 filings" in text(vendor.get("/filing/?state=start"))


def test_an_institution_without_a_filing_period_is_listed_last(vendor: Client) -> None:
    Institution.objects.filter(lei=LEIS[0]).delete()
    page = text(vendor.get("/filing/?state=none"))
    assert LEIS[0] in page
    assert "No filing period now" in page.split("Next step")[1]


def test_a_cancelled_filing_is_over(vendor: Client, later: FilingPeriod) -> None:
    start(LEIS[3], later, Status.CREATED)
    Filing.objects.update(status=FilingStatus.CANCELLED)
    assert "Canceled" in text(vendor.get("/filing/?state=over")).split("Next step")[1]


def test_only_steps_that_the_roles_at_the_institution_allow_are_offered(
    vendor: Client, later: FilingPeriod, django_assert_max_num_queries: Any
) -> None:
    for lei in LEIS[:4]:
        start(lei, later, Status.VERIFIED)
    signs, prepares, reads = (Membership.objects.filter(lei=lei) for lei in LEIS[1:4])
    signs.update(is_preparer=False)
    prepares.update(is_signer=False)
    reads.update(is_preparer=False, is_signer=False)
    with django_assert_max_num_queries(30):
        page = vendor.get("/filing/?state=sign")
    offered = {row["item"].lei: bool(row["card"].button) for row in page.context["rows"]}
    assert offered == {LEIS[0]: True, LEIS[1]: True, LEIS[2]: False, LEIS[3]: False}
    assert "Upload many files" in text(page)
    Membership.objects.update(is_preparer=False)
    page = vendor.get("/filing/?state=start")
    assert {row["card"].button for row in page.context["rows"]} == {""}
    assert "Upload many files" not in text(page)
