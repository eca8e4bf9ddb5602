"""The report of a conversion as JSON, and its lists as CSV.

Messages on repeated records and on wrong ULIs say which records are the same, or with which check
digits the ULI is right.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from filing.edits import catalogue
from filing.edits.edit import RepeatCount
from filing.lar.fields import SHEET_PREFIX, WHOLE_ROW
from filing.lar.formulas import guard_column
from filing.spreadsheets.checking import MadeRecords
from filing.spreadsheets.listed_findings import (
    CellPlaces,
    ListedCells,
    ListSource,
    find_name_and_label,
)
from uliapi import checkdigit

MOST_GROUPS = 500
_MOST_CHARACTERS = 200
_CHUNK_ROWS = 20_000
# What is said of a source of changes or findings.
_SOURCE_SHAPE = {
    "source": pl.UInt16(),
    **dict.fromkeys(("kind", "code", "field", "label", "column", "header", "message"), pl.String()),
    "also": pl.List(pl.String),
    "key": pl.String(),
    "sheet_row": pl.UInt32(),
}
_COLUMNS_SHAPE = {
    "column": pl.String,
    "header": pl.String,
    "field": pl.String,
    "number": pl.Int64,
    "matched": pl.String,
    "examples": pl.String,
}

LISTED = 20  # places of one group that a message names
# The edits about records that are in the file more than once.
REPEATS = frozenset(
    edit.code
    for edit in catalogue.EDITS
    if any(isinstance(figure, RepeatCount) for figure in edit.figures.values())
)
_CHECK_DIGITS_EDIT = "V609"
_WITHOUT_DIGITS = pl.col("uli").str.head(-2).str.to_uppercase()

Rows = Callable[[pl.Series], pl.DataFrame]


@dataclass(frozen=True, slots=True)
class ReportGroup:
    """Changes by one rule, or findings of one kind in one field: how many, and the first as JSON.

    about: what a group of findings has in common, with its cells.
    """

    name: str
    total: int
    first: list[dict[str, Any]]
    about: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ConversionReport:
    """Lists of changes and findings with their cells."""

    places: CellPlaces
    records: MadeRecords
    changes: ListedCells
    findings: ListedCells

    def first_changes(self, most: int) -> list[dict[str, Any]]:
        """Return the first changes as JSON objects."""
        return self._changes(self.changes.frame.head(most)).to_dicts()

    def first_findings(self, most: int) -> list[dict[str, Any]]:
        """Return the first findings as JSON objects."""
        return self._findings(self.findings.frame.head(most)).to_dicts()

    def changes_by_rule(self, most: int) -> list[ReportGroup]:
        """Return how many changes each rule made, with the first ones of each."""
        rules = pl.Series("rule", [source.code for source in self.changes.sources], pl.String)
        frame = self.changes.frame.with_columns(rule=rules.gather(self.changes.frame["source"]))
        firsts: dict[str, list[dict[str, Any]]] = {}
        part = frame.group_by("rule", maintain_order=True).head(most)
        for change in self._changes(part.drop("rule")).to_dicts():
            firsts.setdefault(change["rule"], []).append(change)
        counts = self.changes.count_by("code")
        return [ReportGroup(rule, counts[rule], firsts[rule]) for rule in dict.fromkeys(rules)]

    def finding_groups(self, most: int) -> list[ReportGroup]:
        """Return the findings that say the same of one field, with the first ones of each."""
        part = self.findings.frame.group_by("source", maintain_order=True).head(most)
        firsts: dict[int, list[dict[str, Any]]] = {}
        for at, finding in zip(part["source"], self._findings(part).to_dicts(), strict=True):
            firsts.setdefault(at, []).append(finding)
        about = self._about(self.findings.sources).drop("source", "also", "key", "sheet_row")
        return [
            ReportGroup(
                one["code"] or "",
                self.findings.totals[at],
                firsts[at],
                {**one, "count": self.findings.totals[at], "cells": self.findings.cells.get(at)},
            )
            for at, one in enumerate(about.iter_rows(named=True))
            if at in firsts
        ][:MOST_GROUPS]

    def changes_csv(self) -> Iterator[bytes]:
        """Yield all changes as CSV."""
        yield from _csv(self._changes, self.changes.frame)

    def findings_csv(self) -> Iterator[bytes]:
        """Yield all findings as CSV; the letters of further columns are joined."""
        yield from _csv(self._findings, self.findings.frame)

    def columns_csv(self) -> bytes:
        """Return the columns of the spreadsheet with their fields as CSV."""
        rows = [
            {**column, "examples": "; ".join(column["examples"])}
            for column in self.places.matching.as_json()["columns"]
        ]
        return _guarded(pl.DataFrame(rows, schema=_COLUMNS_SHAPE)).write_csv().encode()

    def _changes(self, frame: pl.DataFrame) -> pl.DataFrame:
        return self._located(frame, self.changes.sources).select(
            "row", "line", "column", "field", pl.col("code").alias("rule"),
            _short("before"), _short("after"), *self._of_several,
        )  # fmt: skip

    def _findings(self, frame: pl.DataFrame) -> pl.DataFrame:
        located = self._with_values(self._located(frame, self.findings.sources))
        loans, rows = self.records.loans, self._write_rows
        located = add_right_check_digits(located, loans, rows)
        return add_repeating_rows(located, self.findings, loans, rows).select(
            *("row", "line", "column", "header", "field", "label", "kind", "code"),
            _short("value"),
            "message",
            _short("uli"),
            "also",
            *self._of_several,
        )

    @property
    def _of_several(self) -> Sequence[str]:
        """What changes and findings say more where several sheets are read."""
        return ("sheet",) if len(self.places.matching.table.read_sheets) > 1 else ()

    def _write_rows(self, lines: pl.Series) -> pl.DataFrame:
        """Return `place`, by which the rows of lines are sorted, and their `text`."""
        places = self.places.rows(lines)
        named = self.places.name_rows(places)
        number = pl.col("row").cast(pl.String)
        return named.select(
            text=pl.coalesce(pl.format("{}!{}", "sheet", number), number)
        ).with_columns(place=places)

    def _located(self, frame: pl.DataFrame, sources: Sequence[ListSource]) -> pl.DataFrame:
        """Return changes or findings with their places, and what their sources are about."""
        rows = self.places.name_rows(self.places.rows(frame["line"]))
        frame = pl.concat([frame, rows], how="horizontal")
        return frame.join(
            self._about(sources), on="source", how="left", maintain_order="left"
        ).with_columns(
            row=pl.coalesce("row", "sheet_row"),
            line=pl.when(pl.col("line") > 0).then(pl.col("line")),
        )

    def _about(self, sources: Sequence[ListSource]) -> pl.DataFrame:
        places = self.places
        rows = [
            (
                at,
                source.kind,
                source.code,
                *find_name_and_label(source.field),
                places.letter(source.field),
                places.header(source.field),
                source.message,
                self._letters(source.also),
                source.field,
                places.sheet_row(source.field),
            )
            for at, source in enumerate(sources)
        ]
        return pl.DataFrame(rows, schema=_SOURCE_SHAPE, orient="row")

    def _letters(self, names: tuple[str, ...]) -> list[str]:
        letters = (self.places.letter(name) for name in names)
        return [letter for letter in letters if letter is not None]

    def _with_values(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Add the ULI, and the value of the record where a finding has none of its own."""
        loans, line = self.records.loans, pl.col("line").cast(pl.UInt32)
        ulis = loans.select(line=pl.col("row") + 1, uli="uli")
        frame = frame.with_columns(line).join(ulis, on="line", how="left", maintain_order="left")
        frame = frame.with_row_index("order")
        parts = [frame.filter(pl.col("value").is_not_null())]
        blank = frame.filter(pl.col("value").is_null())
        for (name,), part in blank.group_by("key"):
            of_sheet = str(name).startswith(SHEET_PREFIX)
            records = self.records.sheet if of_sheet else loans
            field = str(name).removeprefix(SHEET_PREFIX)
            if field not in records.columns:
                parts.append(part.with_columns(value=pl.lit("")))
                continue
            values = records.select(line=pl.col("row") + 1, of_record=field)
            parts.append(
                part.join(values, on="line", how="left")
                .with_columns(value=pl.col("of_record").fill_null(""))
                .drop("of_record")
            )
        return pl.concat(parts).sort("order")


