"""The values of a transmittal sheet in the rows of a sheet: in three layouts."""

from __future__ import annotations

from collections.abc import Sequence

from filing.lar.fields import TRANSMITTAL_SHEET
from filing.spreadsheets.headers import fold
from filing.spreadsheets.names import sheet_names
from filing.spreadsheets.tables import SheetValue

Rows = Sequence[tuple[int, Sequence[str]]]


def by_place(rows: Rows) -> dict[str, SheetValue]:
    """Return the values of a row in the order of the fields."""
    return {
        field.name: SheetValue(text, number)
        for number, cells in rows
        for field, text in zip(TRANSMITTAL_SHEET, cells, strict=False)
        if text
    }


def by_label(rows: Rows) -> dict[str, SheetValue]:
    """Return the values of rows of label and value, or of a header row and one row below it."""
    names = sheet_names()
    for at, (_, cells) in enumerate(rows):
        fields = [names.get(fold(cell)) for cell in cells]
        if sum(field is not None for field in fields) >= 2:
            below = next((row for row in rows[at + 1 :] if any(row[1])), None)
            return _of_header(fields, *below) if below else {}
    values: dict[str, SheetValue] = {}
    for number, cells in rows:
        if len(cells) < 2 or not cells[1]:
            continue
        field = names.get(fold(cells[0]))
        if field is not None and field not in values:
            values[field] = SheetValue(cells[1], number)
    return values


def _of_header(
    fields: Sequence[str | None], number: int, cells: Sequence[str]
) -> dict[str, SheetValue]:
    return {
        field: SheetValue(text, number)
        for field, text in zip(fields, cells, strict=False)
        if field is not None and text
    }
