"""Numbers in texts as decimals of one type, which compare as the numbers themselves do."""

from decimal import Decimal, localcontext

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from databrowser.publication.records.decimals import read_decimals

FEW_PLACES = st.decimals(
    allow_nan=False, allow_infinity=False, places=8, min_value=-(10**9), max_value=10**9
)
ANY = st.decimals(allow_nan=False, allow_infinity=False)

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
    ("text", "value"),
    [
        ("1", 1),
        ("-0.5", "-0.5"),
        ("+007.50", "7.5"),
        (".5", "0.5"),
        ("5.", 5),
        ("1.5e3", 1500),
        ("1E-3", "0.001"),
        ("0e99", 0),
        ("1e-20", "1E-16"),
        ("-6.50000000000000000001", "-6.5000000000000001"),
        ("1e60", "9999999999999999999999.9999999999999999"),
        ("-" + "9" * 90, "-9999999999999999999999.9999999999999999"),
        *((text, None) for text in ("", "NA", "Exempt", "x", "1e", "--1", "1,5", " 1", "٣", "inf")),
        *((text, None) for text in ("nan", "1_0", "0x1", "1" * 40 + "x", "Exempt1e5")),
    ],
)
def test_texts_read_as_exact_decimals(text, value):
    expected = None if value is None else Decimal(value)
    assert read_decimals(pl.Series(["1", text])).to_list() == [1, expected]


@given(ANY, FEW_PLACES)
def test_a_number_of_any_length_keeps_its_side_of_every_short_number(long, short):
    texts = pl.Series([f"{long:e}", f"{short:f}"])
    one, other = read_decimals(texts)
    with localcontext(prec=80):
        assert (one > other, one < other) == (long > short, long < short)
