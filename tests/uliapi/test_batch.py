"""Lists of identifiers: what each line is answered, as a table, as CSV and as JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from filing.lar import quoted_cells
from tests.uliapi.identifiers import GENERATED, L_LENGTH, LOAN_ID, VALIDATED, digits_of
from uliapi import batch

characters = st.sampled_from('09AZaz,"\r\\\t-=+@é') | st.characters(
    codec="utf-8", exclude_characters="\n"
)
lines = st.lists(st.text(characters, max_size=50), max_size=12)


def chunks(texts: list[str], size: int = 5) -> Iterator[pl.Series]:
    for begin in range(0, len(texts), size):
        yield pl.Series(texts[begin : begin + size], dtype=pl.String)


@pytest.mark.parametrize(("loan_id", "reason"), GENERATED)
def test_a_loan_id_gets_its_digits_or_the_reason_why_not(loan_id, reason):
    digits = "Error" if reason else digits_of(loan_id)
    table = batch.generate_listed(pl.Series([loan_id]))
    assert table.columns == ["loanId", "checkDigit", "uli"]
    assert table.rows() == [(loan_id, digits, reason or loan_id + digits)]


@pytest.mark.parametrize(("uli", "verdict"), VALIDATED)
def test_a_uli_gets_its_verdict_or_the_reason_why_not(uli, verdict):
    table = batch.validate_listed(pl.Series([uli]))
    assert table.columns == ["uli", "isValid"]
    assert table.rows() == [(uli, verdict)]


def test_a_bad_line_does_not_touch_the_others():
    texts = [text for text, _ in GENERATED]
    together = batch.generate_listed(pl.Series(texts)).rows()
    assert together == [batch.generate_listed(pl.Series([text])).row(0) for text in texts]
    texts = [text for text, _ in VALIDATED]
    together = batch.validate_listed(pl.Series(texts)).rows()
    assert together == [batch.validate_listed(pl.Series([text])).row(0) for text in texts]


def test_csv_has_its_header_first_and_quotes_only_what_needs_it():
    texts = [LOAN_ID, "", "a,b", 'say "x"', "c\rd", "=1+1", "é", "it's\ttrue"]
    pieces = list(batch.stream_answers_csv(batch.generate_listed, chunks(texts)))
    assert pieces[0] == b"loanId,checkDigit,uli\n"
    assert b"".join(pieces[1:]).decode().split("\n") == [
        f"{LOAN_ID},38,{LOAN_ID}38",
        f",Error,{L_LENGTH}",
        f'"a,b",Error,{L_LENGTH}',
        f'"say ""x""",Error,{L_LENGTH}',
        f'"c\rd",Error,{L_LENGTH}',
        f"=1+1,Error,{L_LENGTH}",
        f"é,Error,{L_LENGTH}",
        f"it's\ttrue,Error,{L_LENGTH}",
        "",
    ]


def test_a_line_in_quotes_is_the_text_in_them():
    texts = [f'"{LOAN_ID}"', '" a ""b"" "', '"a","b"', '"', '""', '"a"b']
    told = b"".join(batch.stream_answers_csv(batch.generate_listed, chunks(texts))).decode()
    read = [row[0] for row in csv.reader(io.StringIO(told))][1:]
    assert read == [LOAN_ID, 'a "b"', '"a","b"', '"', "", '"a"b']
    lists = batch.stream_answers_json(batch.generate_listed, chunks(texts), name="ids")
    assert json.loads(b"".join(lists))["ids"][0]["checkDigit"] == digits_of(LOAN_ID)


def test_nothing_gives_the_header_alone_or_an_empty_list():
    assert b"".join(batch.stream_answers_csv(batch.validate_listed, chunks([]))) == b"uli,isValid\n"
    assert (
        b"".join(batch.stream_answers_json(batch.validate_listed, chunks([]), name="ulis"))
        == b'{"ulis":[]}'
    )


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


@given(lines)
def test_json_is_read_back_as_it_was_told(texts):
    told = json.loads(
        b"".join(batch.stream_answers_json(batch.validate_listed, chunks(texts), name="ulis"))
    )
    unquoted = quoted_cells.unquote_lines(pl.Series(texts, dtype=pl.String))
    assert told == {"ulis": batch.validate_listed(unquoted).to_dicts()}


def test_pieces_come_while_the_lines_are_still_being_read():
    read = []

    def endless() -> Iterator[pl.Series]:
        while True:
            read.append(len(read))
            yield pl.Series([f"{LOAN_ID}{len(read)}"])

    for pieces in (
        batch.stream_answers_csv(batch.generate_listed, endless()),
        batch.stream_answers_json(batch.generate_listed, endless(), name="loanIds"),
    ):
        read.clear()
        assert [len(read) for _ in zip(range(40), map(len, pieces), strict=False)][-1] < 45
