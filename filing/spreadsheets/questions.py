"""Questions about whole columns: what their cells leave open is asked once for each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import polars as pl

from filing.lar.fields import DATES, LAR
from filing.spreadsheets.cell_ranges import describe_ranges
from filing.spreadsheets.matching import Matching, find_label
from filing.spreadsheets.options import ConversionOptions
from filing.spreadsheets.rules.values import RATES, date_parts
from filing.spreadsheets.unseen_parts import SheetQuestion, asks_for_sheet

_FRACTIONS_BELOW = 1.0
# A rate spread below 1 is usual: as a fraction it is below this.
_SPREADS_BELOW = 0.1
# What is no fraction whatever a filer says: a rate of 100 %, a ratio of 300 %.
_RATES_AT_MOST, _RATIOS_AT_MOST = 1.0, 3.0
_MONTHS = 12
CHOICES = {
    "dates": {"mdy": "The month is first: 7/8/2024 is July 8", "dmy": "The day is first: August 7"},
    "percent": {
        "fraction": "They are fractions: 0.04125 is written as 4.125",
        "percent": "They are percent already: 0.04125 stays",
    },
}
_TEXTS = {
    "dates": "Is the month or the day first in the dates of {label}?",
    "percent": "These numbers of {label} are small: are they fractions, or percent?",
}


@dataclass(frozen=True, slots=True)
class ColumnQuestion:
    """What is asked about a column.

    kind: of `ANSWERS`. cells: `row` and `value` of the cells that it is about. default: what holds
    without an answer; a blank if the column cannot be read without one. note: a sentence about the
    cells, or a blank.
    """

    kind: str
    field: str
    cells: pl.DataFrame
    default: str
    answer: str
    note: str = ""

    @property
    def is_open(self) -> bool:
        """Whether the column cannot be read without an answer."""
        return not self.answer and not self.default

    @property
    def rule(self) -> str:
        """The rule that cannot be applied without an answer."""
        return "date" if self.kind == "dates" else self.kind

    @property
    def text(self) -> str:
        """The question in words."""
        return _TEXTS[self.kind].format(label=find_label(self.field)) + self.note

    def as_json(self, matching: Matching) -> dict[str, Any]:
        """Return the question as a JSON object, with its cells: `L2:L13`."""
        column = matching.by_field[self.field]
        return {
            "column": column.letter,
            "header": column.header,
            "field": self.field,
            "kind": self.kind,
            "question": self.text,
            "count": self.cells.height,
            "cells": _name_cells(matching, self.field, self.cells),
            "examples": self.cells["value"].unique(maintain_order=True).head(3).to_list(),
            "choices": [
                {"value": value, "text": text} for value, text in CHOICES[self.kind].items()
            ],
            "default": self.default or None,
            "answer": self.answer or None,
        }


def list_questioned_fields() -> dict[str, str]:
    """Return which question of `ANSWERS` a column may raise, by field."""
    dates = {field.name: "dates" for field in LAR if field.parse in DATES}
    return dates | dict.fromkeys(RATES, "percent")


def find_questions(
    matching: Matching, options: ConversionOptions
) -> list[ColumnQuestion | SheetQuestion]:
    """Return what is asked about a table and its columns, answered or not."""
    asked = find_column_questions(matching, options)
    return [SheetQuestion(matching.table), *asked] if asks_for_sheet(matching.table) else [*asked]


def find_column_questions(matching: Matching, options: ConversionOptions) -> list[ColumnQuestion]:
    """Return what is asked about the columns of a table, answered or not."""
    if not options.normalise or not len(matching.table.rows):
        return []
    questions = []
    for name, kind in list_questioned_fields().items():
        column = matching.by_field.get(name)
        if column is None or str(column.position) not in matching.table.texts.columns:
            continue
        texts = matching.table.texts[str(column.position)]
        cells = pl.DataFrame({"value": texts}).with_row_index("row")
        is_own = isinstance(getattr(options, kind), Mapping)
        answer = options.answer(kind, name)
        if kind == "dates":
            asked = _dates(cells, partial(_name_cells, matching, name))
        else:
            asked = _fractions(cells, name, is_certain=is_own and answer == "fraction")
        if asked:
            about, default, note = asked
            questions.append(ColumnQuestion(kind, name, about, default, answer, note))
    return questions


def _name_cells(matching: Matching, name: str, cells: pl.DataFrame) -> str:
    places = matching.table.rows.gather(cells["row"]).to_frame("row")
    letter = matching.by_field[name].letter
    return describe_ranges(places.with_columns(source=pl.lit(0)), {0: letter}, matching.table)[0]


def _dates(
    cells: pl.DataFrame, name_cells: Callable[[pl.DataFrame], str]
) -> tuple[pl.DataFrame, str, str] | None:
    """Return dates that can be read in two ways, or only with the day first."""
    if not cells["value"].str.contains(r"[0-9][-/][0-9]{4}").any():
        return None
    first, second = date_parts(pl.col("value"))
    dates = cells.with_columns(first=first, second=second).filter(
        pl.col("first").is_between(1, 31), pl.col("second").is_between(1, 31)
    )
    has_days_first, has_days_last = dates.select(
        (pl.col("first") > _MONTHS).any(), (pl.col("second") > _MONTHS).any()
    ).row(0)
    if not dates.select((pl.col("first") != pl.col("second")).any()).item():
        return None
    if has_days_last and not has_days_first:
        return None
    note = ""
    if has_days_last:
        months_first, days_first = (
            name_cells(dates.filter(pl.col(column) > _MONTHS)) for column in ("second", "first")
        )
        note = (
            f" It is the month in {months_first}, and the day in {days_first}: answer for the one, "
            "and correct the other dates."
        )
    dates = dates.sort(pl.col("first") <= _MONTHS, maintain_order=True)  # what shows it, first
    return dates.select("row", "value"), "" if has_days_first else "mdy", note


def find_largest_fraction(name: str) -> float:
    """Return the largest number that is read as a fraction in the column of a field."""
    return _RATIOS_AT_MOST if name.endswith("_ratio") else _RATES_AT_MOST


def select_unsigned_numbers(values: pl.Series) -> pl.DataFrame:
    """Return the numbers of a column without a percent sign but 0: `row`, `value` and `size`."""
    plain = pl.col("value").str.strip_chars(" '=\"")
    cells = pl.DataFrame({"value": values}).with_row_index("row")
    cells = cells.with_columns(size=plain.cast(pl.Float64, strict=False).abs())
    return cells.filter(pl.col("size").is_finite(), pl.col("size") > 0)


def _fractions(
    cells: pl.DataFrame, name: str, *, is_certain: bool
) -> tuple[pl.DataFrame, str, str] | None:
    """Return the numbers of a column that are as small as fractions.

    Where few are so small, they are percent by default. is_certain: whether the filer says of this
    column that they are fractions, however large.
    """
    numbers = select_unsigned_numbers(cells["value"])
    is_spread = name == "rate_spread"
    limit = _SPREADS_BELOW if is_spread and not is_certain else _FRACTIONS_BELOW
    small = numbers.filter(pl.col("size") < limit)
    possible = numbers.filter(pl.col("size") <= find_largest_fraction(name))
    likely = small if is_spread and not is_certain else possible
    are_most = likely.height * 2 >= numbers.height
    if are_most and small.height:
        small = possible
    elif is_certain and not small.height:
        small = numbers
    elif is_spread and not is_certain:  # a few small spreads are usual
        return None
    return (small.select("row", "value"), "" if are_most else "percent", "") if len(small) else None
