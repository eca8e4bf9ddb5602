"""Cells with errors or without stored values in XLSX workbooks.

The parts are searched as bytes: to parse each cell would take longer than reading the sheet.
"""

from __future__ import annotations

import posixpath
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any
from xml.parsers import expat

from filing.spreadsheets.confinement import Refused

_PIECE = 1 << 20
_LONGEST_CELL = 1 << 17
_HINTS = (b't="e"', b"<f", b":f")  # searching for these is many times as fast as an expression
_ERROR = re.compile(
    rb'<(?:\w+:)?c(\s[^>]*?\bt="e"[^>]*)>(?:(?!</(?:\w+:)?c>).)*?<(?:\w+:)?v>([^<]{1,20})<', re.S
)
# A formula with a blank value is right where the value is a text.
_NO_VALUE = re.compile(
    rb"<(?:\w+:)?c(\s[^>]*)>\s*<(?:\w+:)?f(?:\s[^>]*?)?(?:/>|>[^<]*</(?:\w+:)?f>)\s*"
    rb"(?:<(?:\w+:)?v\s*/>|<(?:\w+:)?v></(?:\w+:)?v>)?\s*</(?:\w+:)?c>"
)
_PLACE = re.compile(rb'\br="([A-Z]{1,3})([0-9]{1,7})"')
_NO_PLACES = "has cells without an address: open it and save it again as .xlsx."


def faults(path: Path, sheet: str) -> dict[int, dict[int, str]]:
    """Return the errors of a sheet by row and column; a blank for a formula without a value.

    Raises: Refused.
    """
    found: dict[int, dict[int, str]] = {}
    with zipfile.ZipFile(path) as parts:
        name = part_of_sheet(parts, sheet)
        with parts.open(name) as content:
            for piece in _pieces(content):
                for place, text in _in_piece(piece):
                    row, column = _position(place)
                    found.setdefault(row, {})[column] = text
    return found


def part_of_sheet(parts: zipfile.ZipFile, sheet: str) -> str:
    """Return the name of the part that holds a sheet, by the table of contents of the workbook."""
    ids: dict[str, str] = {}
    targets: dict[str, str] = {}

    def of_book(tag: str, attributes: dict[str, str]) -> None:
        if tag.rpartition(" ")[2] == "sheet":
            key = next((k for k in attributes if k.rpartition(" ")[2] == "id"), "")
            ids[attributes.get("name", "")] = attributes.get(key, "")

    def of_relations(_: str, attributes: dict[str, str]) -> None:
        if "Target" in attributes:
            targets[attributes.get("Id", "")] = attributes["Target"]

    _parse(parts.read("xl/workbook.xml"), of_book)
    _parse(parts.read("xl/_rels/workbook.xml.rels"), of_relations)
    return part_path(targets[ids[sheet]])


def part_path(target: str) -> str:
    """Return the name of a part that a relation of the workbook points to."""
    return target.lstrip("/") if target.startswith("/") else posixpath.normpath(f"xl/{target}")


def _parse(data: bytes, element: Any) -> None:
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.StartDoctypeDeclHandler = _refuse_doctype
    parser.StartElementHandler = element
    parser.Parse(data, True)


def _refuse_doctype(*_: Any) -> None:
    raise Refused(
        "has a document type declaration, which no spreadsheet program writes: save it again."
    )


def _pieces(content: IO[bytes]) -> Iterator[bytes]:
    """Yield the parts of a sheet, cut between cells, that may have an error or a formula."""
    kept = b""
    while piece := content.read(_PIECE):
        data = kept + piece
        cut = data.rfind(b"<", 0, max(data.rfind(b":c>"), data.rfind(b"/c>")) + 1)
        end = data.find(b">", cut) + 1 if cut >= 0 else 0
        kept = data[end:] if len(data) - end < _LONGEST_CELL + _PIECE else b""
        if any(data.find(hint, 0, end) >= 0 for hint in _HINTS):
            yield data[:end]
    if any(hint in kept for hint in _HINTS):
        yield kept


def _in_piece(piece: bytes) -> Iterator[tuple[bytes, str]]:
    for match in _ERROR.finditer(piece):
        yield match[1], match[2].decode(errors="replace")
    for match in _NO_VALUE.finditer(piece):
        if b't="str"' not in match[1]:
            yield match[1], ""


def _position(attributes: bytes) -> tuple[int, int]:
    place = _PLACE.search(attributes)
    if place is None:
        raise Refused(_NO_PLACES)
    column = 0
    for letter in place[1]:
        column = column * 26 + letter - ord("A") + 1
    return int(place[2]), column - 1
