"""Format errors: of single lines, as the filer reads them, and of a whole file in groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
import polars as pl

from filing.lar.blocks import MAX_LINE_BYTES
from filing.lar.cutting import Cut, Rows, cut_record
from filing.lar.fields import LAR, LAR_BY_NAME, TRANSMITTAL_SHEET, TS_BY_NAME, Field
from filing.lar.formats import Record, describe_limit, find_readers
from filing.lar.raw_lines import cut_line

UNKNOWN_ULI = "The ULI could not be identified."
SHEET_ULI = "Transmittal Sheet"
_SHEET_READERS, _LOAN_READERS = find_readers(TRANSMITTAL_SHEET), find_readers(LAR)
_ULI = LAR_BY_NAME["uli"].number - 1

MOST_ROWS = 10_000  # rows kept for each group, which bounds memory


@dataclass(frozen=True, slots=True)
class FieldError:
    """One format error of a line: the field, its value as typed, and what the field accepts.

    hint: for people, the limit that a number exceeds; blank if `accepts` is enough.
    """

    field: str
    value: str
    accepts: str
    hint: str = ""

    @property
    def guidance(self) -> str:
        """What the field accepts, with the limit that the value exceeds, for people."""
        return f"{self.accepts}. {self.hint}" if self.hint else self.accepts


@dataclass(frozen=True, slots=True)
class LineErrors:
    """The format errors of one line; `line` counts from 1 and is 0 for a line outside any file."""

    line: int
    estimated_uli: str
    messages: tuple[FieldError, ...]


def find_line_errors(rows: Sequence[int], lines: Sequence[bytes | None]) -> list[LineErrors]:
    """Return the format errors of raw lines, in their order; lines without errors are left out.

    Row 0 is the transmittal sheet. None is a line that the file does not have: an empty file lacks
    its row 0.
    Raises: NotText, naming the first line that is not UTF-8.
    """
    records = (
        read_record(row, line) if line is not None else _absent_line(row)
        for row, line in zip(rows, lines, strict=True)
    )
    return [record for record in records if isinstance(record, LineErrors)]


def read_record(row: int, line: bytes) -> Record | LineErrors:
    """Return the values of one raw line, or its format errors; row 0 is the transmittal sheet.

    Raises: NotText, naming the row, when the line is not UTF-8.
    """
    fields = _fields_of(row)
    texts = cut_record(line, fields, row=row)
    if isinstance(texts, int):
        message = describe_field_count(fields, texts, too_long=not texts)
        return LineErrors(row + 1, estimate_uli(row, line), (message,))
    readers = _LOAN_READERS if row else _SHEET_READERS
    values = [read(text) for read, text in zip(readers, texts, strict=True)]
    if None not in values:
        names = LAR_BY_NAME if row else TS_BY_NAME
        return dict(zip(names, cast(list[int | str], values), strict=True))
    messages = (
        FieldError(field.error_label, text, field.accepts, describe_limit(field, text))
        for field, text, value in zip(fields, texts, values, strict=True)
        if value is None
    )
    return LineErrors(row + 1, texts[_ULI] if row else SHEET_ULI, tuple(messages))


def _absent_line(row: int) -> LineErrors:
    message = describe_field_count(_fields_of(row), 0)
    return LineErrors(row + 1, estimate_uli(row, b""), (message,))


def describe_field_count(
    fields: Sequence[Field], count: int, *, too_long: bool = False
) -> FieldError:
    """Return the message for a line with another number of fields, or one that is too long."""
    if too_long:
        return FieldError(
            "Line Length", f"more than {MAX_LINE_BYTES}", f"At most {MAX_LINE_BYTES} bytes"
        )
    kind = "TS" if fields is TRANSMITTAL_SHEET else "LAR"
    return FieldError(f"Incorrect Number of {kind} Fields", str(count), f"{len(fields)} Fields")


def estimate_uli(row: int, line: bytes) -> str:
    """Return the ULI of a line, or the text that takes its place."""
    if row == 0:
        return SHEET_ULI
    pieces = cut_line(line)
    return pieces[_ULI] if len(pieces) > _ULI else UNKNOWN_ULI


def _fields_of(row: int) -> tuple[Field, ...]:
    return LAR if row else TRANSMITTAL_SHEET


@dataclass(frozen=True, slots=True)
class FaultGroup:
    """Format errors with the same field and accepted values.

    total: lines with this error. rows: the first of these, ascending, at most `MOST_ROWS`.
    """

    field: str
    accepts: str
    total: int
    rows: Rows


class FaultGroups:
    """Format errors counted while a file is read."""

    def __init__(self) -> None:
        self._totals: dict[tuple[str, str], int] = {}
        self._rows: dict[tuple[str, str], list[Rows]] = {}

    def add_sheet(self, errors: LineErrors) -> None:
        """Add the errors of the transmittal sheet."""
        for message in errors.messages:
            self._add(message.field, message.accepts, np.zeros(1, np.uint32))

    def add(self, lines: Cut, unread: Mapping[str, pl.Series]) -> None:
        """Add the errors of some loans. unread: rows by field, by `find_unreadable`."""
        for too_long in (False, True):
            rows = lines.misfits.filter(pl.col("too_long") == too_long)["row"]
            message = describe_field_count(LAR, 0, too_long=too_long)
            self._add(message.field, message.accepts, rows.to_numpy())
        for name, rows in unread.items():
            field = LAR_BY_NAME[name]
            self._add(field.error_label, field.accepts, rows.to_numpy())

    def all(self) -> tuple[FaultGroup, ...]:
        """Return the groups, those with the most lines first."""
        groups = (
            FaultGroup(*key, total, np.concatenate(self._rows[key]))
            for key, total in self._totals.items()
        )
        return tuple(sorted(groups, key=lambda group: (-group.total, group.field)))

    def _add(self, field: str, accepts: str, rows: Rows) -> None:
        if not len(rows):
            return
        key = (field, accepts)
        count = self._totals.get(key, 0)
        self._totals[key] = count + len(rows)
        if count < MOST_ROWS:
            # A copy: a view would keep the whole block.
            self._rows.setdefault(key, []).append(rows[: MOST_ROWS - count].copy())
