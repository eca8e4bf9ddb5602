"""Matches the columns of a table to the fields of a record."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import polars as pl

from filing.lar.fields import LAR, LAR_BY_NAME, SHEET_PREFIX, TS_BY_NAME, Field
from filing.lar.setting_words import say_setting
from filing.spreadsheets.accepted_files import SpreadsheetRefusal
from filing.spreadsheets.field_lists import LOAN_ID
from filing.spreadsheets.names import list_known_names, list_proposed_names
from filing.spreadsheets.near_names import (
    find_field_of_values,
    find_near_field,
    find_similar_field,
    is_of_co_applicant,
)
from filing.spreadsheets.options import shorten_text
from filing.spreadsheets.rows_left_out import MOST_LISTED, leave_out_hidden_rows, leave_out_rows
from filing.spreadsheets.sheet_rows import CellKind, fold_name
from filing.spreadsheets.tables import SpreadsheetTable, column_letter, column_position
from filing.spreadsheets.unseen_parts import describe_unseen_parts

LONGEST_HEADER = 200  # characters of a header, as they are shown
_LETTERS = re.compile(r"[A-Za-z]{1,3}")
_EXAMPLES, _EXAMPLE_CHARACTERS = 3, 40
_LABELS = {LOAN_ID: "Loan ID"}
_RECORD_ID = "record_id"

FieldMatch = tuple[str | None, str, str]  # the field, how it was matched, and the reason


@dataclass(frozen=True, slots=True)
class MatchedColumn:
    """A column of the spreadsheet.

    field: the name of its field (`ts.` leads one of the transmittal sheet; `loan_id` is none of
    the record), or None. matched: `given`, `name`, `near`, `place` or `none`. used: whether its
    values are taken. reason: of a near match, and of values that are not taken.
    """

    position: int
    letter: str
    header: str
    field: str | None
    matched: str
    used: bool
    examples: tuple[str, ...] = ()
    reason: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return the column as a JSON object."""
        field = LAR_BY_NAME.get(self.field or "")
        return {
            "column": self.letter,
            "header": self.header,
            "field": self.field,
            "number": field.number if field else None,
            "matched": self.matched,
            "reason": self.reason or None,
            "examples": list(self.examples),
        }


@dataclass(frozen=True)
class Matching:
    """The columns of a table with their fields. left_out: rows that are no loans, and why."""

    table: SpreadsheetTable
    columns: tuple[MatchedColumn, ...]
    left_out: Sequence[Mapping[str, Any]] = ()

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
        return [
            column.header or column.letter
            for column in self.columns
            if not column.used and column.field != _RECORD_ID
        ]

    def as_json(self) -> dict[str, Any]:
        """Return the answer of `POST /v2/public/lar/columns`."""
        table = self.table
        return {
            "kind": table.kind,
            "encoding": table.encoding,
            "sheets": list(table.sheets),
            "sheet": table.sheet,
            "header": table.header or None,
            "rows": len(table.rows),
            "columns": [column.as_json() for column in self.columns],
            "unused": self.unused,
            "missing": self.missing,
            "conflicts": self.conflicts,
            **self.leftovers(),
        }

    def leftovers(self) -> dict[str, Any]:
        """Return the first rows that are left out, each with the reason, and what else is said."""
        used = [column.position for column in self.columns if column.used]
        notices = describe_unseen_parts(self.table, used)
        return {
            "leftOut": self.left_out[:MOST_LISTED],
            "leftOutTotal": len(self.left_out),
            **({"notices": notices} if notices else {}),
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
    table: SpreadsheetTable,
    mapping: Mapping[str, str | None] | None = None,
    *,
    near: bool = False,
    without_hidden: bool = False,
) -> Matching:
    """Return the matching of a table's columns. near: whether near matches are used.

    without_hidden: whether hidden rows are left out.

    Raises: SpreadsheetRefusal, for a column in the mapping that the table does not have.
    """
    width = max(len(table.headers), table.texts.width)
    headers = [" ".join(text.split()) for text in table.headers]
    headers += [""] * (width - len(headers))
    mapped = _map_columns(headers, mapping or {})
    matches = {at: (field, "given", "") for at, field in mapped.items()}
    # What the caller says goes before a name.
    given = {field for field in mapped.values() if field is not None}
    for at, match in _match_names(table, headers):
        if match[0] not in given:
            matches.setdefault(at, match)
    used = {field for field, *_ in matches.values() if field is not None}
    if not table.by_place:
        _propose(table, headers, matches, used, given)
    columns = (
        _column(table, at, header, *matches.get(at, (None, "none", "")), near=near)
        for at, header in enumerate(headers)
    )
    made = Matching(table, tuple(each for each in columns if _is_told(each)))
    positions = {field: column.position for field, column in made.by_field.items()}
    left_out: list[dict[str, object]] = []
    if without_hidden:
        table, left_out = leave_out_hidden_rows(table)
    rest, no_loans = leave_out_rows(table, positions)
    left_out += no_loans
    if rest.rows.is_empty() and table.kind != "pipe":
        raise SpreadsheetRefusal(400, "There is no data row below the header.")
    return replace(made, table=rest, left_out=left_out)


