"""The edits reference: all of it, a part of it, one edit, and what cannot be asked for."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from filing.edits import catalogue
from filing.edits.edit import EditKind
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


def test_anyone_may_read_it_and_a_bad_token_does_no_harm(client):
    answer = client.get(BOOK, headers={"Authorization": "Bearer x.y.z"})
    assert answer.status_code == 200
    assert answer["Cache-Control"] == "no-cache"
    assert client.get(f"{BOOK}/").json() == answer.json()
    assert client.head(BOOK).status_code == 200


@pytest.mark.parametrize("period", supported_periods(), ids=str)
def test_a_period_has_its_own_edits(client, period):
    asked = {"year": str(period.year), "quarter": period.quarter_name}
    assert keys(book(client, **asked)) == of(period)


@pytest.mark.parametrize("kind", EditKind)
def test_a_kind_has_its_own_edits(client, kind):
    every = [edit for edit in catalogue.EDITS if edit.kind is kind]
    assert len(book(client, kind=kind.value)) == len(every)
    of_year = book(client, kind=kind.value, year="2024")
    assert {entry["kind"] for entry in of_year} == {kind.value}
    assert [entry["edit"] for entry in of_year] == [
        edit.code for edit in catalogue.list_edits(Period(2024), kind=kind)
    ]


def test_an_edit_says_which_fields_the_bureau_lists_and_which_its_rule_reads(client):
    (entry,) = book(client, f"{BOOK}/V657-1")
    assert [field["name"] for field in entry["affectedFields"]] == [
        "rate_spread",
        "action_taken",
        "reverse_mortgage",
    ]
    assert entry["fieldsRead"] == [{"name": "rate_spread", "label": "Rate Spread"}]
    (sheet,) = book(client, f"{BOOK}/S301")
    assert sheet["fieldsRead"][1] == {
        "name": "ts.lei",
        "label": "Legal Entity Identifier (LEI) on the transmittal sheet",
    }


def test_an_edit_has_an_entry_for_each_of_its_forms(client):
    forms = [edit for edit in catalogue.EDITS if edit.code == "Q646"]
    assert len(forms) == 2
    macro, quality = sorted(book(client, f"{BOOK}/Q646"), key=lambda entry: entry["kind"])
    assert (macro["kind"], macro["level"], macro["affectedFields"]) == ("macro", "file", [])
    assert macro["periods"] == {
        "annual": [2019, 2020, 2021, 2022, 2023, 2024],
        "quarterly": [2020, 2021, 2022, 2023, 2024],
    }
    assert (quality["kind"], quality["level"]) == ("quality", "lar")
    assert quality["periods"]["annual"] == quality["periods"]["quarterly"]
    assert quality["periods"]["annual"][:2] == [2025, 2026]
    (alone,) = book(client, f"{BOOK}/Q646", year="2025", quarter="Q1")
    assert alone == quality


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


def test_fields_of_the_sheet_and_the_whole_line_have_names_for_people(client):
    ((total,), (line,)) = (book(client, f"{BOOK}/{code}") for code in ("S304", "S305"))
    assert total["affectedFields"] == [
        {"name": "total_lines", "label": "Total Number of Entries Contained in Submission"}
    ]
    assert line["affectedFields"] == [{"name": "all", "label": "All data fields in the LAR"}]


def test_an_edit_that_ran_in_other_years_only_is_known_but_has_no_entry(client):
    assert book(client, f"{BOOK}/V602", year="2024", quarter="Q1") == []
    assert book(client, f"{BOOK}/V602", kind="quality") == []


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


@pytest.mark.parametrize("code", ["v617", "V61", "X617", "V617-", "V617-10", "V617/x"])
def test_what_is_no_code_is_an_address_that_does_not_exist(client, code):
    answer = client.get(f"{BOOK}/{code}")
    assert answer.status_code == 404
    assert set(error_of(answer)) == {"httpStatus", "message", "path"}
    assert answer.json()["path"] == f"/edits/{code}"


@pytest.mark.parametrize("address", [BOOK, f"{BOOK}/V617"])
@pytest.mark.parametrize("method", ["post", "put", "delete"])
def test_nothing_can_be_written(client, address, method):
    answer = getattr(client, method)(address)
    assert (answer.status_code, answer.json()["httpStatus"]) == (405, 405)
    assert answer.json()["path"] == address.removeprefix("/v2/public")
    assert set(answer["Allow"].split(", ")) == {"GET", "HEAD", "OPTIONS"}
