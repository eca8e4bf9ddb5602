"""Worked examples of coverage over HTTP: each threshold below, at and above; each condition."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from filing.models import FilingYear
from filing.models.filing_years import released_years

pytestmark = pytest.mark.django_db

CALL = "/v2/public/coverage"
YEAR = 2025
# A bank that reports closed-end loans alone, and is partially exempt.
BANK: dict[str, Any] = {
    "year": YEAR,
    "kind": "bank",
    "assets": 900_000_000,
    "federal": "insured",
    "office": "yes",
    "home_loan": "yes",
    "closed_end_1": 300,
    "closed_end_2": 310,
    "open_end_1": 20,
    "open_end_2": 30,
    "records": 400,
    "low_cra": "no",
}
LENDER = {name: BANK[name] for name in BANK.keys() - {"assets", "federal", "home_loan", "low_cra"}}
LENDER["kind"] = "lender"
YES, NO, DEPENDS = "yes", "no", "depends"


def ask(client: Client, values: dict[str, Any], **changes: Any) -> dict[str, Any]:
    sent = {name: value for name, value in (values | changes).items() if value is not None}
    answer = client.get(CALL, sent)
    assert answer.status_code == 200, answer.content
    body: dict[str, Any] = answer.json()
    return body


def verdicts(body: dict[str, Any]) -> tuple[str, ...]:
    """Return the answers: closed-end, open-end, quarterly, and both partial exemptions."""
    partial = body["partialExemption"]
    each = (body["closedEnd"], body["openEnd"], body["quarterly"])
    return tuple(one["answer"] for one in (*each, partial["closedEnd"], partial["openEnd"]))


def sections(conclusion: dict[str, Any]) -> str:
    return " ".join(reason["section"] for reason in conclusion["reasons"])


def test_a_small_bank_reports_closed_end_loans_and_is_partially_exempt(client):
    body = ask(client, BANK)
    assert verdicts(body) == (YES, NO, NO, YES, NO)
    assert body["unanswered"] == []
    assert "legal advice" in body["notice"]
    assert all(reason["met"] for reason in body["closedEnd"]["reasons"])
    for section in ("(g)(1)(i)", "(g)(1)(ii)", "(g)(1)(iii)", "(g)(1)(iv)", "(g)(1)(v)(A)"):
        assert f"12 CFR 1003.2{section}" in sections(body["closedEnd"])
    assert "1003.3(c)(12)" in sections(body["openEnd"])


@pytest.mark.parametrize("year", [row.year for row in released_years() if row.asset_threshold])
def test_assets_at_the_threshold_of_the_year_are_exempt_and_one_dollar_more_are_not(client, year):
    threshold = FilingYear.objects.get(pk=year).asset_threshold or 0
    counts = {"closed_end_1": 900, "closed_end_2": 900}
    for assets, expected in ((threshold - 1, NO), (threshold, NO), (threshold + 1, YES)):
        body = ask(client, BANK, year=year, assets=assets, **counts)
        assert body["closedEnd"]["answer"] == expected
        assert body["thresholds"]["assets"] == threshold


def test_a_threshold_that_staff_enter_counts_at_once(client):
    year = FilingYear.objects.latest("year")
    body = ask(client, BANK, year=year.pk)
    assert body["closedEnd"]["answer"] == DEPENDS
    assert "not published" in body["closedEnd"]["reasons"][0]["text"]
    FilingYear.objects.filter(pk=year.pk).update(asset_threshold=900_000_000)
    assert ask(client, BANK, year=year.pk)["closedEnd"]["answer"] == NO
    assert ask(client, BANK, year=year.pk, assets=900_000_001)["closedEnd"]["answer"] == YES


@pytest.mark.parametrize(("year", "values"), [(2019, BANK), (2023, LENDER), (2026, BANK)])
def test_closed_end_loans_count_in_each_of_the_two_years_before(client, year, values):
    for first, second, expected in ((24, 900, NO), (900, 24, NO), (25, 25, YES), (26, 26, YES)):
        counts = {"closed_end_1": first, "closed_end_2": second}
        assert ask(client, values, year=year, **counts)["closedEnd"]["answer"] == expected


@pytest.mark.parametrize("year", [2020, 2021, 2022])
def test_between_the_vacated_threshold_and_that_before_it_depends(client, year):
    for first, second, expected in (
        (24, 900, NO),
        (900, 24, NO),
        (24, None, NO),
        (25, 25, DEPENDS),
        (99, 900, DEPENDS),
        (900, 99, DEPENDS),
        (900, None, DEPENDS),
        (100, 100, YES),
        (101, 900, YES),
    ):
        conclusion = ask(client, BANK, year=year, closed_end_1=first, closed_end_2=second)
        assert conclusion["closedEnd"]["answer"] == expected
    reasons = ask(client, BANK, year=year, closed_end_1=99, closed_end_2=99)["closedEnd"]
    assert "87 FR 77980" in sections(reasons)


@pytest.mark.parametrize(("year", "lines"), [(2018, 500), (2021, 500), (2022, 200), (2025, 200)])
def test_open_end_lines_count_in_each_of_the_two_years_before(client, year, lines):
    for first, second, expected in (
        (lines - 1, 900, NO),
        (900, lines - 1, NO),
        (lines, lines, YES),
        (lines + 1, lines + 1, YES),
    ):
        counts = {"open_end_1": first, "open_end_2": second}
        assert ask(client, LENDER, year=year, **counts)["openEnd"]["answer"] == expected


@pytest.mark.parametrize(
    ("year", "records", "expected"),
    [
        (2025, 59_999, NO),
        (2025, 60_000, YES),
        (2025, 60_001, YES),
        (2020, 60_000, YES),
        (2019, 60_000, NO),
        (2025, None, DEPENDS),
    ],
)
def test_quarterly_filing_begins_with_60_000_records(client, year, records, expected):
    large = {"closed_end_1": 90_000, "closed_end_2": 90_000}
    body = ask(client, BANK, year=year, records=records, **large)
    assert body["quarterly"]["answer"] == expected
    assert "1003.5(a)(1)(ii)" in sections(body["quarterly"])
    assert body["unanswered"] == (["records"] if records is None else [])


def test_who_reports_no_loans_files_no_quarters(client):
    body = ask(client, BANK, closed_end_1=1, open_end_1=1, records=90_000)
    assert verdicts(body) == (NO, NO, NO, NO, NO)


@pytest.mark.parametrize(("kind", "name"), [("closedEnd", "closed_end"), ("openEnd", "open_end")])
def test_partially_exempt_is_who_originated_fewer_than_500_in_each_year(client, kind, name):
    for first, second, expected in (
        (499, 499, YES),
        (500, 499, NO),
        (499, 500, NO),
        (501, 501, NO),
        (499, None, DEPENDS),
    ):
        body = ask(client, BANK, **{f"{name}_1": first, f"{name}_2": second})
        assert body["partialExemption"][kind]["answer"] == expected


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, YES),
        ({"low_cra": "yes"}, NO),
        ({"low_cra": None}, DEPENDS),
        ({"federal": "other"}, NO),
        ({"kind": "credit-union", "low_cra": None}, YES),
        ({"kind": "credit-union", "low_cra": "yes"}, YES),
        ({"kind": "credit-union", "federal": "other"}, NO),
        ({"kind": "lender"}, NO),
    ],
)
def test_partially_exempt_are_insured_institutions_without_low_ratings(client, changes, expected):
    body = ask(client, BANK, **changes)
    assert body["partialExemption"]["closedEnd"]["answer"] == expected


@pytest.mark.parametrize(
    ("values", "changes", "section"),
    [
        (BANK, {"kind": "other"}, "12 CFR 1003.2(g)"),
        (BANK, {"assets": 1}, "12 CFR 1003.2(g)(1)(i)"),
        (BANK, {"office": "no"}, "12 CFR 1003.2(g)(1)(ii)"),
        (BANK, {"home_loan": "no"}, "12 CFR 1003.2(g)(1)(iii)"),
        (BANK, {"federal": "none"}, "12 CFR 1003.2(g)(1)(iv)"),
        (LENDER, {"office": "no"}, "12 CFR 1003.2(g)(2)(i)"),
    ],
)
def test_one_condition_that_is_not_met_decides_alone(client, values, changes, section):
    """What is not known beside it makes no difference, and is not asked."""
    decided = {"year": YEAR, "kind": values["kind"]} | changes
    for body in (ask(client, values, **changes), ask(client, decided)):
        assert verdicts(body) == (NO,) * 5
        assert [reason["section"] for reason in body["closedEnd"]["reasons"]] == [section]
        assert body["unanswered"] == []


def test_a_lender_is_asked_for_no_assets_insurance_or_ratings(client):
    body = ask(client, {"year": YEAR, "kind": "lender"})
    counts = ["closed_end_1", "closed_end_2", "open_end_1", "open_end_2"]
    assert body["unanswered"] == ["office", *counts, "records"]
    assert verdicts(body) == (DEPENDS, DEPENDS, DEPENDS, NO, NO)
    assert "1003.2(g)(2)(ii)(B)" in sections(ask(client, LENDER, open_end_1=900)["openEnd"])


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"year": None}, "year"),
        ({"year": "2017"}, "year"),
        ({"year": "x"}, "year"),
        ({"kind": None}, "kind"),
        ({"kind": "thrift"}, "kind"),
        ({"assets": "many"}, "assets"),
        ({"assets": "-1"}, "assets"),
        ({"closed_end_1": "1.5"}, "closed_end_1"),
        ({"records": "9" * 5_000}, "records"),
        ({"office": "maybe"}, "office"),
        ({"federal": "yes"}, "federal"),
    ],
)
def test_a_value_that_is_none_is_refused_by_its_name(client, changes, name):
    sent = {key: value for key, value in (BANK | changes).items() if value is not None}
    answer = client.get(CALL, sent)
    assert answer.status_code == 400
    assert answer.json()["message"].startswith(f"{name}: ")
