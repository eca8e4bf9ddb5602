"""Numbers that are too long or too large: which limit they pass, and what is no number at all."""

import pytest

from filing.lar.errors import UNKNOWN_ULI, estimated_uli
from filing.lar.fields import DECIMAL_LIMIT, LAR, Parse
from filing.lar.formats import limit_passed

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
WHOLES = [LONG, f"+{LONG}", f"-{LONG}", "2147483648", "-2147483649", "0" * 101]
DECIMALS = ["1e100", "1E+100", "-1e-100", "1.5e999", ".5e100", "5.e100", f"{LONG}.5", f".{LONG}"]
NO_NUMBERS = [
    *("", "x", "-", "+", ".", "e5", "1e", "1x", "x1", " 1", "1 ", "1,5", "na", "NAN", "inf"),
    *(f"{LONG}x", f"x{LONG}", f"{LONG} ", "1e100x", "1e1.5", "1.2.3", "--1", "٣", "1\n"),
]


def test_these_columns_have_limits():
    for parse, field in COLUMNS.items():
        assert field.limit == LIMITS.get(parse, "")


@pytest.mark.parametrize("parse", LIMITS, ids=lambda parse: parse.name)
def test_a_number_that_cannot_be_read_passes_the_limit_of_its_column(parse):
    field = COLUMNS[parse]
    is_decimal = LIMITS[parse] == DECIMAL_LIMIT
    for text in WHOLES:
        assert limit_passed(field, text) == LIMITS[parse]
    for text in DECIMALS:
        assert limit_passed(field, text) == (DECIMAL_LIMIT if is_decimal else "")
    for text in NO_NUMBERS:
        assert limit_passed(field, text) == ""


@pytest.mark.parametrize(
    ("line", "uli"),
    [
        (b"", UNKNOWN_ULI),
        (b"2", UNKNOWN_ULI),
        (b"2|LEI", UNKNOWN_ULI),
        (b"2|LEI|", ""),
        (b"2|LEI|ULI", "ULI"),
        (b"2|LEI|ULI|NA|1", "ULI"),
    ],
)
def test_a_loan_that_cannot_be_read_is_told_by_its_third_field(line, uli):
    assert estimated_uli(1, line) == uli
    assert estimated_uli(7, line) == uli
    assert estimated_uli(0, line) == estimated_uli(0, b"1|Bank") != uli
