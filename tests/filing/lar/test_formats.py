"""What each kind of column accepts, and what it reads as."""

from __future__ import annotations

import io
import random
from collections.abc import Callable
from datetime import date

import polars as pl
import pytest

from filing.lar.blocks import read_blocks
from filing.lar.errors import UNKNOWN_ULI, LineErrors, describe_field_count, estimate_uli
from filing.lar.fields import DECIMAL_LIMIT, LAR, LAR_BY_NAME, Parse
from filing.lar.formats import (
    convert_types,
    describe_limit,
    find_days,
    find_unreadable,
    read_values,
)
from filing.lar.parser import parse_loan, read_loans

NUMBERS = ["0", "-3.50", "+7", ".5", "5.", "007", "1.5e3", "2E-10", "1e99", "9" * 100]
NO_NUMBERS = [
    *("", "-", ".", "e5", "1e", "1e100", "1e5.0", "inf", "-inf", "nan", "NaN", "1_000", "1,000"),
    *("0x10", "٣", "\uff15", "1 0", "1.2.3", "--1", "5 %", "NA ", "na", "EXEMPT", "9" * 101),
]
WHOLES = ["0", "-3", "+0050", "12345678901234567890"]
NO_WHOLES = ["", "1.0", "1e3", "+", "٣", "1_0", "na", "9" * 101]
CODES = ["1", "99", "-1", "+5", "0005", "0", "2147483647", "-2147483648", "0" * 30 + "7"]
NO_CODES = ["2147483648", "-2147483649", "1.0", "1e1", "x", "NA", "٣", "1_0", "+", "+-1", "0x1"]
DAYS = ["20240229", "20231231", "00010101", "99991231"]
NO_DAYS = [
    *("", "20230229", "20240230", "20241301", "20240100", "2024010", "202401011", "00000101"),
    *("2024-1-1", "2024 1 1", "202412 1", "\uff120240101", "na", "Exempt"),
]
CASES = [
    ("record_id", CODES, ["", *NO_CODES]),
    ("applicant_age", CODES, ["", *NO_CODES]),
    ("loan_type", CODES, ["", *NO_CODES]),
    ("purchaser_type", CODES, ["", *NO_CODES]),
    ("aus_2", ["", *CODES], NO_CODES),
    ("loan_amount", NUMBERS, [*NO_NUMBERS, "NA", "Exempt"]),
    ("income", [*WHOLES, "NA"], [*NO_WHOLES, "Exempt"]),
    ("loan_term", [*WHOLES, "NA", "Exempt"], NO_WHOLES),
    ("rate_spread", [*NUMBERS, "NA", "Exempt"], NO_NUMBERS),
    ("discount_points", [*NUMBERS, "NA", "Exempt", ""], [text for text in NO_NUMBERS if text]),
    ("action_taken_date", DAYS, [*NO_DAYS, "NA"]),
    ("application_date", [*DAYS, "NA"], NO_DAYS),
    ("uli", ["", "x", "NA", "a-b"], ["a b", "a,b", ","]),
    ("city", ["", "a, b", "٣", "Exempt"], []),
]


@pytest.mark.parametrize(("name", "good", "bad"), CASES, ids=[case[0] for case in CASES])
def test_columns_of_a_loan(name: str, good: list[str], bad: list[str]) -> None:
    rows = range(1, len(good) + len(bad) + 1)
    frame = pl.DataFrame({"row": rows, name: [*good, *bad]}, schema_overrides={"row": pl.UInt32})
    wrong = find_unreadable(frame, [LAR_BY_NAME[name]])
    assert {field: rows.to_list() for field, rows in wrong.items()} == (
        {name: list(rows)[len(good) :]} if bad else {}
    )
    convert_types(frame.head(len(good)), [LAR_BY_NAME[name]])


def is_day(text: str) -> bool:
    try:
        date(int(text[:4]), int(text[4:6]), int(text[6:]))
    except ValueError:
        return False
    return True


PARTS = [
    *(*"0123456789+-.eE_,", " ", '"', "\t", "\0", "\r", "|", "\ufeff", "\u0663"),
    *("NA", "Exempt", "", "00", "2147483647", "-2147483648", "20240229", "20230229", "ß", "\u00a0"),
    *("9" * 101, "0" * 5000, "9" * 5000, "x" * 70_000, "||", "é"),
]


