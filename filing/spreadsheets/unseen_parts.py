"""What a filer may not see in a workbook: hidden rows and columns, and loans on other sheets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from filing.lar.fields import WHOLE_ROW
from filing.lar.setting_words import say_setting
from filing.spreadsheets.cell_ranges import describe_ranges
from filing.spreadsheets.options import ALL_SHEETS
from filing.spreadsheets.tables import OtherSheet, SpreadsheetTable, column_letter

_MOST_LISTED = 20
_LONGEST_NAME = 100  # characters of the name of a sheet


def describe_unseen_parts(table: SpreadsheetTable, used: Iterable[int]) -> list[str]:
    """Return a sentence each about hidden rows, hidden columns, and other sheets with loans.

    used: the positions of the columns that are used for a field.
    """
    notices = []
    rows = table.rows.filter(table.rows.is_in(table.hidden.rows))
    if len(rows):
        places = pl.DataFrame({"row": rows}).with_columns(source=pl.lit(0))
        text = describe_ranges(places, {}, table)[0]
        hidden = f"{text[0].upper()}{text[1:]} {_are(len(rows))} hidden"
        notices.append(f"{hidden}, and converted like the others; {say_setting('hidden')}.")
    letters = [column_letter(at) for at in used if at in table.hidden.columns]
    if letters:
        noun = "Column" if len(letters) == 1 else "Columns"
        text = _join(letters)
        notices.append(f"{noun} {text} {_are(len(letters))} hidden, and used like the others.")
    if table.other_sheets and not asks_for_sheet(table):
        text = _join([_name(sheet) for sheet in table.other_sheets])
        notices.append(
            f"Other sheets have loans that are not converted: {text}; {say_setting('sheets')}."
        )
    return notices


def asks_for_sheet(table: SpreadsheetTable) -> bool:
    """Return whether it is open which of several visible sheets with loans are meant."""
    is_open = any(sheet.is_visible for sheet in table.other_sheets)
    return is_open and not table.is_sheet_chosen


@dataclass(frozen=True, slots=True)
class SheetQuestion:
    """What is asked about a workbook with loans on several sheets."""

    table: SpreadsheetTable
    field: str = WHOLE_ROW
    rule: str = "sheet"
    answer: str = ""
    is_open: bool = True

    @property
    def sheets(self) -> list[OtherSheet]:
        """The sheets with loans, the one that was read first."""
        own = OtherSheet(str(self.table.sheet), len(self.table.rows))
        return [own, *self.table.other_sheets]

    @property
    def text(self) -> str:
        """The question in words."""
        return f"Loans are on several sheets: {_join(list(map(_name, self.sheets)))}. Which count?"

    @property
    def cells(self) -> pl.DataFrame:
        """The place of the finding, which is about the file: its first record."""
        return pl.DataFrame({"row": [0], "value": [""]}, schema_overrides={"row": pl.UInt32})

    def as_json(self, _: object) -> dict[str, Any]:
        """Return the question as a JSON object."""
        visible = [sheet for sheet in self.sheets if sheet.is_visible]
        choices = [
            {"value": sheet.title, "text": f"Only {_name(sheet)}"}
            for sheet in visible[:_MOST_LISTED]
        ]
        if all(sheet.is_alike for sheet in visible):
            total = sum(sheet.rows for sheet in visible)
            text = f"All {len(visible)} sheets ({total:,} rows)"
            choices.insert(0, {"value": ALL_SHEETS, "text": text})
        names = _join([sheet.title[:_LONGEST_NAME] for sheet in visible])
        return {
            **dict.fromkeys(("column", "header", "field", "default", "answer")),
            "kind": self.rule,
            "question": self.text,
            "count": len(visible),
            "cells": names,
            "examples": [],
            "choices": choices,
        }


def _name(sheet: OtherSheet) -> str:
    hidden = "" if sheet.is_visible else "hidden, "
    rows = f"{sheet.rows:,} row{'' if sheet.rows == 1 else 's'}"
    return f"{sheet.title[:_LONGEST_NAME]} ({hidden}{rows})"


def _are(number: int) -> str:
    return "is" if number == 1 else "are"


def _join(texts: Sequence[str]) -> str:
    more = len(texts) - _MOST_LISTED
    return ", ".join(texts[:_MOST_LISTED]) + (f" and {more:,} more" if more > 0 else "")
