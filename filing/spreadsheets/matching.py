"""Matches the columns of a table to the fields of a record."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from filing.lar.fields import LAR, LAR_BY_NAME, SHEET_PREFIX, TS_BY_NAME, Field
from filing.lar.setting_words import say_setting
from filing.spreadsheets.accepted_files import SpreadsheetRefusal
from filing.spreadsheets.field_lists import LOAN_ID
from filing.spreadsheets.names import find_near_field, list_known_names
from filing.spreadsheets.options import shorten_text
from filing.spreadsheets.sheet_rows import CellKind, fold_name
from filing.spreadsheets.tables import SpreadsheetTable, column_letter, column_position

LONGEST_HEADER = 200  # characters of a header, as they are shown
_LETTERS = re.compile(r"[A-Za-z]{1,3}")
_EXAMPLES, _EXAMPLE_CHARACTERS = 3, 40
_LABELS = {LOAN_ID: "Loan ID"}


@dataclass(frozen=True, slots=True)
class MatchedColumn:
    """A column of the spreadsheet.

    field: the name of its field (`ts.` leads one of the transmittal sheet; `loan_id` is none of
    the record), or None. matched: `given`, `name`, `near`, `place` or `none`. used: whether its
    values are taken.
    """

    position: int
    letter: str
    header: str
    field: str | None
    matched: str
    used: bool
    examples: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return the column as a JSON object."""
        field = LAR_BY_NAME.get(self.field or "")
        return {
            "column": self.letter,
            "header": self.header,
            "field": self.field,
            "number": field.number if field else None,
            "matched": self.matched,
            "examples": list(self.examples),
        }


@dataclass(frozen=True)
class Matching:
    """The columns of a table with their fields."""

    table: SpreadsheetTable
    columns: tuple[MatchedColumn, ...]

    @cached_property
    def by_field(self) -> dict[str, MatchedColumn]:
        """The column that is used for each field, the first of several."""
        return {name: columns[0] for name, columns in self._used_columns().items()}

    @property
    def conflicts(self) -> list[dict[str, Any]]:
        """Fields with several columns: field, label, columns (letters), message."""
        return [
            _conflict(name, [column.letter for column in columns])
            for name, columns in self._used_columns().items()
            if len(columns) > 1
        ]

    def _used_columns(self) -> dict[str, list[MatchedColumn]]:
        columns: dict[str, list[MatchedColumn]] = {}
        for column in self.columns:
            if column.used and column.field is not None:
                columns.setdefault(column.field, []).append(column)
        return columns

    @property
    def missing(self) -> list[str]:
        """Names of loan fields without a column, in file order."""
        if self.table.kind == "pipe":
            return []
        return [
            field.name
            for field in LAR
            if field.name not in self.by_field and field.name != "record_id"
        ]

    @property
    def unused(self) -> list[str]:
        """The headers of columns that are not used; the letter of one without a header."""
        return [column.header or column.letter for column in self.columns if not column.used]

    def as_json(self) -> dict[str, Any]:
        """Return the answer of `POST /v2/public/lar/columns`."""
        table = self.table
        return {
            "kind": table.kind,
            "encoding": table.encoding,
            "sheets": table.sheets,
            "sheet": table.sheet,
            "header": table.header or None,
            "rows": len(table.rows),
            "columns": [column.as_json() for column in self.columns],
            "unused": self.unused,
            "missing": self.missing,
            "conflicts": self.conflicts,
        }

    def require_no_conflict(self) -> None:
        """Raises: SpreadsheetRefusal, when two columns have one field."""
        if self.conflicts:
            raise SpreadsheetRefusal(400, self.conflicts[0]["message"])


def find_field(name: str) -> Field | None:
    """Return the field of a record by its name among all, or None for the loan identifier."""
    if name.startswith(SHEET_PREFIX):
        return TS_BY_NAME[name.removeprefix(SHEET_PREFIX)]
    return LAR_BY_NAME.get(name)


def find_label(name: str) -> str:
    """Return the label of a field by its name among all."""
    field = find_field(name)
    return field.label if field else _LABELS[name]


def match_columns(
    table: SpreadsheetTable, mapping: Mapping[str, str | None] | None = None, *, near: bool = False
) -> Matching:
    """Return the matching of a table's columns. near: whether near matches are used.

    Raises: SpreadsheetRefusal, for a column in the mapping that the table does not have.
    """
    width = max(len(table.headers), table.texts.width)
    headers = [" ".join(text.split()) for text in table.headers]
    headers += [""] * (width - len(headers))
    fields_by_position = _map_columns(headers, mapping or {})
    columns = [
        _column(table, at, header, fields_by_position, near=near)
        for at, header in enumerate(headers)
    ]
    # What the caller says goes before a name.
    fields = {column.field for column in columns if column.matched == "given"}
    return Matching(
        table,
        tuple(
            replace(column, field=None, matched="none", used=False)
            if column.matched != "given" and column.field in fields and column.field is not None
            else column
            for column in columns
            if column.header or column.examples or column.field
        ),
    )


def _column(
    table: SpreadsheetTable,
    at: int,
    header: str,
    fields_by_position: Mapping[int, str | None],
    *,
    near: bool,
) -> MatchedColumn:
    field, matched = _matched(table, at, header, fields_by_position)
    return MatchedColumn(
        position=at,
        letter=column_letter(at),
        header=shorten_text(header, LONGEST_HEADER),
        field=field,
        matched=matched,
        used=field is not None and (near or matched != "near"),
        examples=_examples(table, at),
    )


def _matched(
    table: SpreadsheetTable, at: int, header: str, fields_by_position: Mapping[int, str | None]
) -> tuple[str | None, str]:
    if at in fields_by_position:
        return fields_by_position[at], "given"
    if table.by_place:
        return (LAR[at].name, "place") if at < len(LAR) else (None, "none")
    if field := list_known_names().get(fold_name(header)):
        return field, "name"
    if field := find_near_field(header):
        return field, "near"
    return None, "none"


def _map_columns(headers: list[str], mapping: Mapping[str, str | None]) -> dict[int, str | None]:
    """Return the fields that the caller gives, by the position of the column."""
    folded = [fold_name(header) for header in headers]
    fields_by_position: dict[int, str | None] = {}
    for key, field in mapping.items():
        at = next((at for at, header in enumerate(headers) if header == key), None)
        if at is None and fold_name(key) in folded and fold_name(key):
            at = folded.index(fold_name(key))
        if at is None and _LETTERS.fullmatch(key) and column_position(key) < len(headers):
            at = column_position(key)
        if at is None:
            raise SpreadsheetRefusal(
                400, f"There is no column {key[:100]}: give a header or a letter."
            )
        fields_by_position[at] = field
    return fields_by_position


def _examples(table: SpreadsheetTable, at: int) -> tuple[str, ...]:
    name = str(at)
    if name not in table.texts.columns:
        return ()
    filled = table.texts[name].filter(table.kinds[name] != int(CellKind.BLANK)).head(_EXAMPLES)
    return tuple(
        text if len(text) <= _EXAMPLE_CHARACTERS else f"{text[: _EXAMPLE_CHARACTERS - 1]}…"
        for text in filled
    )


def _conflict(name: str, letters: list[str]) -> dict[str, Any]:
    all_letters = f"{', '.join(letters[:-1])} and {letters[-1]}"
    word = "both" if len(letters) == 2 else "all"
    return {
        "field": name,
        "label": find_label(name),
        "columns": letters,
        "message": f"Columns {all_letters} are {word} {find_label(name)}: {say_setting('map')}.",
    }