def _short(name: str) -> pl.Expr:
    """Return a value as shown, cut off if it is very long."""
    text = pl.col(name)
    return (
        pl.when(text.str.len_chars() > _MOST_CHARACTERS)
        .then(text.str.head(_MOST_CHARACTERS) + pl.lit("…"))
        .otherwise(text)
        .alias(name)
    )


def _csv(render: Callable[[pl.DataFrame], pl.DataFrame], frame: pl.DataFrame) -> Iterator[bytes]:
    yield (",".join(render(frame.head(0)).columns) + "\n").encode()
    for begin in range(0, frame.height, _CHUNK_ROWS):
        part = _guarded(render(frame[begin : begin + _CHUNK_ROWS]))
        yield part.write_csv(include_header=False).encode()


def _guarded(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a frame for CSV: lists joined, and no text that a spreadsheet would run."""
    return frame.with_columns(
        pl.col(name).list.join(" ") if isinstance(dtype, pl.List) else guard_column(name)
        for name, dtype in frame.schema.items()
        if isinstance(dtype, pl.List | pl.String)
    )


def add_right_check_digits(frame: pl.DataFrame, loans: pl.DataFrame, rows: Rows) -> pl.DataFrame:
    """Return findings whose messages on a wrong ULI tell with which check digits it is right.

    If other records have the same identifier, the message names their rows instead: with these
    check digits the records would have one ULI.

    rows: `place` and `text` of the row in the file that a person sees, for each line.
    """
    is_wrong = pl.col("code") == _CHECK_DIGITS_EDIT
    if not frame.select(is_wrong.any()).item():
        return frame
    with_rows = frame.join(
        _groups(loans, _WITHOUT_DIGITS, rows), on="line", how="left", maintain_order="left"
    ).with_columns(digits=checkdigit.generate_check_digits(frame["value"].str.head(-2)))
    digits = pl.format(" With the check digits {} it would be right.", "digits")
    share = pl.format(" Rows {} share this identifier; enter the ULI of each record.", "rows")
    advice = pl.coalesce(share, digits, pl.lit(""))
    return with_rows.with_columns(
        message=pl.when(is_wrong).then(pl.concat_str("message", advice)).otherwise("message")
    ).drop("rows", "digits")


def add_repeating_rows(
    frame: pl.DataFrame, findings: ListedCells, loans: pl.DataFrame, rows: Rows
) -> pl.DataFrame:
    """Return findings whose messages on a repeated record name the rows of all its group."""
    for at, source in enumerate(findings.sources):
        is_meant = pl.col("source") == at
        if source.code not in REPEATS or not frame.select(is_meant.any()).item():
            continue
        lines = findings.frame.filter(is_meant)["line"].unique()
        repeated = loans.filter((pl.col("row") + 1).is_in(lines.implode()))
        same = pl.concat_str(pl.exclude("row"), separator="|")
        key = same if source.field == WHOLE_ROW else pl.col(source.field).str.to_uppercase()
        with_rows = frame.join(
            _groups(repeated, key, rows), on="line", how="left", maintain_order="left"
        )
        group = pl.concat_str(
            "message", pl.format(" Rows {} are repeated.", "rows").fill_null(pl.lit(""))
        )
        frame = with_rows.with_columns(
            message=pl.when(is_meant).then(group).otherwise("message")
        ).drop("rows")
    return frame


def _groups(loans: pl.DataFrame, key: pl.Expr, rows: Rows) -> pl.DataFrame:
    """Return `line` of the loans that share a key, and in `rows` the first rows that share it."""
    lines = loans.select(line=(pl.col("row") + 1).cast(pl.UInt32), key=key)
    same = lines.filter((pl.col("key") != "") & pl.col("key").is_duplicated())
    same = pl.concat([same, rows(same["line"])], how="horizontal")
    groups = same.group_by("key").agg(
        first=pl.col("text").sort_by("place").head(LISTED).str.join(", "), size=pl.len()
    )
    more = pl.format("{} and {} more", "first", pl.col("size").cast(pl.Int64) - LISTED)
    several = pl.when(pl.col("size") > LISTED).then(more).otherwise("first")
    return same.join(groups.select("key", rows=several), on="key").select("line", "rows")
