"""Edits of the transmittal sheet."""

import pytest

from filing.edits import catalogue, engine, examples, transmittal
from filing.edits.edit import EditLevel
from filing.edits.facts import EditFacts
from filing.lar.years import Period
from tests.filing.edits.cases import LEI, verdicts, without_case

CASES = [
    ("S300", "2018", {}, {"record_id": 2}),
    ("S302", "2024", {}, {"calendar_year": 2023}),
    ("S302", "2024-Q1", {}, {"calendar_year": 2025}),
    ("S303", "2024", {"lei": LEI.lower()}, {"lei": "OTHER000000000000001"}),
    ("S303", "2020-Q1", {}, {"federal_agency": 7}),
    ("S303", "2018", {}, {"tax_id": "12-3456789 "}),
    ("V600", "2024", {"lei": "-" * 20}, {"lei": "A" * 21}),
    ("V600", "2024", {"lei": "é" * 20}, {"lei": ""}),
    ("V601", "2024", {"institution_name": "x"}, {"institution_name": ""}),
    ("V601", "2024", {"contact_name": "NA"}, {"contact_name": ""}),
    ("V601", "2024", {"contact_phone": ""}, {"contact_email": ""}),
    ("V601", "2024", {"contact_state": ""}, {"contact_street": ""}),
    ("V602", "2024", {}, {"calendar_quarter": 1}),
    ("V603", "2024", {"contact_phone": "123-456-7890"}, {"contact_phone": "123-456-7890 x2"}),
    ("V603", "2024", {}, {"contact_phone": ""}),
    ("V603", "2024", {}, {"contact_phone": "٣23-456-7890"}),
    ("V604", "2024", {"contact_state": "PW"}, {"contact_state": "NA"}),
    ("V605", "2024", {"contact_zip_code": "90001-1234"}, {"contact_zip_code": "90001-12"}),
    ("V606", "2024", {"total_lines": 1}, {"total_lines": 0}),
    ("V606", "2024", {}, {"total_lines": -1}),
    ("V607", "2024", {"tax_id": "99-9999999"}, {"tax_id": "999999999"}),
    (
        "V717",
        "2020",
        {"contact_email": "a+b.c-d@my-bank.co.uk"},
        {"contact_email": "a.b+c@bank.com"},
    ),
    ("V717", "2024", {"contact_email": "x@my-bank.com"}, {"contact_email": "x@mail.my-bank.com"}),
    ("V717", "2024-Q1", {"contact_email": "a_b@bank.com"}, {"contact_email": "é@bank.com"}),
    ("V717", "2024", {}, {"contact_email": ""}),
    ("V718", "2024-Q2", {"calendar_quarter": 2}, {"calendar_quarter": 4}),
    ("V719", "2021", {"institution_name": "1st Bank"}, {"institution_name": "12.5"}),
    ("V719", "2022", {"institution_name": ""}, {"institution_name": "-3"}),
    ("V719-1", "2023", {"institution_name": "NaN"}, {"institution_name": "1e5"}),
    ("V719-1", "2023", {"institution_name": "Infinity"}, {"institution_name": "9" * 60}),
    ("V719-2", "2023", {"institution_name": LEI.lower()}, {"institution_name": LEI}),
    ("Q303", "2025", {"lei": LEI.lower()}, {"tax_id": "99-9999999"}),
    ("Q303", "2026-Q3", {}, {"federal_agency": 1}),
]


@pytest.mark.parametrize("case", CASES)
def test_an_edit_holds_and_breaks(case):
    assert verdicts(EditLevel.TS, case) == (True, False)


def test_every_edit_has_a_case():
    assert without_case(transmittal.EDITS, EditLevel.TS, CASES) == []


@pytest.mark.parametrize(("code", "period"), [("S303", Period(2024)), ("Q303", Period(2025))])
def test_a_sheet_is_compared_with_the_panel_only_where_there_is_a_record(code, period):
    edit = catalogue.find_edit(code, period, EditLevel.TS)
    sheet = examples.correct_transmittal_sheet(period, LEI, 1)
    able, reasons = engine.find_ready_edits([edit], EditFacts(period, sheet))
    assert able == []
    assert reasons == {edit: "there is no panel record of the institution for the year"}
