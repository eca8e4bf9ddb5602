"""The page of quarterly filers and its CSV."""

from __future__ import annotations

import re
from urllib.parse import quote_plus

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


def test_the_page_lists_the_quarterly_filers_with_their_counts_and_totals(client: Client) -> None:
    page = client.get(PAGE).text
    assert names(page) == ["NEWCOMER", "QUARTER BANK"]
    assert "Quarterly filers of 2025" in page
    assert re.findall(r'class="site-number">([^<]*)<', page) == [
        *("", "", ""),
        *("65,000", "61,000", ""),
        *("65,000", "61,000", "0"),
        *("65,030", "61,000", "0"),
    ]
    assert 'href="/data/graphs/quarterly-filers/"' in client.get("/data/graphs/").text


def test_the_page_is_sorted_by_any_column(client: Client) -> None:
    for sort, first in (("-0", "QUARTER BANK"), ("1", "NEWCOMER"), ("-3", "QUARTER BANK")):
        page = client.get(f"{PAGE}?sort={sort}").text
        assert names(page)[0] == first
        assert page.count('aria-sort="none"') == 5
    assert names(client.get(f"{PAGE}?sort=x").text) == ["NEWCOMER", "QUARTER BANK"]


def test_filers_are_searched_by_a_part_of_name_or_lei(client: Client) -> None:
    for search, found in (("quarter b", ["QUARTER BANK"]), (NEW[-6:].lower(), ["NEWCOMER"])):
        page = client.get(PAGE, {"q": search, "sort": "-0"}).text
        assert names(page) == found
        assert "1 of 2 quarterly filers." in page
        assert f"sort=0&amp;q={quote_plus(search)}" in page
        assert 'href="/data/graphs/quarterly-filers/?sort=-0"' in page
    page = client.get(PAGE, {"q": "<nobody>"}).text
    assert names(page) == []
    assert "No quarterly filer has “&lt;nobody&gt;” in its name or LEI." in page


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


def test_the_former_address_leads_there(client: Client) -> None:
    answer = client.get("/data-browser/graphs/quarterly/info/filers")
    assert (answer.status_code, answer["Location"]) == (301, PAGE)


def test_without_a_panel_the_page_says_so(client: Client) -> None:
    Institution.objects.update(quarterly_filer=False)
    assert "No panel has quarterly filers yet." in client.get(PAGE).text
