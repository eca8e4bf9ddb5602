"""APRs of any length: which are numbers, and what the spread of each is."""

import pytest

from ratespread.calculator import LOAN_FAULTS
from tests.ratespread.test_calculator import column, loan

NO_NUMBER = f"error: {LOAN_FAULTS[3].reason}"


@pytest.mark.parametrize(
    ("apr", "answer"),
    [
        # Up to 15 digits before the point, whatever follows it.
        ("100000000000000", "99999999999998.000"),
        ("999999999999999", "999999999999997.000"),
        ("999999999999999.9994", "999999999999997.999"),
        ("1000000000000000", NO_NUMBER),
        ("9999999999999999", NO_NUMBER),
        ("1e14", "99999999999998.000"),
        ("1e15", NO_NUMBER),
        ("1E-99", "-2.000"),
        ("1e999999999999999999999", NO_NUMBER),
        # 15, 16, 17 and more characters, of which those behind the point are many.
        ("6.1234567890123", "4.123"),
        ("6.12345678901234", "4.123"),
        ("6.123456789012345", "4.123"),
        ("6.1234567890123456", "4.123"),
        ("1234567890.12345", "1234567888.123"),
        ("12345678901.12345", "12345678899.123"),
        ("000000000000006", "4.000"),
        ("0000000000000006", "4.000"),
        ("00000000000000006", "4.000"),
        # What is cut off still decides on which side of a half the number lies.
        ("6.0005", "4.001"),
        ("6.000499999999", "4.000"),
        ("6.00049999999999999999", "4.000"),
        ("6.00050000000000000001", "4.001"),
        ("1.99950000000000000001", "0.000"),
        ("1.99949999999999999999", "-0.001"),
        ("6.0005e0", "4.001"),
        ("0.60005E+1", "4.001"),
        ("60.005e-1", "4.001"),
        # No other ways to write a number.
        ("+6", "4.000"),
        ("-6", "-8.000"),
        ("6.", "4.000"),
        (".5", "-1.500"),
        *((text, NO_NUMBER) for text in ("", ".", "-", "6,5", " 6", "6 ", "6%", "0x6", "6_0")),
        *((text, NO_NUMBER) for text in ("NA", "nan", "inf", "-inf", "1e", "e1", "--6", "٦")),
        *((text, NO_NUMBER) for text in ("6e0 ", "6e0_1", "6e0%")),
    ],
)
def test_an_apr_of_any_length_is_read_exactly(apr, answer):
    assert column([loan("2019-12-23", apr)]) == [answer]
    # Beside others it is read as it is alone.
    beside = column([loan("2019-12-23", each) for each in ("6", apr, "1e0", "x")])
    assert beside == ["4.000", answer, "-1.000", NO_NUMBER]