def test_a_line_is_read_alone_as_in_a_block(loan_line: Callable[..., bytes]) -> None:
    dice = random.Random("lines")
    names = [field.name for field in LAR]
    lines = [loan_line()]
    for _ in range(1500):
        values = ["".join(dice.choices(PARTS, k=dice.randrange(4))) for _ in range(2)]
        lines.append(loan_line(**{dice.choice(names): value for value in values}))
    lines.append(loan_line())
    (block,) = read_blocks(io.BytesIO(b"\n".join(lines)), size=1 << 30)
    read = read_loans(block)
    by_text = read_values(read.lines.loans)
    good = ~by_text.frame["row"].is_in(read.faulty.tolist())
    assert read.loans.equals(by_text.frame.filter(good))
    assert unread_rows(read.unread) == unread_rows(by_text.unread)
    unread = {LAR_BY_NAME[name].error_label: set(rows) for name, rows in read.unread.items()}
    misfits = {
        row: describe_field_count(LAR, count, too_long=is_long)
        for row, count, is_long in read.lines.misfits.iter_rows()
    }
    records = {row.pop("row"): row for row in read.loans.iter_rows(named=True)}
    assert len(records) > 200
    assert len(misfits) > 100
    for row, line in enumerate(lines[1:], 1):
        alone = parse_loan(line)
        if not isinstance(alone, LineErrors):
            assert alone == records.pop(row)
        elif row in misfits:
            assert alone.messages == (misfits[row],)
        else:
            faults = [label for label, rows in unread.items() if row in rows]
            assert [message.field for message in alone.messages] == faults
    assert not records


def unread_rows(unread: dict[str, pl.Series]) -> dict[str, list[int]]:
    return {name: rows.to_list() for name, rows in unread.items()}


def test_typed_refuses_what_cannot_be_read() -> None:
    frame = pl.DataFrame({"loan_type": ["1", "x"]})
    with pytest.raises(pl.exceptions.InvalidOperationError):
        convert_types(frame, [LAR_BY_NAME["loan_type"]])


YEARS = (1, 4, 99, 100, 400, 999, 1000, 1600, 1899, 1900, 1904, 2000, 2023, 2024, 2100, 9999)
WRITTEN = [
    f"{year:04d}{month:02d}{day:02d}"
    for year in (0, *YEARS)
    for month in (0, *range(1, 13), 13, 20, 99)
    for day in (0, 1, 9, 10, 28, 29, 30, 31, 32, 40, 99)
]


def test_texts_of_eight_digits_are_days_where_the_calendar_has_them():
    assert find_days(pl.Series(WRITTEN)).to_list() == [is_day(text) for text in WRITTEN]


COLUMNS = {field.parse: field for field in LAR}
WHOLE_LIMIT = "A whole number has at most 100 characters."
INT32_LIMIT = "A whole number is between -2147483648 and 2147483647."
LIMITS = {
    Parse.INTEGER: INT32_LIMIT,
    Parse.INTEGER_OR_NA: WHOLE_LIMIT,
    Parse.INTEGER_NA_OR_EXEMPT: WHOLE_LIMIT,
    Parse.DECIMAL: DECIMAL_LIMIT,
    Parse.DECIMAL_NA_OR_EXEMPT: DECIMAL_LIMIT,
    Parse.DECIMAL_NA_EXEMPT_OR_BLANK: DECIMAL_LIMIT,
}
LONG = "9" * 101
WHOLE_LIMITS = [LONG, f"+{LONG}", f"-{LONG}", "2147483648", "-2147483649", "0" * 101]
DECIMALS = ["1e100", "1E+100", "-1e-100", "1.5e999", ".5e100", "5.e100", f"{LONG}.5", f".{LONG}"]
TOO_LARGE = [
    *("", "x", "-", "+", ".", "e5", "1e", "1x", "x1", " 1", "1 ", "1,5", "na", "NAN", "inf"),
    *(f"{LONG}x", f"x{LONG}", f"{LONG} ", "1e100x", "1e1.5", "1.2.3", "--1", "٣", "1\n"),
]


@pytest.mark.parametrize("parse", LIMITS, ids=lambda parse: parse.name)
def test_a_number_that_cannot_be_read_passes_the_limit_of_its_column(parse):
    field = COLUMNS[parse]
    is_decimal = LIMITS[parse] == DECIMAL_LIMIT
    for text in WHOLE_LIMITS:
        assert describe_limit(field, text) == LIMITS[parse]
    for text in DECIMALS:
        assert describe_limit(field, text) == (DECIMAL_LIMIT if is_decimal else "")
    for text in TOO_LARGE:
        assert describe_limit(field, text) == ""


@pytest.mark.parametrize(
    ("line", "uli"),
    [
        (b"", UNKNOWN_ULI), (b"2", UNKNOWN_ULI), (b"2|LEI", UNKNOWN_ULI), (b"2|LEI|", ""),
        (b"2|LEI|ULI", "ULI"), (b"2|LEI|ULI|NA|1", "ULI"),
    ],
)  # fmt: skip
def test_a_loan_that_cannot_be_read_is_told_by_its_third_field(line, uli):
    assert estimate_uli(1, line) == uli
    assert estimate_uli(7, line) == uli
    assert estimate_uli(0, line) == estimate_uli(0, b"1|Bank") != uli
