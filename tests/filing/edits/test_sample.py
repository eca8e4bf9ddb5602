"""Correct records: that they pass is tested with each edit, here is how they are made."""

import pytest

from filing.edits import sample
from filing.lar.fields import LAR, TRANSMITTAL_SHEET
from filing.lar.parse import Record, loan, transmittal_sheet
from filing.lar.period import Period, known_periods
from tests.filing.edits.cases import LEI
from uliapi import checkdigit


@pytest.mark.parametrize("period", known_periods(), ids=str)
def test_a_correct_loan_is_of_its_period(period):
    values = sample.correct_loan(period, LEI.lower())
    first, last = (int(f"{day:%Y%m%d}") for day in (period.starts, period.ends))
    assert first <= int(values["application_date"]) < values["action_taken_date"] <= last
    assert values["lei"] == LEI
    assert checkdigit.is_valid(values["uli"])


def test_lines_of_correct_records_read_as_these_records():
    period = Period(2024, 2)
    values = sample.correct_loan(period, LEI, uli="A")
    sheet = sample.correct_transmittal_sheet(period, LEI, 7)
    read = loan(sample.line(values).encode())
    read_sheet = transmittal_sheet(sample.line(sheet).encode())
    assert isinstance(read, Record)
    assert isinstance(read_sheet, Record)
    assert (read.values, read_sheet.values) == (values, sheet)


def test_frames_are_typed_and_rows_count_from_one():
    loans = sample.frame([sample.correct_loan(Period(2024), LEI) for _ in range(2)])
    assert loans["row"].to_list() == [1, 2]
    assert loans.columns == ["row", *(field.name for field in LAR)]
    assert [loans.schema[field.name] for field in LAR] == [field.dtype for field in LAR]
    sheet = sample.sheet_frame(sample.correct_transmittal_sheet(Period(2024), LEI, 2))
    assert sheet.columns == [field.name for field in TRANSMITTAL_SHEET]


def test_ulis_differ_by_their_number():
    ulis = [sample.numbered_uli(LEI, number) for number in range(100)]
    assert len(set(ulis)) == 100
    assert all(map(checkdigit.is_valid, ulis))
