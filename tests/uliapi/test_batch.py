"""Lists of identifiers: what each line is answered, as a table, as CSV and as JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from filing.lar import quoted_cells
from tests.uliapi.identifiers import LOAN_ID, digits_of
from uliapi import batch

characters = st.sampled_from('09AZaz,"\r\\\t-=+@é') | st.characters(
    codec="utf-8", exclude_characters="\n"
)
lines = st.lists(st.text(characters, max_size=50), max_size=12)


def chunks(texts: list[str], size: int = 5) -> Iterator[pl.Series]:
    for begin in range(0, len(texts), size):
        yield pl.Series(texts[begin : begin + size], dtype=pl.String)


def test_a_line_in_quotes_is_the_text_in_them():
    texts = [f'"{LOAN_ID}"', '" a ""b"" "', '"a","b"', '"', '""', '"a"b']
    told = b"".join(batch.stream_answers_csv(batch.generate_listed, chunks(texts))).decode()
    read = [row[0] for row in csv.reader(io.StringIO(told))][1:]
    assert read == [LOAN_ID, 'a "b"', '"a","b"', '"', "", '"a"b']
    lists = batch.stream_answers_json(batch.generate_listed, chunks(texts), name="ids")
    assert json.loads(b"".join(lists))["ids"][0]["checkDigit"] == digits_of(LOAN_ID)


def test_for_a_spreadsheet_formulas_are_led_by_an_apostrophe():
    texts = ["=1+1", "+1", "-1", "@a", '=HYPERLINK("x","y")', LOAN_ID]
    told = b"".join(
        batch.stream_answers_csv(batch.generate_listed, chunks(texts), for_spreadsheet=True)
    ).decode()
    cells = [row[0] for row in csv.reader(io.StringIO(told))]
    assert cells == ["loanId", *(f"'{text}" for text in texts[:-1]), LOAN_ID]
    assert told.endswith(f"{LOAN_ID},38,{LOAN_ID}38\n")


@given(lines)
def test_csv_is_read_back_as_it_was_told(texts):
    told = b"".join(batch.stream_answers_csv(batch.generate_listed, chunks(texts))).decode()
    rows = list(csv.reader(io.StringIO(told, newline="")))
    unquoted = quoted_cells.unquote_lines(pl.Series(texts, dtype=pl.String))
    assert rows == [
        ["loanId", "checkDigit", "uli"],
        *map(list, batch.generate_listed(unquoted).rows()),
    ]
