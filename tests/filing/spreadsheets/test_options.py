"""JSON parts become options, or are refused by name."""

from __future__ import annotations

from typing import Any

import pytest

from filing.spreadsheets.options import Options, mapping, options, sheet
from filing.spreadsheets.refusals import Refusal


def test_every_option_has_its_key() -> None:
    assert options(
        {
            "sheet": "Loans", "header": 3, "near": True, "fill": {"lien_status": 1},
            "normalise": False, "dates": "dmy", "blankAsNa": True, "percent": "fraction",
            "checkDigit": "append", "nuli": True, "asTyped": True,
        }
    ) == Options(
        sheet="Loans", header=3, near=True, fill={"lien_status": "1"}, normalise=False,
        dates="dmy", blank_as_na=True, percent="fraction", check_digit="append", nuli=True,
        as_typed=True,
    )  # fmt: skip
    assert options({"sheet": True}) == Options(with_sheet=True)
    assert options(None) == options({}) == Options()


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"colour": 1}, "There is no option colour: options are sheet, header,"),
        ({"near": "yes"}, "Option near takes true or false."),
        ({"dates": "ymd"}, "Option dates takes mdy or dmy."),
        ({"checkDigit": "maybe"}, "Option checkDigit takes no, loan-id or append."),
        ({"percent": 1}, "Option percent takes fraction or percent."),
        ({"header": 0}, "Option header takes the number of a row"),
        ({"header": True}, "Option header takes the number of a row"),
        ({"sheet": 1}, "Option sheet takes the name of a sheet."),
        ({"fill": []}, "Part options.fill is not a JSON object."),
        ({"fill": {"loan_typ": "1"}}, "There is no field loan_typ."),
        ({"fill": {"loan_type": ["1"]}}, "options.fill.loan_type takes a text or a number."),
        ({"fill": {"street": "x" * 1_001}}, "has more than 1,000 characters"),
        ([], "Part options is not a JSON object."),
    ],
)
def test_wrong_options_are_refused(values: Any, message: str) -> None:
    with pytest.raises(Refusal) as refused:
        options(values)
    assert refused.value.status == 400
    assert message in refused.value.message


def test_a_mapping_names_fields() -> None:
    given = {"A": "loan_type", "B": None, "C": "loan_id", "D": "calendar_year", "E": "ts.lei"}
    assert mapping(given) == {**given, "D": "ts.calendar_year"}
    for wrong in ({"A": "x"}, {"A": 1}, []):
        with pytest.raises(Refusal):
            mapping(wrong)  # type: ignore[arg-type]


def test_a_transmittal_sheet_takes_names_and_labels() -> None:
    given = {
        "institution_name": "Example Bank",
        "Calendar Year": 2024,
        "lei": " ",
        "Federal Agency": None,
    }
    assert sheet(given) == {"institution_name": "Example Bank", "calendar_year": "2024"}
    with pytest.raises(Refusal, match="There is no field loan_type in the transmittal sheet"):
        sheet({"loan_type": 1})
    with pytest.raises(Refusal, match="takes a text or a number"):
        sheet({"lei": True})
