"""Numbers in texts: which texts are numbers, and which of two is the larger."""

import operator
from fractions import Fraction

import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from filing.edits import vocabulary as v
from tests.filing.edits.answers import answers
from tests.filing.edits.codes import ALWAYS, holding, periods

NUMBERS = [
    *("1", "+7", "-1e5", "+.5E1", ".5e-1", "5.", "05e1", "0e0", "-0e5", "0" * 30 + "7", "9" * 99),
    *("0." + "0" * 90 + "1", "1e99", "-" + "9" * 96 + "e99", "." + "0" * 96 + "1e-99"),
]
NONE = [
    *("", ".", "-", "+", "e", "e5", ".e5", "-e5", "1e", "1e+", "1e1.5", "1ee5", "1e5e5", "+-1e5"),
    *("NA", "Exempt", "exempt", "1 000", "1e5 ", " 1e5", "1e5x", "x1e5", "1.2.3", "1..2", "..2"),
    *("0" * 20 + "x", "x" + "0" * 20, "0" * 20 + " ", "." * 20, "1,5", "1e5\n", "٣e5", "Infinity"),
    *("inf", "-inf", "nan", "NaN", "1_0", "0x1", "Exempt1e5", "--1", "٣"),
]
RELATIONS = [operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne]

# Of many digits, and of few, so that some are next to each other.
long = st.builds(
    "{}{}.{}{}".format,
    st.sampled_from(["", "-", "+"]),
    st.integers(0, 10**20),
    st.text("0123456789", max_size=30),
    st.one_of(st.just(""), st.integers(-99, 99).map("e{}".format)),
)
short = st.decimals(-9, 9, places=1).map("{:f}".format)
end = st.sampled_from(["", "0", "00000000000000", "00000000000000001", "99999999999999999"])
near = st.builds("{}{}".format, short, end)


@given(st.lists(st.tuples(st.one_of(near, long), st.one_of(near, long)), min_size=1))
@example([("0.1", "0.1000000000000000055511151231257827"), ("1e99", "1" + "0" * 99)])
@example([("123456789012345.6", "123456789012345.61"), ("123456789012345.6", "123456789012345.60")])
def test_numbers_of_any_length_compare_as_fractions_do(pairs):
    ones, others = zip(*pairs, strict=True)
    frame = pl.DataFrame({"rate_spread": ones, "interest_rate": others})
    for relation in RELATIONS:
        assert answers(relation(v.num("rate_spread"), v.num("interest_rate")), frame) == [
            relation(Fraction(one), Fraction(other)) for one, other in pairs
        ]
        for literal in (0.1, 1, -7):
            expected = [relation(Fraction(one), Fraction(str(literal))) for one in ones]
            assert answers(relation(v.num("rate_spread"), literal), frame) == expected


def test_only_what_reads_as_a_number_is_one():
    frame = pl.DataFrame({"rate_spread": [*NUMBERS, *NONE]})
    is_number = [True] * len(NUMBERS) + [False] * len(NONE)
    assert answers(v.number("rate_spread"), frame) == is_number
    assert answers(v.num("rate_spread") == v.num("rate_spread"), frame) == is_number
    assert answers(v.num("rate_spread") != 5000, frame) == [True] * frame.height


@pytest.mark.parametrize(
    ("code", "whole", "part"),
    [
        ("Q615-1", "total_loan_costs", "origination_charges"),
        ("Q615-2", "total_points_and_fees", "origination_charges"),
        ("Q616-1", "total_loan_costs", "discount_points"),
        ("Q616-2", "total_points_and_fees", "discount_points"),
    ],
)
@pytest.mark.parametrize("digits", [15, 16, 19, 40])
def test_amounts_of_many_digits_are_compared_exactly(code, whole, part, digits):
    right = ["9" * (digits - 1) + "8", "9" * (digits - 1) + "8.99"]
    wrong = ["9" * digits, "9" * digits + ".00", "9" * digits + ".01"]
    for period in periods(code, ALWAYS):
        changes = {whole: "9" * digits}
        assert holding(code, period, changes, part, [*right, *wrong]) == right
