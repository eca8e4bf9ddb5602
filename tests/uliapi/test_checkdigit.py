"""Check digits against big integers."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from uliapi import checkdigit

texts = st.text(st.sampled_from("09AZaz5mM") | st.characters(codec="utf-8"), max_size=50)
loan_ids = st.text("0123456789ABCXYZabcxyz", min_size=21, max_size=43)


@pytest.mark.parametrize("loan_id", ["", "A" * 20, "A" * 44, "A" * 20 + "-", "é" * 21])
def test_check_digits_are_refused_for_other_loan_ids(loan_id):
    with pytest.raises(ValueError, match="21 to 43 letters and digits"):
        checkdigit.compute_check_digits(loan_id)
    assert checkdigit.generate_check_digits(pl.Series([loan_id])).to_list() == [None]


@given(st.lists(texts, max_size=20))
def test_a_column_is_judged_like_each_of_its_texts(some):
    column = pl.Series("uli", some, dtype=pl.String)
    assert checkdigit.validate_ulis(column).to_list() == [
        checkdigit.is_valid_uli(text) for text in some
    ]


@given(loan_ids)
def test_generated_digits_agree_with_big_integers_and_validate(loan_id):
    number = int(
        "".join(str("0123456789abcdefghijklmnopqrstuvwxyz".index(c)) for c in loan_id.lower())
    )
    digits = f"{98 - number * 100 % 97:02d}"
    assert checkdigit.compute_check_digits(loan_id) == digits
    assert checkdigit.generate_check_digits(pl.Series([loan_id])).to_list() == [digits]
    assert checkdigit.validate_ulis(pl.Series([loan_id + digits])).to_list() == [True]
