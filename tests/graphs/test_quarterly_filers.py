"""The page of quarterly filers and its CSV."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from filing.models import Institution
from tests.filing.panel.test_lar_counts import NEW, QUARTERLY, filed

pytestmark = pytest.mark.django_db
PAGE = "/data/graphs/quarterly-filers/"
__all__ = ["filed"]


@pytest.fixture(autouse=True)
def panel(filed: None) -> None:
    Institution.objects.create(
        lei="529900TESTBANK000099",
        activity_year=2025,
        name="A Test",
        agency=9,
        quarterly_filer=True,
        is_test=True,
    )


def names(page: str) -> list[str]:
    return re.findall(r'<tr><th scope="row">([^<]*)</th>', page)


def test_the_page_is_sorted_by_any_column(client: Client) -> None:
    for sort, first in (("-0", "QUARTER BANK"), ("1", "NEWCOMER"), ("-3", "QUARTER BANK")):
        page = client.get(f"{PAGE}?sort={sort}").text
        assert names(page)[0] == first
        assert page.count('aria-sort="none"') == 5
    assert names(client.get(f"{PAGE}?sort=x").text) == ["NEWCOMER", "QUARTER BANK"]


def test_the_counts_are_saved_as_csv(client: Client) -> None:
    answer = client.get("/data/graphs/quarterly-filers.csv")
    name = "2025 Quarterly Filer Loan and Application Counts.csv"
    assert answer["Content-Disposition"] == f'attachment; filename="{name}"'
    assert answer.text.splitlines() == [
        "Institution Name,LEI,Agency,2024 LAR Count,2023 LAR Count,2022 LAR Count",
        f"NEWCOMER,{NEW},Consumer Financial Protection Bureau,,,",
        f"QUARTER BANK,{QUARTERLY},Federal Deposit Insurance Corporation,65000,61000,",
        "Total of Quarterly Filers,,,65000,61000,0",
        "Total of All Filers,,,65030,61000,0",
    ]
