"""Questions about whole columns: what their cells leave open is asked once for each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import polars as pl

from filing.lar.fields import DATES, LAR
from filing.spreadsheets.cell_ranges import describe_ranges
from filing.spreadsheets.matching import Matching, find_label
from filing.spreadsheets.options import ConversionOptions
from filing.spreadsheets.rules.values import RATES, date_parts

_FRACTIONS_BELOW = 1.0
# A rate spread below 1 is usual: as a fraction it is below this.
_SPREADS_BELOW = 0.1
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
    "percent": "Every number of {label} is small: are these fractions, or percent?",
}


@dataclass(frozen=True, slots=True)
class ColumnQuestion:
    """What is asked about a column.

    kind: of `ANSWERS`. cells: `row` and `value` of the cells that show it. default: what holds
    without an answer; a blank if the column cannot be read without one.
    """

    kind: str
    field: str
    cells: pl.DataFrame
    default: str
    answer: str

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
        return _TEXTS[self.kind].format(label=find_label(self.field))

    def as_json(self, matching: Matching) -> dict[str, Any]:
        """Return the question as a JSON object, with its cells: `L2:L13`."""
        column = matching.by_field[self.field]
        places = matching.table.rows.gather(self.cells["row"]).to_frame("row")
        ranges = describe_ranges(places.with_columns(source=pl.lit(0)), {0: column.letter})
        return {
            "column": column.letter,
            "header": column.header,
            "field": self.field,
            "kind": self.kind,
            "question": self.text,
            "count": self.cells.height,
            "cells": ranges[0],
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


def find_questions(matching: Matching, options: ConversionOptions) -> list[ColumnQuestion]:
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
        answer = options.answer(kind, name)
        is_spread = name == "rate_spread" and answer != "fraction"
        limit = _SPREADS_BELOW if is_spread else _FRACTIONS_BELOW
        if found := _dates(cells) if kind == "dates" else _fractions(cells, limit):
            questions.append(ColumnQuestion(kind, name, *found, answer=answer))
    return questions


def _dates(cells: pl.DataFrame) -> tuple[pl.DataFrame, str] | None:
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
    if has_days_last or not dates.select((pl.col("first") != pl.col("second")).any()).item():
        return None
    dates = dates.sort(pl.col("first") <= _MONTHS, maintain_order=True)  # what shows it, first
    return dates.select("row", "value"), "" if has_days_first else "mdy"


def _fractions(cells: pl.DataFrame, limit: float) -> tuple[pl.DataFrame, str] | None:
    """Return the numbers of a column that are all as small as fractions."""
    plain = pl.col("value").str.strip_chars(" '=\"%")
    numbers = cells.with_columns(size=plain.cast(pl.Float64, strict=False).abs())
    numbers = numbers.filter(pl.col("size").is_finite())
    is_small = (numbers["size"] < limit).all() and (numbers["size"] > 0).any()
    has_signs = numbers["value"].str.contains("%", literal=True).any()
    return (numbers.select("row", "value"), "") if is_small and not has_signs else None