def _is_told(column: MatchedColumn) -> bool:
    return bool(column.header or column.examples or column.field)


def _match_names(
    table: SpreadsheetTable, headers: Sequence[str]
) -> Iterator[tuple[int, FieldMatch]]:
    if table.by_place:
        yield from ((at, (field.name, "place", "")) for at, field in enumerate(LAR[: len(headers)]))
        return
    names = list_known_names()
    for at, header in enumerate(headers):
        if field := names.get(fold_name(header)):
            yield at, (field, "name", "")


def _propose(
    table: SpreadsheetTable,
    headers: Sequence[str],
    matches: dict[int, FieldMatch],
    used: set[str],
    given: set[str],
) -> None:
    """Add the near matches of columns without a field, in the order of how likely they are."""
    proposed = list_proposed_names()
    has_co_applicant = any(field.startswith("co_") for field in used) or any(
        map(is_of_co_applicant, headers)
    )
    missing = {field.name for field in LAR if field.name not in used}

    def rest() -> list[int]:
        return [at for at in range(len(headers)) if at not in matches]

    def add(at: int, field: str, reason: str) -> None:
        matches[at] = field, "near", reason
        missing.discard(field)

    for at in rest():
        alias = proposed.get(fold_name(headers[at]))
        # Without a co-applicant beside it, nobody knows whose it is.
        is_known = alias and (has_co_applicant or not alias.field.startswith("applicant_"))
        if alias and is_known and alias.field in missing:
            add(at, alias.field, f"A usual name of this field ({alias.source})")
        elif (field := find_near_field(headers[at])) and field not in given:
            add(at, field, "The same words as in a name of this field")
    for at in rest():
        near = find_similar_field(headers[at])
        if near and near[0] in missing:
            add(at, *near)
    tracts = [at for at, match in matches.items() if match[0] == "census_tract"]
    tract_values = _filled(table, tracts[0]) if tracts else None
    for at in rest():
        near = find_field_of_values(_filled(table, at), missing, tract_values)
        if near:
            add(at, *near)


def _column(
    table: SpreadsheetTable,
    at: int,
    header: str,
    field: str | None,
    matched: str,
    reason: str,
    *,
    near: bool,
) -> MatchedColumn:
    is_used = field is not None and (near or matched != "near")
    if field == _RECORD_ID and is_used and _has_line_numbers(table, at):
        is_used, reason = False, "It has the numbers of lines; 2 is written."
    examples = tuple(
        text if len(text) <= _EXAMPLE_CHARACTERS else f"{text[: _EXAMPLE_CHARACTERS - 1]}…"
        for text in _filled(table, at).head(_EXAMPLES)
    )
    return MatchedColumn(
        at,
        column_letter(at),
        shorten_text(header, LONGEST_HEADER),
        field,
        matched,
        is_used,
        examples,
        reason,
    )


def _has_line_numbers(table: SpreadsheetTable, at: int) -> bool:
    """Return whether a column has a number of its own for each line, besides notes."""
    texts = _filled(table, at)
    numbers = texts.filter(texts.str.contains(r"^\s*\d+(?:\.0)?\s*$"))
    return numbers.n_unique() == len(numbers) > max(1, len(texts) // 2)


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


def _filled(table: SpreadsheetTable, at: int) -> pl.Series:
    """Return the texts of a column in the rows where it is not blank."""
    name = str(at)
    if name not in table.texts.columns:
        return pl.Series([], dtype=pl.String)
    return table.texts[name].filter(table.kinds[name] != int(CellKind.BLANK))


def _conflict(name: str, letters: list[str]) -> dict[str, Any]:
    all_letters = f"{', '.join(letters[:-1])} and {letters[-1]}"
    word = "both" if len(letters) == 2 else "all"
    return {
        "field": name,
        "label": find_label(name),
        "columns": letters,
        "message": f"Columns {all_letters} are {word} {find_label(name)}: {say_setting('map')}.",
    }
