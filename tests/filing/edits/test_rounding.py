"""Comparisons with rounded amounts, beside the same in fractions."""

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from filing.edits.rounding import at_most_percent, covers_loan_to_value
from tests.filing.edits.answers import answers

RATIO = "combined_loan_to_value_ratio"
SHARE = at_most_percent("discount_points", 15, "loan_amount")
COVERS, COVERS_AS_TYPED = covers_loan_to_value(RATIO), covers_loan_to_value(RATIO, as_typed=True)

# As in a file: a hundred characters at most, and a power of ten of two digits.
digits = st.text("0123456789", max_size=30)
powers = st.one_of(st.just(""), st.integers(-99, 99).map("e{}".format))
short = st.decimals(-2000, 2000, allow_nan=False, allow_infinity=False, places=2).map("{:f}".format)
long = st.builds(
    "{}{}.{}{}".format, st.sampled_from(["", "+", "-"]), st.integers(0, 10**30), digits, powers
)
numbers = st.one_of(short, short.map("{}e0".format), long)


def answers_to(word, **columns):
    return answers(word, pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String)))


def share_holds(points, amount):
    return answers_to(SHARE, discount_points=[points], loan_amount=[amount]) == [True]


def covered(ratio, amount, value, *, as_typed=False):
    word = COVERS_AS_TYPED if as_typed else COVERS
    asked = {RATIO: [ratio], "loan_amount": [amount], "property_value": [value]}
    return answers_to(word, **asked) == [True]


def rounded(value, places):
    units = math.floor(abs(value) * 10**places + Fraction(1, 2))
    return Fraction(units, 10**places) * (-1 if value < 0 else 1)


def places_of(text, *, as_typed):
    with localcontext(prec=300):
        number = Decimal(text)
        if Fraction(text).denominator == 1:
            return 0
        return -(number if as_typed else number.normalize()).as_tuple().exponent


def plain(value, places):
    """Return a multiple of a power of ten, written out with so many decimals."""
    with localcontext(prec=300):
        return f"{Decimal((value * 10**places).numerator).scaleb(-places):f}"


@pytest.mark.parametrize(
    ("points", "amount", "holds"),
    [
        ("15", "100", True), ("15.01", "100", False), ("15.02", "100.10", True),
        ("15.0200000000000000000001", "100.10", False),
        ("15.02", "100.099999999999999999999", False), ("-15.02", "-100.10", True),
        ("-15.01", "-100.10", False), ("0", "0", True), ("0", "-0.03", True),
        ("0.00", "-0.0333333333333333333333333333333333334", False),
        ("1.5e29", "1e30", True),
        ("1.5000000000000000000000000000001e29", "1e30", False),
        ("NA", "-100", True), ("", "-100", True), ("Exempt", "-100", True),
    ],
)  # fmt: skip
def test_a_share_is_rounded_to_cents(points, amount, holds):
    assert share_holds(points, amount) is holds


@pytest.mark.parametrize(
    ("ratio", "amount", "value", "holds", "holds_as_typed"),
    [
        ("80", "80499.99", "100000", True, True), ("80", "80500", "100000", False, False),
        ("80.00", "80400", "100000", True, True), ("80.50", "80540", "100000", True, False),
        ("80.50e0", "80540", "100000", True, False), ("8.05e1", "80540", "100000", True, True),
        ("805E-1", "80540", "100000", True, True), ("805E-1", "80550", "100000", False, False),
        ("80.500", "80540", "100000", True, False), ("1e2", "100499.99", "100000", True, True),
        ("79.9999999999999999", "80000", "100000", False, False),
        ("79.99999999999999999999", "80000", "100000", False, False),
        ("66.66666666666667", "2", "3", True, True), ("66.66666666666666", "2", "3", False, False),
        ("66.66666666666666666666667", "2", "3", True, True),
        ("66.66666666666666666666666", "2", "3", False, False),
        ("80", "8e29", "1e30", True, True), ("80", "8.05e29", "1e30", False, False),
        ("1e99", "1e98", "1e1", True, True), ("1e99", "1.1e98", "1e1", False, False),
        ("-2", "-1.5", "100", True, True), ("-2", "1.5", "-100", True, True),
        ("-2", "1.49", "-100", False, False), ("-1", "-1.4", "100", True, True),
        ("-2", "-1.4", "100", False, False), ("0", "0.49999", "100", True, True),
        ("-0.0", "0.5", "100", False, False), ("0", "-0.5", "100", True, True),
        ("1", "100", "0", True, True), ("1", "100", "0e9", True, True),
        ("1", "100", "NA", True, True), ("Exempt", "100", "1", True, True),
    ],
)  # fmt: skip
def test_the_percentage_is_rounded_to_the_decimals_of_the_ratio(
    ratio, amount, value, holds, holds_as_typed
):
    assert covered(ratio, amount, value) is holds
    assert covered(ratio, amount, value, as_typed=True) is holds_as_typed


@given(numbers, numbers)
@example("1e99", "-9.e99")
def test_any_numbers_compare_with_a_share_as_fractions_do(points, amount):
    limit = rounded(Fraction(amount) * 15 / 100, 2)
    assert share_holds(points, amount) is (Fraction(points) <= limit)
    for near in (limit - Fraction(1, 100), limit, limit + Fraction(1, 100)):
        assert share_holds(plain(near, 2), amount) is (near <= limit)


@given(numbers, numbers, numbers, st.booleans())
def test_any_numbers_compare_with_a_percentage_as_fractions_do(ratio, amount, value, as_typed):
    if Fraction(value):
        percentage = Fraction(amount) * 100 / Fraction(value)
        limit = rounded(percentage, places_of(ratio, as_typed=as_typed))
        assert covered(ratio, amount, value, as_typed=as_typed) is (Fraction(ratio) >= limit)


@given(
    st.integers(-(10**9), 10**9),
    st.integers(0, 20),
    st.integers(1, 10**12),
    st.sampled_from([-1, 0, 1]),
    st.booleans(),
)
def test_halves_of_the_last_decimal_are_rounded_away_from_zero(units, places, cents, side, flip):
    # A 1 in the last place: there are no zeros to be dropped.
    ratio, value = Fraction(units * 10 + 1, 10**places), Fraction(cents, -100 if flip else 100)
    percentage = ratio + Fraction(side, 2 * 10**places)
    texts = plain(ratio, places), plain(percentage * value / 100, places + 6), plain(value, 2)
    assert covered(*texts) is (ratio >= rounded(percentage, places))


@given(st.lists(st.tuples(*[st.text("0123456789.eE+-_ NAxé/", max_size=9)] * 4), max_size=5))
def test_nothing_that_may_stand_in_a_field_is_without_an_answer(rows):
    texts = list(zip(*rows, strict=True)) or [()] * 4
    names = ("discount_points", "loan_amount", "property_value", RATIO)
    for word in (SHARE, COVERS, COVERS_AS_TYPED):
        found = answers_to(word, **dict(zip(names, texts, strict=True)))
        assert len(found) == len(rows)
        assert None not in found
