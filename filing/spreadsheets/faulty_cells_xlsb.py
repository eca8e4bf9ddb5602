"""Cells with errors in XLSB workbooks.

Source: [MS-XLSB], sections 2.1.4 (records) and 2.5.97.2 (BErr).
"""

from __future__ import annotations

import struct
import zipfile
from collections.abc import Iterator
from pathlib import Path
from xml.parsers import expat

from filing.spreadsheets.faulty_cells_xls import ERRORS
from filing.spreadsheets.faulty_cells_xlsx import part_path

_ROW, _CELL_ERROR, _FORMULA_ERROR, _SHEET = 0, 3, 11, 156
_U32 = struct.Struct("<I")
_CELL_HEAD = 8  # column, style and flags


def faults(path: Path, sheet: str) -> dict[int, dict[int, str]]:
    """Return the errors of a sheet by row and column."""
    found: dict[int, dict[int, str]] = {}
    row = 0
    with zipfile.ZipFile(path) as parts:
        data = parts.read(_part(parts, sheet))
    for kind, body in _records(data):
        if kind == _ROW:
            row = _U32.unpack_from(body)[0] + 1
        elif kind in (_CELL_ERROR, _FORMULA_ERROR):
            error = ERRORS.get(body[_CELL_HEAD], "#ERROR!")
            found.setdefault(row, {})[_U32.unpack_from(body)[0]] = error
    return found


def _part(parts: zipfile.ZipFile, sheet: str) -> str:
    targets: dict[str, str] = {}

    def element(_: str, attributes: dict[str, str]) -> None:
        targets[attributes.get("Id", "")] = attributes.get("Target", "")

    parser = expat.ParserCreate()
    parser.StartElementHandler = element
    parser.Parse(parts.read("xl/_rels/workbook.bin.rels"), True)
    for kind, body in _records(parts.read("xl/workbook.bin")):
        if kind == _SHEET:
            relation, end = _text(body, 8)
            name, _ = _text(body, end)
            if name == sheet:
                return part_path(targets[relation])
    raise LookupError(sheet)


def _text(body: bytes, at: int) -> tuple[str, int]:
    """Return a text of UTF-16 led by its length, and where it ends."""
    end = at + 4 + 2 * _U32.unpack_from(body, at)[0]
    return body[at + 4 : end].decode("utf-16-le"), end


def _records(data: bytes) -> Iterator[tuple[int, bytes]]:
    at, end = 0, len(data)
    while at < end:
        kind = data[at]
        at += 1
        if kind & 0x80:
            kind = kind & 0x7F | data[at] << 7
            at += 1
        size = shift = 0
        while True:
            byte = data[at]
            at += 1
            size |= (byte & 0x7F) << shift
            shift += 7
            if not byte & 0x80 or shift == 28:
                break
        yield kind, data[at : at + size]
        at += size
