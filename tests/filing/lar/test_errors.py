"""Format errors as the filer reads them."""

from collections.abc import Callable

import pytest

from filing.lar.blocks import MAX_LINE_BYTES, NotText
from filing.lar.errors import LineErrors, Message, line_errors
from filing.lar.fields import LAR_BY_NAME

Line = Callable[..., bytes]
ULI = "529900HARBORSAVE0042LOAN2024000199"
SHEET = "Transmittal Sheet"
TOO_LONG = Message("Line Length", "more than 65536", "At most 65536 bytes")


def ts_fields(found: str) -> Message:
    return Message("Incorrect Number of TS Fields", found, "15 Fields")


def lar_fields(found: str) -> Message:
    return Message("Incorrect Number of LAR Fields", found, "110 Fields")


def test_every_bad_field_is_named_in_file_order(sheet_line: Line, loan_line: Line) -> None:
    sheet = sheet_line(calendar_year="20x4", federal_agency="4", total_lines="")
    loan = loan_line(loan_type=' "a\0bc" ', application_date="2024-01-02", aus_2="x", income="")
    assert line_errors([0, 1, 16], [sheet, loan_line(), loan]) == [
        LineErrors(
            1,
            "Transmittal Sheet",
            (
                Message("Calendar Year", "20x4", "Integer"),
                Message("Federal Agency", "4", "Integer: 1, 2, 3, 5, 7, 9"),
                Message("Total Number of Entries Contained in Submission", "", "Integer"),
            ),
        ),
        LineErrors(
            17,
            ULI,
            (
                Message("Application Date", "2024-01-02", "Date as YYYYMMDD, or NA"),
                Message("Loan Type", "abc", "Integer: 1, 2, 3, 4"),
                Message("Income", "", "Integer, or NA"),
                Message(
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
    row: int, line: bytes | None, uli: str, message: Message
) -> None:
    assert line_errors([row], [line]) == [LineErrors(row + 1, uli, (message,))]


def test_line_errors_keep_the_order_asked_for(loan_line: Line) -> None:
    bad = loan_line(loan_type="x")
    assert [error.line for error in line_errors([9, 0, 3], [bad, b"1", bad])] == [10, 1, 4]
    assert line_errors([], []) == []


def test_line_that_is_not_utf_8_is_refused(loan_line: Line) -> None:
    with pytest.raises(NotText, match="Line 4 is not UTF-8"):
        line_errors([2, 3], [loan_line(), loan_line() + b"\xff"])


@pytest.mark.parametrize(
    ("field", "value", "limit"),
    [
        ("rate_spread", "1e100", "A number has at most 100 characters, and at most 2"),
        ("loan_amount", "9" * 101, "A number has at most 100 characters, and at most 2"),
        (
            "discount_points",
            "-.5E-100",
            "A number has at most 100 characters, and at most 2 digits",
        ),
        ("income", "9" * 101, "A whole number has at most 100 characters."),
        ("applicant_age", "2147483648", "A whole number is between -2147483648 and 2147483647."),
    ],
)
def test_a_number_beyond_its_limit_is_told_the_limit(loan_line, field, value, limit) -> None:
    ((message,),) = (errors.messages for errors in line_errors([1], [loan_line(**{field: value})]))
    assert (message.value, message.accepts) == (value, LAR_BY_NAME[field].accepts)
    assert message.hint.startswith(limit)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("rate_spread", "1,000"),
        ("rate_spread", "9" * 60_000 + "x"),
        ("income", "1.5"),
        ("uli", "a b"),
    ],
)
def test_what_is_no_number_is_told_no_limit(loan_line, field, value) -> None:
    ((message,),) = (errors.messages for errors in line_errors([1], [loan_line(**{field: value})]))
    assert message.hint == ""
