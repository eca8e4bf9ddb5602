"""Reports as tables of a page: parts of long ones, their rows as HTML, and a first picture.

A report by tract has up to half a million cells, so its rows are written as text, column by column,
and not by a template.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape

import polars as pl
from django.utils.safestring import SafeString, mark_safe

from databrowser.reports.definitions import (
    BY_ETHNICITY,
    BY_INCOME,
    BY_MEDIAN_AGE,
    BY_RACE,
    BY_TRACT,
    COLUMNS,
    INSTITUTIONS,
    PURCHASES,
    TOTAL,
    LoanColumn,
    ReportDefinition,
)
from databrowser.reports.tables import LETTERS, RACE
from filing.errors import NotFound

# From so many tracts on, a report is shown in parts of so many tracts, by its code.
# Source: the pages of the HMDA Platform.
CUT_FROM = 2_000
PART_TRACTS = {BY_TRACT.code: 1_000, PURCHASES.code: 5_000}
_FEW, _MANY = "1 to 4 units", "5 or more units"
_ORIGINATED, _DENIED = "originated", "denied"


@dataclass(frozen=True)
class ReportPart:
    """Some of the tracts of a report. first, last: the names of its tracts."""

    number: int
    first: str
    last: str


@dataclass(frozen=True)
class Bar:
    """A number of a picture, and the length of its bar in percent of the longest."""

    number: int
    length: float


@dataclass(frozen=True)
class BarRow:
    """A line of the picture: a bar for each heading."""

    label: str
    bars: list[Bar]


@dataclass(frozen=True)
class ReportPicture:
    """The first picture of a report: numbers of records as bars. about: what the rows are."""

    about: str
    headings: list[str]
    rows: list[BarRow]


@dataclass(frozen=True)
class ReportTable:
    """The table of a report on its page.

    table: its rows, in the columns of its CSV file. number: of its part, counted from 1.
    """

    definition: ReportDefinition
    table: pl.DataFrame
    number: int = 1

    def __post_init__(self) -> None:
        if not 1 <= self.number <= max(1, len(self.parts)):
            raise NotFound(f"This report has no part {self.number}.")

    @property
    def has_letters(self) -> bool:
        """Whether its columns are A to G, or else the outcomes of applications."""
        return self.definition in (BY_TRACT, PURCHASES, BY_MEDIAN_AGE)

    @property
    def is_list(self) -> bool:
        """Whether it is a list of institutions."""
        return self.definition is INSTITUTIONS

    @property
    def row_heading(self) -> str:
        """The heading of the first column."""
        return {
            BY_TRACT: "Tract and disposition",
            PURCHASES: "Tract",
            BY_RACE: "Race and sex",
            BY_ETHNICITY: "Ethnicity and sex",
            BY_INCOME: "Income and group",
            BY_MEDIAN_AGE: "Median age and disposition",
        }.get(self.definition, "Institution")

    @property
    def headings(self) -> list[str]:
        """The headings of the columns that are outcomes."""
        return [each.name for each in self.definition.dispositions]

    @property
    def institutions(self) -> list[str]:
        """The names of report i."""
        return self.table["institution"].to_list()

    @cached_property
    def parts(self) -> list[ReportPart]:
        """The parts of a long report by tract; none of all others."""
        size = PART_TRACTS.get(self.definition.code)
        if size is None or self.tracts < max(CUT_FROM, size + 1):
            return []
        tracts = self.table["tract"]
        lines = self._lines
        return [
            ReportPart(
                number, tracts[first * lines], tracts[min(first + size, self.tracts) * lines - 1]
            )
            for number, first in enumerate(range(0, self.tracts, size), 1)
        ]

    @property
    def tracts(self) -> int:
        """The number of its tracts."""
        return self.table.height // self._lines

    @property
    def _lines(self) -> int:
        """The rows of the table for each tract."""
        is_by_tract = self.definition is BY_TRACT
        return len(self.definition.dispositions) if is_by_tract else 1

    @property
    def body(self) -> SafeString:
        """The bodies of the table as HTML: one for each group of rows."""
        table = self.table
        if self.parts:
            size = PART_TRACTS[self.definition.code] * self._lines
            table = table.slice((self.number - 1) * size, size)
        definition = self.definition
        if definition is PURCHASES:
            return _write_rows(table, [], "tract", LETTERS)
        if definition is BY_TRACT:
            return _write_rows(table, ["tract"], "disposition", LETTERS)
        if definition is BY_MEDIAN_AGE:
            return _write_rows(table, ["median_age"], "disposition", LETTERS)
        outcomes = [each.key for each in definition.dispositions]
        if definition is BY_INCOME:
            return _write_rows(table, ["income", "characteristic"], "group", outcomes)
        return _write_rows(table, [table.columns[0]], "sex", outcomes)

    @cached_property
    def picture(self) -> ReportPicture | None:
        """The first picture; None of a list, and where there would be no bar."""
        picture = self._draw()
        return picture if picture and any(b.number for r in picture.rows for b in r.bars) else None

    def _draw(self) -> ReportPicture | None:
        definition, table = self.definition, self.table
        if definition is INSTITUTIONS:
            return None
        if definition is PURCHASES:
            sums = table.select(pl.col(f"{letter}_count").sum() for letter in LETTERS).row(0)
            return _make_picture("Purchased loans by type", ["Purchased"], _letter_rows([sums]))
        if definition is BY_TRACT:
            by_outcome = [
                table.filter(pl.col("disposition") == self._name(key))
                .select(pl.col(f"{letter}_count").sum() for letter in LETTERS)
                .row(0)
                for key in (_ORIGINATED, _DENIED)
            ]
            rows = _letter_rows(by_outcome)
        elif definition is BY_MEDIAN_AGE:
            of_all = pl.sum_horizontal(f"{letter}_count" for letter in LETTERS[:5])
            rows = list(
                table.group_by("median_age", maintain_order=True)
                .agg(
                    of_all.filter(pl.col("disposition") == self._name(key)).sum().alias(key)
                    for key in (_ORIGINATED, _DENIED)
                )
                .iter_rows()
            )
        else:
            is_income = definition is BY_INCOME
            chosen = pl.col("characteristic") == RACE if is_income else pl.col("sex") == TOTAL
            counts = [f"{_ORIGINATED}_count", f"{_DENIED}_count"]
            group = table.columns[0]
            rows = list(
                table.filter(chosen)
                .group_by(group, maintain_order=True)
                .agg(pl.col(counts).sum())
                .iter_rows()
            )
        return _make_picture("Originated and denied", ["Originated", "Denied"], rows)

    def _name(self, key: str) -> str:
        return next(each.name for each in self.definition.dispositions if each.key == key)


def describe_column(column: LoanColumn) -> str:
    """Return which records count in a column, by the codes of their fields."""
    fields = {
        "loan purpose": column.purposes,
        "loan type": column.types,
        "occupancy": column.occupancies,
        "construction method": column.methods,
    }
    codes = [
        f"{label} {', '.join(map(str, values[:-1]))}{' or ' if values[1:] else ''}{values[-1]}"
        for label, values in fields.items()
        if values
    ]
    return "; ".join([*codes, _FEW if column.few_units else _MANY])


def _letter_rows(numbers: Sequence[Sequence[int]]) -> list[tuple[str | int, ...]]:
    names = [column.name for column in COLUMNS]
    return list(zip(names, *numbers, strict=True))


def _make_picture(
    about: str, headings: list[str], rows: Sequence[Sequence[str | int]]
) -> ReportPicture:
    most = max((int(number) for row in rows for number in row[1:]), default=0) or 1
    return ReportPicture(
        about,
        headings,
        [BarRow(str(row[0]), [Bar(int(n), 100 * int(n) / most) for n in row[1:]]) for row in rows],
    )


def _write_rows(
    table: pl.DataFrame, groups: list[str], heading: str, columns: Sequence[str]
) -> SafeString:
    """Return rows as HTML. groups: the columns that head the rows of a group."""
    texts = _write_numbers(
        table, [f"{name}_{of}" for name in columns for of in ("count", "amount")]
    )
    names = [_write_names(table[name]).alias(name) for name in (*groups, heading)]
    cells = [
        pl.when(pl.col(f"{name}_count") == "0")
        .then(pl.lit("<td>0</td>"))
        .otherwise(pl.format("<td>{}<small>${}</small></td>", f"{name}_count", f"{name}_amount"))
        for name in columns
    ]
    row = pl.concat_str(pl.format('<tr><th scope="row">{}</th>', heading), *cells, pl.lit("</tr>"))
    written = texts.with_columns(names).select(*groups, row=row)
    if not groups:
        return _join(pl.concat([pl.Series(["<tbody>"]), written["row"], pl.Series(["</tbody>"])]))
    bodies = written.group_by(groups, maintain_order=True).agg(pl.col("row").str.join(""))
    head = pl.concat_str(groups, separator=": ")
    span = len(columns) + 1
    return _join(
        bodies.select(
            pl.format(
                f'<tbody><tr><th scope="rowgroup" colspan="{span}"><span>{{}}</span></th></tr>'
                "{}</tbody>",
                head,
                "row",
            )
        ).to_series()
    )


def _write_numbers(table: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
    """Return numbers as text with thousands separators."""
    numbers = pl.concat(table[name].cast(pl.Int64).alias("number") for name in names).unique()
    texts = pl.Series([f"{number:,}" for number in numbers])
    return table.select(
        pl.col(name).cast(pl.Int64).replace_strict(numbers, texts, return_dtype=pl.String)
        for name in names
    )


def _write_names(names: pl.Series) -> pl.Series:
    """Return names as HTML."""
    unique = names.unique()
    written = pl.Series([escape(name) for name in unique])
    return names.replace_strict(unique, written, return_dtype=pl.String)


def _join(pieces: pl.Series) -> SafeString:
    # All names were escaped by `_write_names`; all else are numbers and markup of ours.
    return mark_safe("".join(pieces))  # noqa: S308
