"""The transmittal sheet of a file: its values, where each comes from, and the filing period."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import polars as pl

from filing.lar.fields import SHEET_PREFIX, TRANSMITTAL_SHEET, Field
from filing.lar.setting_words import say_setting
from filing.lar.years import Period, supported_periods
from filing.spreadsheets.accepted_files import SpreadsheetRefusal
from filing.spreadsheets.field_lists import qualify_name, require_year
from filing.spreadsheets.loans import read_column_cells
from filing.spreadsheets.matching import MatchedColumn, Matching
from filing.spreadsheets.options import ConversionOptions, shorten_text
from filing.spreadsheets.rules import columns
from filing.spreadsheets.rules.steps import RuleLog, run_rules
from filing.spreadsheets.sheet_rows import CellKind
from filing.spreadsheets.tables import SheetSource, row_number

_FIXED = {"record_id": "1"}
_COUNTED = "total_lines"
_MISSING = "The transmittal sheet has no {label}; enter it."
_SEVERAL = "The rows have several values of this field; enter one for the whole file."
_DIFFERENT = "Two sources of the transmittal sheet differ: {first} is used, not {second}."
_TEXT = pl.Series([int(CellKind.TEXT)], dtype=pl.UInt8)

QUARTERS = {"Q1": "1", "Q2": "2", "Q3": "3"}


@dataclass(slots=True)
class TransmittalSheet:
    """The values of a transmittal sheet by field name, and where they come from."""

    values: dict[str, str]
    sources: dict[str, SheetSource] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The name of the file: `2024-4-529900EXAMPLELEI0001.txt`."""
        year, quarter, lei = (
            self.values[name] for name in ("calendar_year", "calendar_quarter", "lei")
        )
        is_plain = year.isdecimal() and quarter.isdecimal() and lei.isascii() and lei.isalnum()
        return f"{year}-{quarter}-{lei}.txt" if is_plain else "LarFile.txt"


def collect_sources(
    sheet: Mapping[str, str], matching: Matching, log: RuleLog
) -> dict[str, list[SheetSource]]:
    """Return the values of each field as typed, in the order of their sources."""
    sources: dict[str, list[SheetSource]] = {}
    for name, text in sheet.items():
        sources.setdefault(name, []).append(SheetSource(text))
    for name, value in matching.table.transmittal_sheet.items():
        sources.setdefault(name, []).append(value)
    for one in TRANSMITTAL_SHEET:
        column = matching.by_field.get(qualify_name(one))
        if column is None and one.name == "lei":
            # A loan with another LEI keeps it, and edit S301 says so.
            column = None if "lei" in sources else matching.by_field.get("lei")
            source = _of_column(matching, column, None) if column else None
        else:
            source = _of_column(matching, column, log) if column else None
        if source:
            sources.setdefault(one.name, []).append(source)
    return sources


def _of_column(
    matching: Matching, column: MatchedColumn, log: RuleLog | None
) -> SheetSource | None:
    """Return the value in which all rows of a column agree.

    log: takes a doubt if they do not; without one the column is not meant for the whole file.
    """
    texts, _ = read_column_cells(matching, column)
    frame = pl.DataFrame({"value": texts.str.strip_chars()}).with_row_index("row")
    frame = frame.filter(pl.col("value") != "")
    if not frame.height:
        return None
    first = frame["value"][0]
    others = frame.filter(pl.col("value") != first)
    if others.height:
        if log is None:
            return None
        log.doubt(str(column.field), "sources", _SEVERAL, others.head(1))
    row = row_number(matching.table.rows[frame["row"][0]])
    return SheetSource(first, row, column.position)


