"""What the library that reads workbooks does not tell of a sheet, in each format of workbook.

These are cells with an error, or with a formula that has no stored value, and hidden rows and
columns.

The library that reads workbooks returns both as blank. Parts of XLSX are searched as bytes: to
parse each cell would take longer than reading the sheet.

Source: [MS-CFB], sections 2.2 to 2.6 (the container); [MS-XLS], sections 2.4.24 (BoolErr), 2.4.28
(BoundSheet8), 2.4.127 (Formula), 2.5.10 (BErr), and ColInfo and Row; [MS-XLSB], sections 2.1.4
(records) and 2.5.97.2 (BErr), and BrtColInfo and BrtRowHdr; ECMA-376, part 1, col and row;
OpenDocument 1.2, table:visibility.
"""

from __future__ import annotations

import posixpath
import re
import struct
import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.parsers import expat

from filing.spreadsheets.accepted_files import SpreadsheetRefusal

BINARY_ERRORS = {
    0x00: "#NULL!",
    0x07: "#DIV/0!",
    0x0F: "#VALUE!",
    0x17: "#REF!",
    0x1D: "#NAME?",
    0x24: "#NUM!",
    0x2A: "#N/A",
    0x2B: "#GETTING_DATA",
}
# XLS: kinds of records, and the container.
_FORMULA, _BOOL_OR_ERROR, _XLS_SHEET, _END = 0x06, 0x205, 0x85, 0x0A
_XLS_ROW, _XLS_COLUMNS = 0x208, 0x7D
_LAST_SECTOR = 0xFFFFFFFA
_ERROR_VALUE = 2
_SMALL_STREAM = 4096

_PIECE = 1 << 20  # bytes read at a time

# XLSX: cells of a sheet, searched as bytes.
_XLSX_HINTS = (b't="e"', b"<f", b":f")  # searching for these is many times as fast as an expression
# Nothing is tried twice (`++`, `(?>`), and no match leaves its cell: time grows with the bytes.
_ERROR = re.compile(
    rb'<(?:\w++:)?+c(\s(?>[^<>]*?\bt="e")[^<>]*+)(?<!/)>'
    rb"(?:(?!</?+(?:\w++:)?+c[\s/>]).)*?<(?:\w++:)?+v>([^<]{1,20})<",
    re.S,
)
# A formula with a blank value is right where the value is a text.
_NO_VALUE = re.compile(
    rb"<(?:\w++:)?+c(\s[^<>]*+)>\s*+<(?:\w++:)?+f(?=[\s/>])[^<>]*+"
    rb"(?:(?<=/)>|>[^<]*+</(?:\w++:)?+f>)\s*+"
    rb"(?:<(?:\w++:)?+v\s*+/>|<(?:\w++:)?+v></(?:\w++:)?+v>)?+\s*+</(?:\w++:)?+c>"
)
_HIDDEN_HINT = b"hidden="
_HIDDEN_ROW = re.compile(rb'<(?:\w++:)?+row\s([^<>]*?\bhidden="(?:1|true)"[^<>]*+)>')
_HIDDEN_COLUMN = re.compile(rb'<(?:\w++:)?+col\s([^<>]*?\bhidden="(?:1|true)"[^<>]*+)>')
_NUMBER_OF = {
    name: re.compile(rf'\b{name}="([0-9]{{1,7}})"'.encode()) for name in ("r", "min", "max")
}
_PLACE = re.compile(rb'\br="([A-Z]{1,3})([0-9]{1,7})"')
_NO_PLACES = "The workbook has cells without an address: open it and save it again as .xlsx."

# XLSB: kinds of records.
_XLSB_ROW, _CELL_ERROR, _FORMULA_ERROR, _XLSB_COLUMNS, _XLSB_SHEET = 0, 3, 11, 60, 156
_U32 = struct.Struct("<I")
_CELL_HEAD = 8  # column, style and flags

# ODS: what a sheet with faults has.
_ODS_HINT = re.compile(
    rb'value-type="error"|table:formula=|<text:p>#|table:visibility="(?:collapse|filter)"'
)
_ODS_HIDDEN = frozenset({"collapse", "filter"})
_MOST_REPEATED = 1_000_000
_MOST_HIDDEN = 100_000  # rows at once, which are blank where they are more

# By number of row (from 1) and position of column (from 0): the error, a blank for a formula.
CellFaults = dict[int, dict[int, str]]
_MOST_COLUMNS = 16_384  # of a sheet of any program


