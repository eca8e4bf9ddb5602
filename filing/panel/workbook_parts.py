"""Looks through the parts of an XLSX workbook before it is read: their size, and what is in them.

Nothing here needs Django.
"""

from __future__ import annotations

import re
import sys
import zipfile
from typing import Any
from xml.parsers import expat

from openpyxl.utils import coordinate_to_tuple

from filing.panel.workbook_limits import Limits, Oversized, Refused

_PIECE = 1 << 16
_SMALL = 1024**2  # bytes: what unpacks to no more may be packed as tightly as it will
_WHOLE_NUMBER = re.compile(r"[0-9]{1,9}")
_FEW = 5


def require_readable(parts: zipfile.ZipFile, packed: int, limits: Limits) -> None:
    """Refuse a workbook that is too large, or whose parts are not to be read.

    Units:  packed in bytes, of the file.
    Raises: Refused.
    """
    _weigh(parts, packed, limits)
    for part in parts.infolist():
        _look_through(parts, part, limits)


def _weigh(parts: zipfile.ZipFile, packed: int, limits: Limits) -> None:
    """Refuse what would unpack to too much, by what the file says; no part gives more than that.

    Units: packed in bytes, of the file.
    """
    known = parts.infolist()
    unpacked = sum(part.file_size for part in known)
    if len(known) > limits.parts or unpacked > limits.unpacked:
        raise Oversized(
            f"unpacks to more than {limits.unpacked // 1024**2} MB or {limits.parts:,} parts. "
            "Import it in parts, or save it as CSV UTF-8."
        )
    if unpacked > max(_SMALL, packed * limits.ratio):
        raise Oversized(
            f"unpacks to more than {limits.ratio:,} times its size, as no panel does. Save it "
            "again as XLSX, or as CSV UTF-8."
        )


def _look_through(parts: zipfile.ZipFile, part: zipfile.ZipInfo, limits: Limits) -> None:
    """Refuse a part that declares entities, or is a sheet that is too wide or long to be read.

    Nothing but a declaration of a document type can define entities, and it precedes the first
    element: so parts other than sheets are looked at up to there. What is no XML at all is left to
    whoever asks for it: openpyxl reads with the same parser, and gets no further with it.
    """
    parser = expat.ParserCreate(namespace_separator=" ")
    look = _Look(limits, part.filename)
    parser.StartDoctypeDeclHandler = look.doctype
    parser.StartElementHandler = look.element
    with parts.open(part) as content:
        try:
            while not look.is_over and (piece := content.read(_PIECE)):
                parser.Parse(piece, False)
        except expat.ExpatError:
            return
    if look.merged:
        raise Refused(
            f"has merged cells ({', '.join(look.merged)}): unmerge them and write the value into "
            "each."
        )


class _Look:
    """What is seen of a part, element by element."""

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
            self._hold_within_limits()
        elif name == "mergeCell" and len(self.merged) < _FEW:
            self.merged.append(attributes.get("ref", "")[:20])

    def _hold_within_limits(self) -> None:
        """Refuse a cell that is too far out; blank ones may be, where somebody gave them a format.

        Rows before it would be made up one by one, with a cell for each column.
        """
        if self._row > self.limits.last_row or self._column > self.limits.columns:
            raise Oversized(
                f"has a cell in row {self._row:,}, column {self._column:,}. A panel has at most "
                f"{self.limits.rows - 1:,} rows and {self.limits.columns} columns. Delete the rows "
                "and columns after your data, and save it again."
            )


def _number(text: str | None, otherwise: int) -> int:
    """Return the number of a row. One that is none the library reads, or refuses, by itself."""
    if text is None:
        return otherwise
    return int(text) if _WHOLE_NUMBER.fullmatch(text) else sys.maxsize
