"""A record flat, nested and as a line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import polars as pl
import pytest

from filing.lar.errors import LineErrors
from filing.lar.fields import LAR
from filing.lar.nested import (
    format_line,
    nest_record,
    write_plain_numbers,
)
from filing.lar.parser import parse_loan

Line = Callable[..., bytes]


def read(line: bytes) -> dict[str, Any]:
    record = parse_loan(line)
    assert not isinstance(record, LineErrors)
    return dict(record)


@pytest.mark.parametrize(
    ("name", "typed", "shown"),
    [
        ("income", "+0050", "50"), ("income", "-007", "-7"), ("income", "-000", "0"),
        ("income", "NA", "NA"), ("loan_term", "Exempt", "Exempt"),
        ("rate_spread", "1.5e3", "1500"), ("rate_spread", "4.500", "4.500"),
        ("rate_spread", "-.5", "-0.5"), ("rate_spread", "5.", "5"),
        ("rate_spread", "007.50", "7.50"), ("rate_spread", "-0.00", "0.00"),
        ("rate_spread", "12E-3", "0.012"), ("rate_spread", "0e5", "0"),
        ("discount_points", "", ""), ("property_value", "350500", "350500"),
        ("application_date", "NA", "NA"), ("application_date", "20240110", "20240110"),
        ("nmlsr_id", "007", "007"), ("loan_amount", "240500.00", 240500),
        ("loan_amount", "2405e2", 240500), ("loan_amount", "240500.1", 240500.1),
        ("loan_amount", "+.25", 0.25), ("loan_amount", "9" * 30, int("9" * 30)),
        ("purchaser_type", "00", 0), ("aus_2", "", 0),
    ],
)  # fmt: skip
def test_values_as_json(name: str, typed: str, shown: object, loan_line: Line) -> None:
    (field,) = [field for field in LAR if field.name == name]
    place: Any = nest_record(read(loan_line(**{name: typed})))
    for key in field.json.split("."):
        place = place[key]
    assert place == shown
    assert type(place) is type(shown)


def test_line_leaves_blank_codes_blank_and_fills_up_dates(loan_line: Line) -> None:
    line = loan_line(aus_2="0", action_taken_date="09990101", loan_type="01")
    expected = loan_line(aus_2="", action_taken_date="09990101", loan_type="1")
    assert format_line(read(line)).encode() == expected


@pytest.mark.parametrize(
    ("filed", "shown"),
    [
        ("+5", "5"), ("+05", "5"), ("05", "5"), ("0050", "50"), ("5.", "5"), ("10.", "10"),
        (".5", "0.5"), ("-.5", "-0.5"), ("-05.10", "-5.10"), ("-0", "0"), ("-0.00", "0.00"),
        ("00", "0"), ("1e3", "1000"), ("1.5E+3", "1500"),
        *((text, text) for text in ("5", "-5", "10", "105", "4.500", "-0.50", "0", "0.0")),
        *((text, text) for text in ("NA", "Exempt", "")),
    ],
)  # fmt: skip
def test_a_number_is_written_plainly_and_words_stay(filed, shown):
    columns = [[filed], ["7", filed, "NA"]]
    results = [
        pl.DataFrame({"x": column}).select(write_plain_numbers(pl.col("x"))) for column in columns
    ]
    assert [result["x"].to_list() for result in results] == [[shown], ["7", shown, "NA"]]
