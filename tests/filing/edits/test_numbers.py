"""Numbers in texts: which texts are numbers, and which of two long ones is the larger."""

from decimal import Decimal

import polars as pl
import pytest

from filing.edits.facts import read_decimals
from tests.filing.edits.codes import ALWAYS, holding, periods

# Longer than what is read at once, or with an exponent.
LONG = [
    ("+1e5", "100000"),
    ("-1e5", "-100000"),
    ("+.5E1", "5"),
    ("-.5e+1", "-5"),
    (".5e-1", "0.05"),
    ("5.e1", "50"),
    ("05e1", "50"),
    ("0.5e1", "5"),
    ("0e0", "0"),
    ("-0e5", "0"),
    ("0.0000000000000001", "0.0000000000000001"),
    ("0.00000000000000001", "0.0000000000000001"),
    ("-0.00000000000000001", "-0.0000000000000001"),
    (".00000000000000001", "0.0000000000000001"),
    ("+" + "0" * 30 + "7", "7"),
    ("0" * 30 + "." + "0" * 30, "0"),
    ("9" * 22, "9" * 22),
    ("-" + "9" * 22, "-" + "9" * 22),
    ("9" * 22 + "." + "9" * 16, "9" * 22 + "." + "9" * 16),
    ("1" + "0" * 22, "9" * 22 + "." + "9" * 16),
    ("-1" + "0" * 22, "-" + "9" * 22 + "." + "9" * 16),
    ("1e21", "1" + "0" * 21),
    ("1e22", "9" * 22 + "." + "9" * 16),
]
NONE = [
    *("", ".", "-", "+", "e", "e5", ".e5", "-e5", "1e", "1e+", "1e1.5", "1ee5", "1e5e5", "+-1e5"),
    *("NA", "Exempt", "exempt", "1 000", "1e5 ", " 1e5", "1e5x", "x1e5", "1.2.3", "1..2", "..2"),
    *("0" * 20 + "x", "x" + "0" * 20, "0" * 20 + " ", "." * 20, "1,5", "1e5\n", "٣e5", "Infinity"),
]


@pytest.mark.parametrize(("text", "value"), LONG)
def test_a_long_number_or_one_with_an_exponent_is_read_exactly(text, value):
    assert read_decimals(pl.Series([text])).to_list() == [Decimal(value)]
    assert read_decimals(pl.Series(["NA", "7", text, ""])).to_list() == [
        *(None, Decimal(7), Decimal(value), None),
    ]


@pytest.mark.parametrize("text", NONE)
def test_other_texts_are_no_numbers(text):
    assert read_decimals(pl.Series([text])).to_list() == [None]
    assert read_decimals(pl.Series(["1e1", text, "7"])).to_list() == [Decimal(10), None, Decimal(7)]


@pytest.mark.parametrize(
    ("code", "whole", "part"),
    [
        ("Q615-1", "total_loan_costs", "origination_charges"),
        ("Q615-2", "total_points_and_fees", "origination_charges"),
        ("Q616-1", "total_loan_costs", "discount_points"),
        ("Q616-2", "total_points_and_fees", "discount_points"),
    ],
)
@pytest.mark.parametrize("digits", [15, 16, 17, 18, 19, 20, 21, 22])
def test_amounts_of_many_digits_are_compared_exactly(code, whole, part, digits):
    right = ["9" * (digits - 1) + "8", "9" * (digits - 1) + "8.99"]
    wrong = ["9" * digits, "9" * digits + ".00", "9" * digits + ".01"]
    for period in periods(code, ALWAYS):
        changes = {whole: "9" * digits}
        assert holding(code, period, changes, part, [*right, *wrong]) == right
