"""Writes rows of cells as the programs of filers do: .xlsx, .xls, .ods and CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any

import xlsxwriter
import xlwt
from odf.opendocument import OpenDocumentSpreadsheet
from odf.table import Table, TableCell, TableRow
from odf.text import P

Row = Sequence[Any]
# Source: [MS-XLS], section 2.5.10. The names that xlwt takes are mixed up.
ERRORS = {
    "#NULL!": 0x00, "#DIV/0!": 0x07, "#VALUE!": 0x0F, "#REF!": 0x17, "#NAME?": 0x1D,
    "#NUM!": 0x24, "#N/A": 0x2A,
}  # fmt: skip
Sheets = dict[str, Sequence[Row]]


@dataclass(frozen=True)
class Formula:
    """A formula with its stored value; None for one that no program has computed."""

    text: str
    value: Any = None


@dataclass(frozen=True)
class ErrorCell:
    """An error of the spreadsheet, as `#REF!`."""

    text: str


@dataclass(frozen=True)
class Percent:
    """A fraction that the spreadsheet shows as a percentage."""

    value: float


def xlsx(
    path: Path, sheets: Sheets, *, hidden: Sequence[str] = (), epoch_1904: bool = False
) -> Path:
    book = xlsxwriter.Workbook(str(path), {"date_1904": epoch_1904})
    formats = {
        "date": book.add_format({"num_format": "m/d/yyyy"}),
        "time": book.add_format({"num_format": "m/d/yyyy hh:mm"}),
        "percent": book.add_format({"num_format": "0.000%"}),
    }
    for title, rows in sheets.items():
        sheet = book.add_worksheet(title)
        if title in hidden:
            sheet.hide()
        else:
            sheet.activate()  # the first visible one, or the file would open on a hidden sheet
        for number, row in enumerate(rows):
            for at, value in enumerate(row):
                _xlsx_cell(sheet, number, at, value, formats)
    book.close()
    return path


def _xlsx_cell(sheet: Any, row: int, at: int, value: Any, formats: dict[str, Any]) -> None:
    if value is None or value == "":
        return
    if isinstance(value, Formula):
        sheet.write_formula(row, at, value.text, None, "" if value.value is None else value.value)
    elif isinstance(value, ErrorCell):
        sheet.write_formula(row, at, "=NA()", None, value.text)
    elif isinstance(value, Percent):
        sheet.write_number(row, at, value.value, formats["percent"])
    elif isinstance(value, datetime):
        sheet.write_datetime(row, at, value, formats["time"])
    elif isinstance(value, date):
        sheet.write_datetime(row, at, value, formats["date"])
    elif isinstance(value, bool):
        sheet.write_boolean(row, at, value)
    elif isinstance(value, int | float):
        sheet.write_number(row, at, value)
    else:
        sheet.write_string(row, at, value)


def xls(path: Path, sheets: Sheets) -> Path:
    book = xlwt.Workbook()
    style = xlwt.XFStyle()
    style.num_format_str = "M/D/YYYY"
    for title, rows in sheets.items():
        sheet = book.add_sheet(title)
        for number, row in enumerate(rows):
            for at, value in enumerate(row):
                if isinstance(value, ErrorCell):
                    sheet.row(number).set_cell_error(at, ERRORS[value.text])
                elif isinstance(value, date):
                    sheet.write(number, at, value, style)
                elif isinstance(value, Percent):
                    sheet.write(number, at, value.value)
                elif value is not None and value != "":
                    sheet.write(number, at, value)
    book.save(str(path))
    return path


def ods(path: Path, sheets: Sheets) -> Path:
    document = OpenDocumentSpreadsheet()
    for title, rows in sheets.items():
        table = Table(name=title)
        for row in rows:
            line = TableRow()
            for value in row:
                line.addElement(_ods_cell(value))
            table.addElement(line)
        document.spreadsheet.addElement(table)
    document.save(str(path))
    return path


def _ods_cell(value: Any) -> Any:
    shown = str(value)
    if value is None or value == "":
        return TableCell()
    if isinstance(value, ErrorCell):
        cell = TableCell(valuetype="string", stringvalue="", formula="of:=1/0")
        shown = value.text
    elif isinstance(value, Formula):
        return TableCell(formula="of:=A1")
    elif isinstance(value, Percent):
        cell = TableCell(valuetype="percentage", value=str(value.value))
        shown = f"{value.value:.3%}"
    elif isinstance(value, date):
        cell = TableCell(valuetype="date", datevalue=value.isoformat())
    elif isinstance(value, bool):
        cell = TableCell(valuetype="boolean", booleanvalue=str(value).lower())
    elif isinstance(value, int | float):
        cell = TableCell(valuetype="float", value=str(value))
    else:
        cell = TableCell(valuetype="string")
    cell.addElement(P(text=shown))
    return cell


def csv_file(
    path: Path,
    rows: Sequence[Row],
    *,
    separator: str = ",",
    encoding: str = "utf-8",
    end: str = "\r\n",
) -> Path:
    text = io.StringIO()
    csv.writer(text, delimiter=separator, lineterminator=end).writerows(rows)
    path.write_bytes(text.getvalue().encode(encoding))
    return path


Writer = Callable[[Path, Sheets], Path]
