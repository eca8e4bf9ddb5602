"""Correct records, and how they are made."""

import pytest

from bench.yardstick.checking import LarFile, Places, failures
from filing.edits import catalogue, engine, examples
from filing.edits.edit import EditLevel
from filing.edits.examples import changes
from filing.lar.fields import LAR, TRANSMITTAL_SHEET
from filing.lar.parser import parse_loan, parse_transmittal_sheet
from filing.lar.years import Period, rulebook_periods
from tests.filing.edits.cases import CENSUS, LEI, facts
from uliapi import checkdigit

KINDS = {"a correct loan": {}} | examples.KINDS


def loans_of_all_kinds(period):
    some = zip(ulis(len(KINDS)), KINDS.values(), strict=True)
    return [examples.correct_loan(period, LEI, uli=uli) | kind for uli, kind in some]


def ulis(count):
    return [examples.numbered_uli(LEI, number) for number in range(count)]


@pytest.mark.parametrize("period", rulebook_periods(), ids=str)
def test_loans_of_all_kinds_pass_every_edit_of_loans(period):
    edits = catalogue.list_edits(period, level=EditLevel.LAR)
    found = engine.find_failures(
        examples.make_loan_frame(loans_of_all_kinds(period)), edits, facts(period)
    )
    kinds = list(KINDS)
    assert {e.code: [kinds[row - 1] for row in rows] for e, rows in found.items()} == {}


@pytest.mark.parametrize("period", rulebook_periods(), ids=str)
def test_loans_of_all_kinds_pass_every_published_rule_for_loans(period):
    loans = loans_of_all_kinds(period)
    sheet = examples.correct_transmittal_sheet(period, LEI, len(loans))
    text = "\n".join(map(examples.write_record_line, (sheet, *loans)))
    places = Places(*map(frozenset, (CENSUS.tracts, CENSUS.counties, CENSUS.small_counties)))
    panel = {"lei": LEI, "agency": examples.AGENCY, "tax_id": examples.TAX_ID}
    found = failures(LarFile.read(text), period, places, institution=panel)
    assert {key: rows for key, rows in found.items() if key[1] != "file"} == {}


@pytest.mark.parametrize("kind", KINDS)
def test_a_loan_of_any_kind_reads_from_its_line_as_it_is(kind):
    values = examples.correct_loan(Period(2024), LEI) | KINDS[kind]
    read = parse_loan(examples.write_record_line(values).encode())
    assert read == values


def test_every_kind_is_listed():
    kinds = [value for name, value in vars(changes).items() if name[0] != "_" and name.isupper()]
    assert [kind for kind in kinds if kind is not changes.KINDS] == list(examples.KINDS.values())


@pytest.mark.parametrize("period", rulebook_periods(), ids=str)
def test_a_correct_loan_is_of_its_period(period):
    values = examples.correct_loan(period, LEI.lower())
    first, last = (int(f"{day:%Y%m%d}") for day in (period.starts, period.ends))
    assert first <= int(values["application_date"]) < values["action_taken_date"] <= last
    assert values["lei"] == LEI
    assert checkdigit.is_valid_uli(values["uli"])


def test_lines_of_correct_records_read_as_these_records():
    period = Period(2024, 2)
    values = examples.correct_loan(period, LEI, uli="A")
    sheet = examples.correct_transmittal_sheet(period, LEI, 7)
    read = parse_loan(examples.write_record_line(values).encode())
    read_sheet = parse_transmittal_sheet(examples.write_record_line(sheet).encode())
    assert (read, read_sheet) == (values, sheet)


def test_frames_are_typed_and_rows_count_from_one():
    loans = examples.make_loan_frame([examples.correct_loan(Period(2024), LEI) for _ in range(2)])
    assert loans["row"].to_list() == [1, 2]
    assert loans.columns == ["row", *(field.name for field in LAR)]
    assert [loans.schema[field.name] for field in LAR] == [field.dtype for field in LAR]
    sheet = examples.correct_transmittal_sheet(Period(2024), LEI, 2)
    assert list(sheet) == [field.name for field in TRANSMITTAL_SHEET]


def test_ulis_differ_by_their_number():
    assert len(set(ulis(100))) == 100
    assert all(map(checkdigit.is_valid_uli, ulis(100)))
