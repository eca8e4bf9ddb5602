"""Empty spreadsheets with a header for every field."""

from __future__ import annotations

import tempfile
from pathlib import Path

from filing.lar.fields import LAR, TRANSMITTAL_SHEET, Field
from filing.spreadsheets.csv_writer import header_line
from filing.spreadsheets.field_lists import reference_name, require_year
from filing.spreadsheets.refusals import Refusal
from filing.spreadsheets.workbook_writer import SHEET, Workbook

KINDS = ("xlsx", "csv")
NAMES = ("label", "name", "reference")
XLSX_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
CSV_TYPE = "text/csv; charset=UTF-8"


def template(*, kind: str, names: str, year: int) -> bytes:
    """Return an empty spreadsheet. kind: `xlsx` or `csv`. names: one of `NAMES`.

    Raises: Refusal.
    """
    require_year(year)
    require_choice("format", kind, KINDS)
    require_choice("names", names, NAMES)
    headers = [heading(field, names) for field in LAR]
    if kind == "csv":
        return header_line(headers)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "template.xlsx")
        with Workbook(path, Path(folder)) as book:
            book.loans(headers, [], year=year)
            book.table(
                SHEET,
                ("Field", "Value"),
                [(heading(field, names), fixed(field, year)) for field in TRANSMITTAL_SHEET],
            )
            book.codes(year=year, is_label=names != "name")
        return path.read_bytes()


def heading(field: Field, names: str) -> str:
    """Return the name of a field in a header row."""
    if names == "reference":
        return reference_name(field)
    return field.label if names == "label" else field.name


def fixed(field: Field, year: int) -> str:
    """Return the value of the transmittal sheet that is known before."""
    return {"record_id": "1", "calendar_year": str(year)}.get(field.name, "")


def require_choice(option: str, value: str, choices: tuple[str, ...]) -> None:
    """Raises: Refusal, for a value that is not among the choices."""
    if value not in choices:
        listed = f"{', '.join(choices[:-1])} or {choices[-1]}"
        raise Refusal(400, f"Option {option} takes {listed}.")