@dataclass(slots=True)
class SheetMarks:
    """What is marked in a sheet, or in some of its rows.

    hidden_rows: their numbers, from 1. hidden_columns: their positions, from 0.
    """

    faults: CellFaults = field(default_factory=dict)
    hidden_rows: list[int] = field(default_factory=list)
    hidden_columns: list[int] = field(default_factory=list)

    def hide_columns(self, first: int, last: int) -> None:
        """Add columns that are hidden, by their positions."""
        self.hidden_columns += range(first, min(last, _MOST_COLUMNS - 1) + 1)


def find_xls_marks(path: Path, sheet: str) -> SheetMarks:
    """Return the errors of a sheet, and what is hidden in it."""
    stream = _stream(path.read_bytes())
    marks = SheetMarks()
    faults = marks.faults
    for kind, body in _records(stream, _begin(stream, sheet)):
        error = None
        if kind == _FORMULA and body[12:14] == b"\xff\xff" and body[6] == _ERROR_VALUE:
            error = body[8]
        elif kind == _BOOL_OR_ERROR and body[7]:
            error = body[6]
        elif kind == _XLS_ROW and body[12] & 0x20:
            marks.hidden_rows.append(int.from_bytes(body[:2], "little") + 1)
        elif kind == _XLS_COLUMNS and body[8] & 1:
            marks.hide_columns(*struct.unpack_from("<HH", body))
        if error is not None:
            row, column = struct.unpack_from("<HH", body)
            faults.setdefault(row + 1, {})[column] = BINARY_ERRORS.get(error, "#ERROR!")
    return marks


def _begin(stream: bytes, sheet: str) -> int:
    """Return where the records of a sheet begin."""
    for kind, body in _records(stream, 0):
        if kind == _XLS_SHEET:
            length, is_wide = body[6], body[7] & 1
            data = body[8 : 8 + length * (2 if is_wide else 1)]
            if data.decode("utf-16-le" if is_wide else "latin-1") == sheet:
                return int(struct.unpack_from("<I", body)[0])
    raise LookupError(sheet)


def _records(stream: bytes, at: int) -> Iterator[tuple[int, bytes]]:
    """Yield the records from a beginning to the end of its part; charts within are parts, too."""
    while at + 4 <= len(stream):
        kind, size = struct.unpack_from("<HH", stream, at)
        if kind == _END:
            return
        yield kind, stream[at + 4 : at + 4 + size]
        at += 4 + size


def _stream(data: bytes) -> bytes:
    """Return the stream of the workbook out of its container."""
    size = 1 << struct.unpack_from("<H", data, 30)[0]
    fat = _fat(data, size)
    directory = _chain(data, fat, size, struct.unpack_from("<I", data, 48)[0])
    for at in range(0, len(directory), 128):
        entry = directory[at : at + 128]
        name = entry[: max(struct.unpack_from("<H", entry, 64)[0] - 2, 0)].decode("utf-16-le")
        if name in ("Workbook", "Book"):
            first, length = struct.unpack_from("<II", entry, 116)
            if length < _SMALL_STREAM:
                return _small(data, fat, size, directory, first, length)
            return _chain(data, fat, size, first)[:length]
    raise LookupError("Workbook")


def _small(
    data: bytes, fat: list[int], size: int, directory: bytes, first: int, length: int
) -> bytes:
    """Return a stream that lies in the small sectors of the container."""
    small_size = 1 << struct.unpack_from("<H", data, 32)[0]
    small_fat = _numbers(_chain(data, fat, size, struct.unpack_from("<I", data, 60)[0]))
    small = _chain(data, fat, size, struct.unpack_from("<I", directory, 116)[0])
    return _chain(small, small_fat, small_size, first, head=0)[:length]


def _fat(data: bytes, size: int) -> list[int]:
    sectors = list(struct.unpack_from("<109I", data, 76))
    following, count = struct.unpack_from("<II", data, 68)
    for _ in range(count):
        block = _numbers(data[(following + 1) * size : (following + 2) * size])
        sectors += block[:-1]
        following = block[-1]
    return [
        number
        for sector in sectors
        if sector < _LAST_SECTOR
        for number in _numbers(data[(sector + 1) * size : (sector + 2) * size])
    ]


def _chain(data: bytes, fat: list[int], size: int, sector: int, *, head: int = 1) -> bytes:
    """Return the sectors that follow each other. head: sectors before the first."""
    pieces: list[bytes] = []
    while sector < _LAST_SECTOR:
        if len(pieces) > len(fat):
            raise ValueError("The sectors of the file run in a circle.")
        pieces.append(data[(sector + head) * size : (sector + head + 1) * size])
        sector = fat[sector]
    return b"".join(pieces)


