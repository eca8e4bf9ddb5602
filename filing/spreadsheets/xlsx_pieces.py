"""Reads a sheet of an XLSX workbook in pieces, each of which takes little memory.

The library that reads workbooks holds a whole sheet, with the text of each cell however often the
file repeats it. So it is given a few thousand rows at a time, as a workbook of their own, and never
a piece whose texts are more than all cells may have.
"""

from __future__ import annotations

import io
import re
import zipfile
from array import array
from collections.abc import Iterator
from itertools import chain, repeat
from pathlib import Path
from typing import IO, Any

import numpy as np
from python_calamine import CalamineWorkbook

from filing.spreadsheets.accepted_files import MEGABYTE, ReadingLimits, SpreadsheetRefusal
from filing.spreadsheets.faulty_cells import SheetMarks, add_xlsx_marks, parse_xml, part_of_sheet

_FIRST_BYTES, _PIECE_BYTES = MEGABYTE, 16 * MEGABYTE  # of a sheet; the headers are in the first
_MOST_BYTES = 64 * MEGABYTE  # of one row, and of what is before the first
_READ = 1 << 20
_TEXTS = "xl/sharedStrings.xml"
_OF_BOOK = (
    *("[Content_Types].xml", "_rels/.rels", "xl/workbook.xml", "xl/_rels/workbook.xml.rels"),
    "xl/styles.xml",
)
_ROWS_BEGIN = re.compile(rb"<((?:\w+:)?)sheetData\s*>")
_SHARED_HINT = b't="s"'
_SHARED = re.compile(rb'\bt="s"[^<>]*+>\s*+<(?:\w++:)?+v[^<>]*+>\s*+([0-9]{1,9})')


class XlsxSheets:
    """The sheets of an XLSX workbook. Raises: SpreadsheetRefusal."""

    def __init__(self, path: Path, limits: ReadingLimits) -> None:
        self._path, self._limits = path, limits
        with zipfile.ZipFile(path) as parts:
            names = {name.lower(): name for name in parts.namelist()}
            self._parts = {
                name: parts.read(names[name.lower()]) for name in _OF_BOOK if name.lower() in names
            }
            texts = names.get(_TEXTS.lower())
            self._lengths = self._measure_texts(parts, texts) if texts else np.zeros(1, np.uint32)
            self._texts = parts.read(texts) if texts else b""
        self._longest = int(self._lengths.max())

    @property
    def book(self) -> Any:
        """The workbook without cells, which knows its sheets."""
        return self._open({})

    def read_pieces(self, sheet: str) -> Iterator[tuple[Any, SheetMarks]]:
        """Yield the pieces of a sheet with what is marked in them. Raises: SpreadsheetRefusal."""
        size = 0
        with zipfile.ZipFile(self._path) as parts:
            name = part_of_sheet(parts, sheet)
            with parts.open(name) as content:
                for head, rows, tail in _cut_rows(content):
                    marks = SheetMarks()
                    add_xlsx_marks(marks, head, rows)
                    size += self._count_text(rows, self._limits.text - size)
                    if size > self._limits.text:
                        raise refuse_text(self._limits)
                    piece = {name: b"".join((head, rows, tail))}
                    if _SHARED_HINT in rows:
                        piece[_TEXTS] = self._texts
                    yield self._open(piece).get_sheet_by_name(sheet), marks

    def _open(self, more: dict[str, bytes]) -> Any:
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w") as parts:
            for name, content in chain(self._parts.items(), more.items()):
                parts.writestr(name, content)
        file.seek(0)
        return CalamineWorkbook.from_filelike(file)

    def _measure_texts(self, parts: zipfile.ZipFile, name: str) -> Any:
        """Return the lengths of the texts that cells share. Raises: SpreadsheetRefusal."""
        lengths, total, is_text = array("I"), 0, False

        def start(tag: str, _: dict[str, str]) -> None:
            nonlocal is_text
            name = tag.rpartition(" ")[2]
            is_text = name == "t"
            if name == "si":
                lengths.append(0)

        def end(_: str) -> None:
            nonlocal is_text
            is_text = False

        def text(data: str) -> None:
            nonlocal total
            if is_text and lengths:
                lengths[-1] += len(data)
                total += len(data)
                if total > self._limits.text:
                    raise refuse_text(self._limits)

        with parts.open(name) as content:
            parse_xml(iter(lambda: content.read(_READ), b""), start, end=end, text=text)
        return np.array(lengths or [0], np.uint32)

    def _count_text(self, rows: bytes, most: int) -> int:
        """Return the characters of the shared texts of cells, exactly if they may be too many."""
        cells = rows.count(_SHARED_HINT)
        if cells * self._longest <= most // 4:
            return 0  # what is so little is counted as the cells are read
        places = np.array(_SHARED.findall(rows), np.int64)
        return int(self._lengths[places[places < len(self._lengths)]].sum(dtype=np.int64))


def refuse_text(limits: ReadingLimits) -> SpreadsheetRefusal:
    """Return the refusal of a workbook with too much text."""
    return SpreadsheetRefusal(
        413,
        f"The workbook has more than {limits.text:,} characters in its cells, counted in each "
        "cell: shorten them, or split the workbook.",
    )


def _cut_rows(content: IO[bytes]) -> Iterator[tuple[bytes, bytes, bytes]]:
    """Yield what is before the rows of a sheet, some of the rows, and what ends a sheet."""
    data = b""
    while (begin := _ROWS_BEGIN.search(data)) is None:
        piece = content.read(_READ)
        _require_size(data)
        if not piece:
            yield b"", data, b""  # without rows
            return
        data += piece
    head, prefix = data[: begin.end()], begin[1]
    tail = b"</" + prefix + b"sheetData></" + prefix + b"worksheet>"
    mark = b"</" + prefix + b"row>"
    rows = [data[begin.end() :]]
    size, sizes = len(rows[0]), chain([_FIRST_BYTES], repeat(_PIECE_BYTES))
    wanted = next(sizes)
    while piece := content.read(_READ):
        rows.append(piece)
        size += len(piece)
        if size < wanted:
            continue
        data = b"".join(rows)
        if end := data.rfind(mark) + 1:
            end += len(mark) - 1
            yield head, data[:end], tail
            wanted = next(sizes)
        data = data[end:]
        _require_size(data)
        rows, size = [data], len(data)
    yield head, b"".join(rows), b""


def _require_size(data: bytes) -> None:
    if len(data) > _MOST_BYTES:
        raise SpreadsheetRefusal(
            413, f"The workbook has a row of more than {_MOST_BYTES // MEGABYTE} MB: shorten it."
        )
