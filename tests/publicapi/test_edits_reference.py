"""The edits reference: all of it, a part of it, one edit, and what cannot be asked for."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from filing.edits import catalogue
from filing.lar.years import Period, rulebook_period, supported_periods, supported_years
from publicapi.checks import QUARTER_WITHOUT_YEAR, describe_unavailable
from tests.errors import error_of

BOOK = "/v2/public/edits"
LONG = "9" * 5_000  # more digits than Python turns into a number
FIELDS = {
    "edit",
    "kind",
    "level",
    "description",
    "rule",
    "affectedFields",
    "fieldsRead",
    "periods",
}


def book(client: Client, address: str = BOOK, **asked: str) -> list[dict[str, Any]]:
    answer = client.get(address, asked)
    assert answer.status_code == 200, answer.content
    found = answer.json()
    assert set(found) - {"rulebooks"} == {"edits", "total"}
    assert len(found["edits"]) == found["total"]
    entries: list[dict[str, Any]] = found["edits"]
    return entries


def keys(entries: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(entry["edit"], entry["level"]) for entry in entries]


def of(period: Period) -> list[tuple[str, str]]:
    edits = catalogue.list_edits(rulebook_period(period))
    return [(edit.code, edit.level.value) for edit in edits]


def test_the_whole_book_has_every_entry_in_the_order_of_the_catalogue(client):
    entries = book(client)
    assert keys(entries) == [(edit.code, edit.level.value) for edit in catalogue.EDITS]
    assert [entry["description"] for entry in entries] == [edit.text for edit in catalogue.EDITS]
    assert {frozenset(entry) for entry in entries} == {frozenset(FIELDS)}


def test_a_code_without_its_part_finds_all_parts(client):
    parts = keys(book(client, f"{BOOK}/V695"))
    assert {code for code, _ in parts} == {"V695", "V695-1", "V695-2", "V695-3"}
    assert {code for code, _ in keys(book(client, f"{BOOK}/V608"))} == {"V608-1", "V608-2"}
    assert {code for code, _ in keys(book(client, f"{BOOK}/V695-1"))} == {"V695-1"}
    assert client.get(f"{BOOK}/V69").status_code == 404


@pytest.mark.parametrize("period", supported_periods()[::9], ids=str)
def test_a_period_has_its_own_edits(client, period):
    asked = {"year": str(period.year), "quarter": period.quarter_name}
    assert keys(book(client, **asked)) == of(period)


def test_an_edit_of_the_sheet_and_of_loans_has_an_entry_for_each(client):
    entries = book(client, f"{BOOK}/V600")
    assert keys(entries) == [("V600", "ts"), ("V600", "lar")]
    for entry in entries:
        entry.pop("rule")
    lei = {"name": "lei", "label": "Legal Entity Identifier (LEI)"}
    years = supported_years()
    periods = {"annual": years, "quarterly": [year for year in years if year >= 2020]}
    assert entries[0] == {
        "edit": "V600",
        "kind": "validity",
        "level": "ts",
        "description": "Legal Entity Identifier (LEI) on the transmittal sheet must have 20 "
        "characters, and cannot be left blank.",
        "affectedFields": [lei],
        "fieldsRead": [lei],
        "periods": periods,
    }
    assert (entries[1]["affectedFields"], entries[1]["periods"]) == ([lei], periods)


@pytest.mark.parametrize("address", [BOOK, f"{BOOK}/V617"])
@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (
            {"kind": "x"},
            "The kind 'x' is unknown; enter one of syntactical, validity, quality, macro.",
        ),
        ({"year": "2017"}, describe_unavailable("2017")),
        ({"year": "2045"}, describe_unavailable("2045")),
        ({"year": "20x4"}, "The year '20x4' is not a number such as 2024."),
        ({"year": "-2024"}, "The year '-2024' is not a number such as 2024."),
        ({"year": LONG}, describe_unavailable(LONG)),
        ({"quarter": "Q1"}, "A quarter needs its year, such as year=2024&quarter=Q1."),
        (
            {"year": "2024", "quarter": "Q4"},
            "The quarter 'Q4' is unknown; enter one of Q1, Q2, Q3.",
        ),
        ({"year": "2024", "quarter": "1"}, "The quarter '1' is unknown; enter one of Q1, Q2, Q3."),
        ({"year": "2019", "quarter": "Q1"}, describe_unavailable("2019", "Q1")),
        # Whatever else is asked for, and whether or not an edit is left to be looked at.
        ({"kind": "quality", "year": "now"}, "The year 'now' is not a number such as 2024."),
        ({"kind": "quality", "quarter": "Q2"}, QUARTER_WITHOUT_YEAR),
    ],
)
def test_what_cannot_be_asked_for_is_explained(client, address, asked, message):
    answer = client.get(address, asked)
    assert answer.status_code == 400
    path = address.removeprefix("/v2/public")
    assert error_of(answer) == {"httpStatus": 400, "message": message, "path": path}


@pytest.mark.parametrize("code", ["V999", "Q646-9"])
def test_an_edit_that_never_was_is_not_found(client, code):
    answer = client.get(f"{BOOK}/{code}")
    assert answer.status_code == 404
    assert error_of(answer) == {
        "httpStatus": 404,
        "message": f"There is no edit {code}",
        "path": f"/edits/{code}",
    }