def _numbers(data: bytes) -> list[int]:
    return list(struct.unpack(f"<{len(data) // 4}I", data[: len(data) // 4 * 4]))


def add_xlsx_marks(marks: SheetMarks, head: bytes, rows: bytes) -> None:
    """Add what is marked in some rows of a sheet, and in what is before them.

    A formula without a value is a blank error.
    Raises: SpreadsheetRefusal.
    """
    if any(hint in rows for hint in _XLSX_HINTS):
        for place, text in _find_faults(rows):
            row, column = _position(place)
            marks.faults.setdefault(row, {})[column] = text
    if _HIDDEN_HINT in rows:
        marks.hidden_rows += [_number(found[1], "r") for found in _HIDDEN_ROW.finditer(rows)]
    if _HIDDEN_HINT in head:
        for found in _HIDDEN_COLUMN.finditer(head):
            marks.hide_columns(_number(found[1], "min") - 1, _number(found[1], "max") - 1)


def _number(attributes: bytes, name: str) -> int:
    """Return a number among the attributes of an element. Raises: SpreadsheetRefusal."""
    found = _NUMBER_OF[name].search(attributes)
    if found is None:
        raise SpreadsheetRefusal(415, _NO_PLACES)
    return int(found[1])


def part_of_sheet(parts: zipfile.ZipFile, sheet: str) -> str:
    """Return the name of the part that holds a sheet, by the table of contents of the workbook."""
    ids: dict[str, str] = {}

    def of_book(tag: str, attributes: dict[str, str]) -> None:
        if tag.rpartition(" ")[2] == "sheet":
            key = next((k for k in attributes if k.rpartition(" ")[2] == "id"), "")
            ids[attributes.get("name", "")] = attributes.get(key, "")

    parse_xml([parts.read("xl/workbook.xml")], of_book)
    return part_path(_targets(parts, "xl/_rels/workbook.xml.rels")[ids[sheet]])


def _targets(parts: zipfile.ZipFile, name: str) -> dict[str, str]:
    """Return what the relations of a part point to, by their ids."""
    targets: dict[str, str] = {}

    def element(_: str, attributes: dict[str, str]) -> None:
        targets[attributes.get("Id", "")] = attributes.get("Target", "")

    parse_xml([parts.read(name)], element)
    return targets


def part_path(target: str) -> str:
    """Return the name of a part that a relation of the workbook points to."""
    return target.lstrip("/") if target.startswith("/") else posixpath.normpath(f"xl/{target}")


def parse_xml(pieces: Iterable[bytes], start: Any, *, end: Any = None, text: Any = None) -> None:
    """Call these with each element, its end and its texts. Raises: SpreadsheetRefusal."""
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    parser.StartDoctypeDeclHandler = _refuse_doctype
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = text
    for piece in pieces:
        parser.Parse(piece, False)
    parser.Parse(b"", True)


def _refuse_doctype(*_: Any) -> None:
    raise SpreadsheetRefusal(
        415,
        "The workbook has a document type declaration, which no spreadsheet program writes: save "
        "it again.",
    )


def _find_faults(piece: bytes) -> Iterator[tuple[bytes, str]]:
    for match in _ERROR.finditer(piece):
        yield match[1], match[2].decode(errors="replace")
    for match in _NO_VALUE.finditer(piece):
        if b't="str"' not in match[1]:
            yield match[1], ""


def _position(attributes: bytes) -> tuple[int, int]:
    place = _PLACE.search(attributes)
    if place is None:
        raise SpreadsheetRefusal(415, _NO_PLACES)
    column = 0
    for letter in place[1]:
        column = column * 26 + letter - ord("A") + 1
    return int(place[2]), column - 1


def find_xlsb_marks(path: Path, sheet: str) -> SheetMarks:
    """Return the errors of a sheet, and what is hidden in it."""
    marks = SheetMarks()
    row = 0
    with zipfile.ZipFile(path) as parts:
        data = parts.read(_part(parts, sheet))
    for kind, body in _xlsb_records(data):
        if kind == _XLSB_ROW:
            row = _U32.unpack_from(body)[0] + 1
            if body[11] & 0x10:
                marks.hidden_rows.append(row)
        elif kind == _XLSB_COLUMNS and body[16] & 1:
            marks.hide_columns(*struct.unpack_from("<II", body))
        elif kind in (_CELL_ERROR, _FORMULA_ERROR):
            error = BINARY_ERRORS.get(body[_CELL_HEAD], "#ERROR!")
            marks.faults.setdefault(row, {})[_U32.unpack_from(body)[0]] = error
    return marks


def _part(parts: zipfile.ZipFile, sheet: str) -> str:
    targets = _targets(parts, "xl/_rels/workbook.bin.rels")
    for kind, body in _xlsb_records(parts.read("xl/workbook.bin")):
        if kind == _XLSB_SHEET:
            relation, end = _text(body, 8)
            name, _ = _text(body, end)
            if name == sheet:
                return part_path(targets[relation])
    raise LookupError(sheet)


def _text(body: bytes, at: int) -> tuple[str, int]:
    """Return a text of UTF-16 led by its length, and where it ends."""
    end = at + 4 + 2 * _U32.unpack_from(body, at)[0]
    return body[at + 4 : end].decode("utf-16-le"), end


def _xlsb_records(data: bytes) -> Iterator[tuple[int, bytes]]:
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


def find_ods_marks(path: Path, sheet: str) -> SheetMarks:
    """Return the errors of a sheet, a blank for a formula without a value, and what is hidden."""
    with zipfile.ZipFile(path) as parts:
        data = parts.read("content.xml")
    if not _ODS_HINT.search(data):
        return SheetMarks()
    reader = _Reader(sheet)
    parser = expat.ParserCreate()
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.text
    for at in range(0, len(data), _PIECE):
        parser.Parse(data[at : at + _PIECE], False)
    return reader.marks


class _Reader:
    """Counts rows and cells, and keeps what is marked in one sheet."""

    def __init__(self, sheet: str) -> None:
        self.marks = SheetMarks()
        self._first_column = 0
        self._sheet, self._is_here = sheet, False
        self._row, self._rows = 1, 1
        self._column, self._columns = 0, 1
        self._fault: str | None = None
        self._texts: list[str] | None = None

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "table:table":
            self._is_here, self._row = attributes.get("table:name") == self._sheet, 1
            self._first_column = 0
        elif not self._is_here:
            return
        elif tag == "table:table-row":
            self._rows = _count(attributes.get("table:number-rows-repeated"))
            self._column = 0
            if attributes.get("table:visibility") in _ODS_HIDDEN:
                last = self._row + self._rows
                self.marks.hidden_rows += range(self._row, min(last, self._row + _MOST_HIDDEN))
        elif tag == "table:table-column":
            count = _count(attributes.get("table:number-columns-repeated"))
            if attributes.get("table:visibility") in _ODS_HIDDEN:
                self.marks.hide_columns(self._first_column, self._first_column + count - 1)
            self._first_column += count
        elif tag in ("table:table-cell", "table:covered-table-cell"):
            self._columns = _count(attributes.get("table:number-columns-repeated"))
            is_error = attributes.get("calcext:value-type") == "error"
            has_value = "office:value-type" in attributes
            is_text = attributes.get("office:value-type") == "string"
            is_formula = "table:formula" in attributes
            self._texts = [] if is_error or (is_text and is_formula) else None
            self._fault = "" if is_formula and not has_value else None
        elif tag == "office:annotation":
            self._texts = None

    def text(self, text: str) -> None:
        if self._texts is not None:
            self._texts.append(text)

    def end(self, tag: str) -> None:
        if not self._is_here:
            return
        if tag in ("table:table-cell", "table:covered-table-cell"):
            text = "".join(self._texts or ())
            if text.startswith(("#", "Err:")):
                self._fault = text[:20]
            if self._fault is not None:
                for column in range(self._column, self._column + min(self._columns, 1_000)):
                    self.marks.faults.setdefault(self._row, {})[column] = self._fault
            self._column += self._columns
            self._fault = self._texts = None
        elif tag == "table:table-row":
            self._row += self._rows
        elif tag == "table:table":
            self._is_here = False


def _count(text: str | None) -> int:
    return min(int(text), _MOST_REPEATED) if text and text.isdecimal() else 1


_READERS: dict[str, Callable[[Path, str], SheetMarks]] = {
    "xlsb": find_xlsb_marks,
    "xls": find_xls_marks,
    "ods": find_ods_marks,
}


def find_sheet_marks(path: Path, kind: str, sheet: str) -> SheetMarks:
    """Return what is marked in a sheet of a workbook of another kind than XLSX."""
    return _READERS[kind](path, sheet)
