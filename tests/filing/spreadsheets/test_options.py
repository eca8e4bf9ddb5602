"""JSON parts become options, or are refused by name."""

from __future__ import annotations

from typing import Any

import pytest

from filing.spreadsheets.accepted_files import SpreadsheetRefusal
from filing.spreadsheets.options import ConversionOptions, parse_mapping, parse_options, parse_sheet


def test_every_option_has_its_key() -> None:
    assert parse_options(
        {
            "sheet": "Loans", "header": 3, "near": True, "fill": {"lien_status": 1},
            "dates": "dmy", "blankAsNa": True, "percent": "fraction",
            "checkDigit": "append", "asTyped": True, "exempt": True, "leaveOutHidden": True,
        }
    ) == ConversionOptions(
        sheet="Loans", header=3, near=True, fill={"lien_status": "1"},
        dates="dmy", blank_as_na=True, percent="fraction", check_digit="append",
        as_typed=True, exempt=True, without_hidden=True,
    )  # fmt: skip
    assert parse_options({"normalise": False, "nuli": True}) == ConversionOptions(
        normalise=False, nuli=True
    )
    by_column = parse_options({"dates": {"application_date": "dmy"}})
    assert by_column.answer("dates", "application_date") == "dmy"
    assert by_column.answer("dates", "action_taken_date") == ""
    assert parse_options({"sheet": True}) == ConversionOptions(with_sheet=True)
    assert parse_options(None) == parse_options({}) == ConversionOptions()


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"colour": 1}, "There is no option colour: options are sheet, header,"),
        ({"near": "yes"}, "Option near takes true or false."),
        ({"dates": "ymd"}, "Option dates takes mdy or dmy."),
        ({"dates": {"application_date": 1}}, "Option dates takes mdy or dmy."),
        ({"percent": {"interest": "percent"}}, "There is no field interest."),
        ({"checkDigit": "maybe"}, "Option checkDigit takes no, loan-id, append,"),
        ({"percent": 1}, "Option percent takes fraction or percent."),
        ({"header": 0}, "Option header takes the number of a row"),
        ({"header": True}, "Option header takes the number of a row"),
        ({"sheet": 1}, "Option sheet takes the name of a sheet."),
        ({"fill": []}, "Part options.fill is not a JSON object."),
        ({"fill": {"loan_typ": "1"}}, "There is no field loan_typ."),
        ({"fill": {"loan_type": ["1"]}}, "options.fill.loan_type takes a text or a number."),
        ({"fill": {"street": "x" * 1_001}}, "has more than 1,000 characters"),
        ({"normalise": False, "dates": "dmy"}, "leave out dates"),
        ({"normalise": False, "percent": {"interest_rate": "fraction"}}, "leave out percent"),
        ({"normalise": False, "blankAsNa": True}, "leave out blankAsNa"),
        ({"nuli": True, "checkDigit": "append"}, "Loan IDs are either"),
        ([], "Part options is not a JSON object."),
    ],
)
def test_wrong_options_are_refused(values: Any, message: str) -> None:
    with pytest.raises(SpreadsheetRefusal) as refused:
        parse_options(values)
    assert refused.value.status == 400
    assert message in refused.value.message


def test_a_mapping_names_fields() -> None:
    given = {"A": "loan_type", "B": None, "C": "loan_id", "D": "calendar_year", "E": "ts.lei"}
    assert parse_mapping(given) == {**given, "D": "ts.calendar_year"}
    for wrong in ({"A": "x"}, {"A": 1}, []):
        with pytest.raises(SpreadsheetRefusal):
            parse_mapping(wrong)  # type: ignore[arg-type]


def test_a_transmittal_sheet_takes_names_and_labels() -> None:
    given = {
        "institution_name": "Example Bank",
        "Calendar Year": 2024,
        "lei": " ",
        "Federal Agency": None,
    }
    assert parse_sheet(given) == {"institution_name": "Example Bank", "calendar_year": "2024"}
    with pytest.raises(
        SpreadsheetRefusal, match="There is no field loan_type in the transmittal sheet"
    ):
        parse_sheet({"loan_type": 1})
    with pytest.raises(SpreadsheetRefusal, match="takes a text or a number"):
        parse_sheet({"lei": True})
