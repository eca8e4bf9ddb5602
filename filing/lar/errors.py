"""Format errors: of single lines, as the filer reads them, and of a whole file in groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from filing.lar.blocks import KEPT_BYTES, MAX_LINE_BYTES, NotText
from filing.lar.cutting import Cut, Rows, cut_lines
from filing.lar.fields import LAR, LAR_BY_NAME, TRANSMITTAL_SHEET, Field
from filing.lar.formats import describe_limit, read_lines
from filing.lar.raw_lines import cut_line

UNKNOWN_ULI = "The ULI could not be identified."
SHEET_ULI = "Transmittal Sheet"

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
    lines_by_row = {
        row: b"" if line is None else line for row, line in zip(rows, lines, strict=True)
    }
    absent = {row for row, line in zip(rows, lines, strict=True) if line is None}
    messages: dict[int, list[FieldError]] = {}
    for fields in (TRANSMITTAL_SHEET, LAR):
        same_kind = {row: line for row, line in lines_by_row.items() if fields is _fields_of(row)}
        if same_kind:
            loans = cut_raw_lines(same_kind, fields)
            messages |= find_field_errors(loans, read_lines(loans).unread)
    messages |= {row: [describe_field_count(_fields_of(row), 0)] for row in absent}
    return [
        LineErrors(row + 1, estimate_uli(row, line), tuple(messages[row]))
        for row, line in lines_by_row.items()
        if row in messages
    ]


def cut_raw_lines(lines: dict[int, bytes], fields: Sequence[Field]) -> Cut:
    """Return the fields of some raw lines, given by row; `cut_block` does it for whole blocks.

    Raises: NotText, naming the first line that is not UTF-8.
    """
    for row, line in lines.items():
        # Of a line that is too long only the beginning may be here, cut within a character.
        if len(line) < KEPT_BYTES and not _is_text(line):
            raise NotText(row + 1)
    # An LF inside a line is a control character like any other.
    plain = [line.replace(b"\n", b"") for line in lines.values()]
    return cut_lines(
        b"".join(line + b"\n" for line in plain),
        np.fromiter(lines, np.uint32),
        np.fromiter(map(len, plain), np.int64),
        fields,
    )


def find_field_errors(lines: Cut, unread: Mapping[str, pl.Series]) -> dict[int, list[FieldError]]:
    """Return the messages for each row with a format error. unread: rows by field."""
    messages: dict[int, list[FieldError]] = {
        row: [describe_field_count(lines.fields, count, too_long=too_long)]
        for row, count, too_long in lines.misfits.iter_rows()
    }
    labels = {field.name: field for field in lines.fields}
    for name, rows in unread.items():
        faulty = lines.loans.select("row", name).filter(lines.loans["row"].is_in(rows.implode()))
        for row, value in faulty.iter_rows():
            field = labels[name]
            hint = describe_limit(field, value)
            message = FieldError(field.error_label, value, field.accepts, hint)
            messages.setdefault(row, []).append(message)
    return messages


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
    return pieces[2] if len(pieces) > 2 else UNKNOWN_ULI


def _fields_of(row: int) -> tuple[Field, ...]:
    return LAR if row else TRANSMITTAL_SHEET


def _is_text(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True


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
