"""The views of texts and the bits of bools, as polars holds them."""

from __future__ import annotations

import polars as pl
import pytest

from filing.edits.string_views import read_bools
from filing.edits.texts import Texts

SHORT = ["", "a", "NA", "NA ", "1111", "11111", "Exempt", "exempt", "Exempted", "ÉÉÉÉÉÉ", "9" * 12]
LONG = ["Exempt" + 7 * "x", "É" * 7, "9" * 13, "9" * 14]
CHUNKS = pl.concat([pl.Series(SHORT), pl.Series(LONG), pl.Series(SHORT[::-1])], rechunk=False)


@pytest.mark.parametrize("series", [CHUNKS, CHUNKS.rechunk(), CHUNKS[5:20], CHUNKS[:0]])
@pytest.mark.parametrize("value", [*SHORT, *LONG, "Exem"])
def test_texts_are_compared_whole(series: pl.Series, value: str):
    texts, expected = Texts(series), [text == value for text in series]
    assert (texts == value).tolist() == expected
    assert (value == texts).tolist() == expected
    assert (texts == Texts(pl.Series([value] * len(series), dtype=pl.String))).tolist() == expected


@pytest.mark.parametrize("begin", [0, 3, 8, 13])
def test_bools_are_read_from_any_bit(begin: int):
    bools = pl.Series([number % 3 == 0 for number in range(40)])[begin:]
    assert read_bools(bools).tolist() == bools.to_list()
    assert read_bools(pl.concat([bools, bools], rechunk=False)).tolist() == [*bools, *bools]
