"""Values for the fields of loans that rules tell apart, all of which can be read."""

from __future__ import annotations

from collections.abc import Mapping

from filing.edits import examples
from filing.lar.fields import Field, Parse
from filing.lar.years import Period

LEI = "EXAMPLE0000000000001"
LONG = "EXAMPLE0000000000001LOAN"
RATIO = "combined_loan_to_value_ratio"

TEXTS = (
    *("", "NA", "na", "Na", "Exempt", "exempt", "1111", "888", "99999.00"),
    *("Main Street", "1 Main"),
)
WHOLE = (0, 1, 2, 3, 5, 6, 7, 9, -1, 17, 18, 31, 100, 101, 1111, 8888, 9999)
DECIMALS = ("0", "-1", "+6.5", "6.50000000000000000001", "8.5", "8.51", "10.000", "10.01", "80.50")
WITH_EXPONENT = (*DECIMALS, "1e1", "6.5E0")
HUGE = "99999999999999999999999999"
NUMBERS = ("9", "10", "2999", "3000", "+3000", "9999", "10000", "-5", HUGE, f"-{HUGE}")
DAYS = ("0105", "0229", "0331", "0401", "0630", "0701", "0930", "1001", "1231")
POOLS: Mapping[str, tuple[str | int, ...]] = {
    "record_id": (2, 2, 2, 1, 3),
    "lei": (LEI, LEI.lower(), LEI + "99", "", "EXAMPLE", "é" * 20),
    "uli": (
        *("", "LOAN1", "LOAN-1", "na", "NA", "Exempt", "1111", "A" * 22, "A" * 21 + "-"),
        *(examples.numbered_uli(LEI, 7), examples.numbered_uli(LEI, 7).lower(), LONG, LONG + "-"),
        *("A" * 46, "A" * 22 + "-", "é" * 23, LONG + "é", "1" * 45, "99DEMOLENDER00000006601"),
    ),
    "loan_amount": (
        *("250000", "250000.00000000000000001", "2.5e5", "00300000", "100000", "499.99"),
        *("-0.01", "0"),
    ),
    "street": (
        *TEXTS,
        *("1 " + "x" * 98, "1 " + "x" * 99, "1 Main & Sons", "1 Main; 2 Main", "1 Land and Sea"),
        *("1 AND 2", "1 Sandstone", "1 Tbd", "1 Main?", "123", "A1", "1 Back\\slash"),
    ),
    "state": ("CA", "NY", "TX", "ca", "NA", "na", "", "XX", "Exempt"),
    "zip_code": (
        *("90001", "90001-1234", "9000", "NA", "na", "Exempt", "exempt", ""),
        "\N{FULLWIDTH DIGIT NINE}0001",
    ),
    "county": ("06037", "36061", "48301", "99999", "NA", "na", "nA", "", "0603", "060370"),
    "census_tract": (
        *(examples.TRACT, "36061000100", "48301950100", "06037999999"),
        *("NA", "na", "Na", "", "0603", "x" * 11),
    ),
    "nmlsr_id": (
        *("NA", "na", "Exempt", "", "0", "00000", "-1", "+12345", "123", "1234", "1234567"),
        *("12345678", "1" * 12, "1" * 13, "3000000", "3000001", str(2**31 - 1), str(2**31)),
        *("-" + "9" * 11, "ABCD", "A-12", "12.5", "\N{FULLWIDTH DIGIT ONE}234"),
    ),
    RATIO: (*DECIMALS, "NA", "Exempt"),  # the rule about its places means digits as typed
}
BY_PARSE: Mapping[Parse, tuple[str | int, ...]] = {
    Parse.INTEGER: WHOLE,
    Parse.DECIMAL: WITH_EXPONENT,
    Parse.INTEGER_OR_NA: (*NUMBERS, "NA"),
    Parse.INTEGER_NA_OR_EXEMPT: (*NUMBERS, "NA", "Exempt"),
    Parse.DECIMAL_NA_OR_EXEMPT: (*WITH_EXPONENT, "NA", "Exempt", "1111"),
    Parse.DECIMAL_NA_EXEMPT_OR_BLANK: (*WITH_EXPONENT, "NA", "Exempt", "1111", ""),
    Parse.TEXT: TEXTS,
}


def pool(field: Field, period: Period) -> tuple[str | int, ...]:
    """Return values of a field that has nothing to do with any rule in particular."""
    if field.name in POOLS:
        return POOLS[field.name]
    if field.parse in {Parse.CODE, Parse.CODE_OR_BLANK}:
        return (*field.codes, *WHOLE)
    if field.parse in {Parse.DATE, Parse.DATE_OR_NA}:
        years = (period.year, period.year, period.year - 1, period.year - 2, period.year + 1)
        days = [f"{year}{day}" for year in years for day in DAYS if day != "0229" or not year % 4]
        return tuple(map(int, days)) if field.parse is Parse.DATE else (*days, "NA")
    return BY_PARSE[field.parse]