def build_transmittal_sheet(
    sources: Mapping[str, list[SheetSource]],
    *,
    loans: int,
    year: int,
    options: ConversionOptions,
    log: RuleLog,
) -> TransmittalSheet:
    """Return the transmittal sheet. loans: how many the file has.

    The log takes changes and doubts with the names `ts.…`, each at row 0.
    """
    sheet = TransmittalSheet({})
    for one in TRANSMITTAL_SHEET:
        values = [
            (source, _value(one, source, year, options, log if at == 0 else RuleLog()))
            for at, source in enumerate(sources.get(one.name, ()))
        ]
        sheet.values[one.name] = values[0][1] if values else ""
        if values:
            sheet.sources[one.name] = values[0][0]
        for _, value in values[1:]:
            if value != values[0][1]:
                message = _DIFFERENT.format(
                    first=shorten_text(values[0][1]), second=shorten_text(value)
                )
                _doubt(one, "sources", message, value, log)
    sheet.values |= _FIXED
    _count(sheet, loans, options, log)
    for one in TRANSMITTAL_SHEET:
        if not sheet.values[one.name]:
            _doubt(one, "missing", _MISSING.format(label=one.label), "", log)
    return sheet


def _value(
    one: Field, source: SheetSource, year: int, options: ConversionOptions, log: RuleLog
) -> str:
    rules = columns.find_column_rules(one, year=year, options=options)
    name = f"{SHEET_PREFIX}{one.name}"
    return str(run_rules(name, pl.Series([source.text]), _TEXT, rules, log)[0])


def _count(sheet: TransmittalSheet, loans: int, options: ConversionOptions, log: RuleLog) -> None:
    """Set the number of entries; a wrong one that was given is corrected."""
    before, counted = sheet.values[_COUNTED], str(loans)
    if before == counted or (before and not options.normalise):
        return
    sheet.values[_COUNTED] = counted
    if before:
        log.change(
            f"{SHEET_PREFIX}{_COUNTED}",
            "total",
            pl.DataFrame({"row": [0], "before": [before], "after": [counted]}),
        )


def _doubt(one: Field, rule: str, message: str, value: str, log: RuleLog) -> None:
    cell = pl.DataFrame({"row": [0], "value": [value]}, schema_overrides={"row": pl.UInt32})
    log.doubt(f"{SHEET_PREFIX}{one.name}", rule, message, cell)


def find_filing_period(year: int | None, quarter: str, sheet: Mapping[str, str]) -> Period:
    """Return the period. sheet: the values of the transmittal sheet by field name, as typed.

    Raises: SpreadsheetRefusal, for a year without edits, and where query and transmittal sheet
        differ.
    """
    if quarter and quarter not in QUARTERS:
        raise SpreadsheetRefusal(
            400, f"There is no quarter {quarter[:20]}: quarters are Q1, Q2 and Q3."
        )
    sheet_year = _whole(sheet.get("calendar_year", ""))
    sheet_quarter = _whole(sheet.get("calendar_quarter", ""))
    if year is None:
        if not sheet_year:
            raise SpreadsheetRefusal(400, say_setting("year"))
        year = int(sheet_year[:9])
    elif sheet_year and sheet_year != str(year):
        raise SpreadsheetRefusal(
            400,
            f"You named {year}, and the transmittal sheet is for {sheet_year}: they must agree.",
        )
    require_year(year)
    if quarter and sheet_quarter and QUARTERS[quarter] != sheet_quarter:
        raise SpreadsheetRefusal(
            400,
            f"You named {quarter}, and the transmittal sheet is for calendar quarter "
            f"{sheet_quarter}: they must agree.",
        )
    number = QUARTERS.get(quarter) or sheet_quarter
    if number not in QUARTERS.values():
        return Period(year)
    quarterly = Period(year, int(number))
    if quarterly not in supported_periods():
        if quarter:
            raise SpreadsheetRefusal(400, f"There are no edits for {quarterly}.")
        return Period(year)
    return quarterly


def _whole(text: str) -> str:
    """Return a whole number without a point and what leads it; a blank for anything else."""
    plain = text.strip().removesuffix(".0")
    return plain if plain.isascii() and plain.isdecimal() else ""
