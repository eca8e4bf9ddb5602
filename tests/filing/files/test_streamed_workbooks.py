"""A workbook that is sent while it is made is one that spreadsheets open."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import polars as pl
import pytest
from openpyxl import load_workbook

from filing.files import workbook_files


def read(pieces: Any) -> list[tuple[Any, ...]]:
    book = load_workbook(BytesIO(b"".join(pieces)))
    assert book.sheetnames == ["Edits"]
    return list(book["Edits"].iter_rows(values_only=True))


def test_texts_and_numbers_come_back_as_they_were():
    frames = [
        pl.DataFrame({"line": [2, None], "value": ["a & <b> ]]>", " blank "]}),
        pl.DataFrame({"line": [4], "value": ["\x01=1+1"]}),
    ]
    assert read(workbook_files.stream_workbook("Edits", ["line", "value"], frames)) == [
        ("line", "value"),
        (2, "a & <b> ]]>"),
        (None, " blank "),
        (4, "\N{REPLACEMENT CHARACTER}=1+1"),
    ]


@pytest.mark.parametrize(
    ("limit", "value", "rows"), [("MOST_ROWS", 5, [0, 1, 2]), ("MOST_BYTES", 60, [0, 1])]
)
def test_a_sheet_that_is_full_says_so(monkeypatch, limit, value, rows):
    monkeypatch.setattr(workbook_files, limit, value)
    frames = [pl.DataFrame({"line": [at, at + 1]}) for at in range(0, 8, 2)]
    _, *found, last = read(workbook_files.stream_workbook("Edits", ["line"], frames))
    assert [line for (line,) in found] == rows
    assert "Download the CSV" in last[0]


def test_a_text_is_cut_where_a_cell_ends():
    frame = pl.DataFrame({"value": ["x" * 40_000]})
    _, (value,) = read(workbook_files.stream_workbook("Edits", ["value"], [frame]))
    assert len(value) == workbook_files.MOST_CHARACTERS
