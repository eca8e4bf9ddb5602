"""Numbers of a column in plain notation, whatever notation they were filed in."""

import polars as pl
import pytest

from filing.lar.plain_numbers import plain


@pytest.mark.parametrize(
    ("filed", "shown"),
    [
        ("+5", "5"),
        ("+05", "5"),
        ("05", "5"),
        ("0050", "50"),
        ("5.", "5"),
        ("10.", "10"),
        (".5", "0.5"),
        ("-.5", "-0.5"),
        ("-05.10", "-5.10"),
        ("-0", "0"),
        ("-0.00", "0.00"),
        ("00", "0"),
        ("1e3", "1000"),
        ("1.5E+3", "1500"),
        *((text, text) for text in ("5", "-5", "10", "105", "4.500", "-0.50", "0", "0.0")),
        *((text, text) for text in ("NA", "Exempt", "")),
    ],
)
def test_a_number_is_written_plainly_and_words_stay(filed, shown):
    columns = [[filed], ["7", filed, "NA"]]
    results = [pl.DataFrame({"x": column}).select(plain(pl.col("x"))) for column in columns]
    assert [result["x"].to_list() for result in results] == [[shown], ["7", shown, "NA"]]
