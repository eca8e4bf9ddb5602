"""Format errors as the filer reads them."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest

from filing.lar import errors, parser
from filing.lar.blocks import MAX_LINE_BYTES, NotText
from filing.lar.errors import FieldError, LineErrors, find_line_errors

Line = Callable[..., bytes]
ULI = "529900HARBORSAVE0042LOAN2024000199"
SHEET = "Transmittal Sheet"
TOO_LONG = FieldError("Line Length", "more than 65536", "At most 65536 bytes")


def ts_fields(found: str) -> FieldError:
    return FieldError("Incorrect Number of TS Fields", found, "15 Fields")


def lar_fields(found: str) -> FieldError:
    return FieldError("Incorrect Number of LAR Fields", found, "110 Fields")


def test_every_bad_field_is_named_in_file_order(sheet_line: Line, loan_line: Line) -> None:
    sheet = sheet_line(calendar_year="20x4", federal_agency="4", total_lines="")
    loan = loan_line(loan_type=' "a\0bc" ', application_date="2024-01-02", aus_2="x", income="")
    assert find_line_errors([0, 1, 16], [sheet, loan_line(), loan]) == [
        LineErrors(
            1,
            "Transmittal Sheet",
            (
                FieldError("Calendar Year", "20x4", "Integer"),
                FieldError("Federal Agency", "4", "Integer: 1, 2, 3, 5, 7, 9"),
                FieldError("Total Number of Entries Contained in Submission", "", "Integer"),
            ),
        ),
        LineErrors(
            17,
            ULI,
            (
                FieldError("Application Date", "2024-01-02", "Date as YYYYMMDD, or NA"),
                FieldError("Loan Type", "abc", "Integer: 1, 2, 3, 4"),
                FieldError("Income", "", "Integer, or NA"),
                FieldError(
                    "Automated Underwriting System: 2", "x", "Integer: 1, 2, 3, 4, 5, 7 or Blank"
                ),
            ),
        ),
    ]


@pytest.mark.parametrize(
    ("row", "line", "uli", "message"),
    [
        (0, b"1|a", SHEET, ts_fields("2")),
        (0, b"", SHEET, ts_fields("1")),
        (0, None, SHEET, ts_fields("0")),
        (0, b"1" + b"|" * 14, SHEET, ts_fields("1")),
        (0, b"1" + b"|x" * 14 + b"||", SHEET, ts_fields("17")),
        (0, "é".encode() * MAX_LINE_BYTES, SHEET, TOO_LONG),
        (4, b"2|LEI", "The ULI could not be identified.", lar_fields("2")),
        (4, b"2|L| U\t1 |", "U1", lar_fields("3")),
        (4, b"2||", "", lar_fields("1")),
        (4, b"2|L|U|" + b"x" * MAX_LINE_BYTES, "U", TOO_LONG),
    ],
)
def test_line_of_the_wrong_shape_has_one_message(
    row: int, line: bytes | None, uli: str, message: FieldError
) -> None:
    assert find_line_errors([row], [line]) == [LineErrors(row + 1, uli, (message,))]


def test_line_that_is_not_utf_8_is_refused(loan_line: Line) -> None:
    with pytest.raises(NotText, match="Line 4 is not UTF-8"):
        find_line_errors([2, 3], [loan_line(), loan_line() + b"\xff"])


def test_of_many_lines_the_first_are_kept(
    tmp_path: Path, sheet_line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(errors, "MOST_ROWS", 3)
    path = tmp_path / "raw.txt"
    path.write_bytes(b"\n".join([sheet_line(), *[b"2|x"] * 5]))
    (group,) = parser.scan_file(path, io.BytesIO(), io.BytesIO()).groups
    assert (group.total, group.rows.tolist()) == (5, [1, 2, 3])
