"""Checks the parts of an XLSX workbook before it is read: their size and their content.

Needs no Django.
"""

from __future__ import annotations

import re
import sys
import zipfile
from typing import Any
from xml.parsers import expat

from openpyxl.utils import coordinate_to_tuple

from filing.panel.workbook_limits import Limits
from filing.spreadsheets.confinement import Oversized, Refused

_PIECE = 1 << 16
_SMALL = 1024**2  # bytes: for up to this size the ratio does not matter
_WHOLE_NUMBER = re.compile(r"[0-9]{1,9}")
_MOST_NAMED = 5


def require_readable(parts: zipfile.ZipFile, packed: int, limits: Limits) -> None:
    """Refuse a workbook that is too large, or has parts that must not be read.

    Units:  packed in bytes, of the file.
    Raises: Refused.
    """
    _check_size(parts, packed, limits)
    for part in parts.infolist():
        _check_content(parts, part, limits)


def _check_size(parts: zipfile.ZipFile, packed: int, limits: Limits) -> None:
    """Refuse a workbook that would unpack to too much, by its own table of contents.

    No part can unpack to more than that table says.

    Units: packed in bytes, of the file.
    """
    infos = parts.infolist()
    unpacked = sum(info.file_size for info in infos)
    if len(infos) > limits.parts or unpacked > limits.unpacked:
        raise Oversized(
            f"unpacks to more than {limits.unpacked // 1024**2} MB or {limits.parts:,} parts. "
            "Import it in parts, or save it as CSV UTF-8."
        )
    if unpacked > max(_SMALL, packed * limits.ratio):
        raise Oversized(
            f"unpacks to more than {limits.ratio:,} times its size, as no panel does. Save it "
            "again as XLSX, or as CSV UTF-8."
        )


def _check_content(parts: zipfile.ZipFile, part: zipfile.ZipInfo, limits: Limits) -> None:
    """Refuse a part that declares entities, or is a sheet that is too wide or too long.

    Only a document type declaration can define entities, and it comes before the first element: so
    parts other than sheets are only read up to there. A part that is not XML passes: openpyxl uses
    the same parser, and stops at the same place.
    """
    parser = expat.ParserCreate(namespace_separator=" ")
    checker = _PartChecker(limits, part.filename)
    parser.StartDoctypeDeclHandler = checker.doctype
    parser.StartElementHandler = checker.element
    with parts.open(part) as content:
        try:
            while not checker.is_over and (piece := content.read(_PIECE)):
                parser.Parse(piece, False)
        except expat.ExpatError:
            return
    if checker.merged:
        raise Refused(
            f"has merged cells ({', '.join(checker.merged)}). Unmerge them and enter the value in "
            "each cell."
        )


class _PartChecker:
    """Checks a part, element by element."""

    def __init__(self, limits: Limits, part: str) -> None:
        self.limits = limits
        self.part = part
        self.is_over = False
        self.merged: list[str] = []
        self._is_sheet: bool | None = None
        self._row = 0
        self._column = 0

    def doctype(self, *_: Any) -> None:
        raise Refused(
            f"has a document type declaration in {self.part}, which no spreadsheet program writes. "
            "Save it again as XLSX, or as CSV UTF-8."
        )

    def element(self, tag: str, attributes: dict[str, str]) -> None:
        name = tag.rpartition(" ")[2]
        if self._is_sheet is None:
            self._is_sheet = name == "worksheet"
            self.is_over = not self._is_sheet
        elif not self._is_sheet:
            return
        elif name == "row":
            self._row = _number(attributes.get("r"), self._row + 1)
            self._column = 0
        elif name == "c":
            place = attributes.get("r")
            self._column = coordinate_to_tuple(place)[1] if place else self._column + 1
        elif name in ("v", "f", "is"):
            self._require_within_limits()
        elif name == "mergeCell" and len(self.merged) < _MOST_NAMED:
            self.merged.append(attributes.get("ref", "")[:20])

    def _require_within_limits(self) -> None:
        """Refuse a value that is too far out; blank cells with a format may be.

        The library would create all rows before it, with a cell for each column.
        """
        if self._row > self.limits.last_row or self._column > self.limits.columns:
            raise Oversized(
                f"has a value in row {self._row:,}, column {self._column:,}. A panel has at most "
                f"{self.limits.rows - 1:,} rows and {self.limits.columns} columns. Delete the rows "
                "and columns after your data, and save it again."
            )


def _number(text: str | None, default: int) -> int:
    """Return the number of a row; a huge one for a text that is not a number."""
    if text is None:
        return default
    return int(text) if _WHOLE_NUMBER.fullmatch(text) else sys.maxsize
