"""Cells with errors or without stored values in ODS workbooks."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path
from xml.parsers import expat

_PIECE = 1 << 20
_HINT = re.compile(rb'value-type="error"|table:formula=|<text:p>#')
_MOST_REPEATED = 1_000_000


def faults(path: Path, sheet: str) -> dict[int, dict[int, str]]:
    """Return the errors of a sheet by row and column; a blank for a formula without a value."""
    with zipfile.ZipFile(path) as parts:
        data = parts.read("content.xml")
    if not _HINT.search(data):
        return {}
    reader = _Reader(sheet)
    parser = expat.ParserCreate()
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.text
    for at in range(0, len(data), _PIECE):
        parser.Parse(data[at : at + _PIECE], False)
    return reader.faults


class _Reader:
    """Counts rows and cells, and keeps the faults of one sheet."""

    def __init__(self, sheet: str) -> None:
        self.faults: dict[int, dict[int, str]] = {}
        self._sheet, self._is_here = sheet, False
        self._row, self._rows = 1, 1
        self._column, self._columns = 0, 1
        self._fault: str | None = None
        self._texts: list[str] | None = None

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "table:table":
            self._is_here, self._row = attributes.get("table:name") == self._sheet, 1
        elif not self._is_here:
            return
        elif tag == "table:table-row":
            self._rows = _count(attributes.get("table:number-rows-repeated"))
            self._column = 0
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
            shown = "".join(self._texts or ())
            if shown.startswith(("#", "Err:")):
                self._fault = shown[:20]
            if self._fault is not None:
                for column in range(self._column, self._column + min(self._columns, 1_000)):
                    self.faults.setdefault(self._row, {})[column] = self._fault
            self._column += self._columns
            self._fault = self._texts = None
        elif tag == "table:table-row":
            self._row += self._rows
        elif tag == "table:table":
            self._is_here = False


def _count(text: str | None) -> int:
    return min(int(text), _MOST_REPEATED) if text and text.isdecimal() else 1
