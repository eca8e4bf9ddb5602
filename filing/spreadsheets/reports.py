"""The report of a conversion as JSON, and its lists as CSV."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from filing.lar.formulas import guarded_column
from filing.spreadsheets import repeated_records
from filing.spreadsheets.changes import Changes
from filing.spreadsheets.checking import Records
from filing.spreadsheets.findings import FORMAT, KINDS, READING, Findings
from filing.spreadsheets.names import SHEET_PREFIX
from filing.spreadsheets.places import Places, name_and_label

WITHOUT_EDIT = (READING, FORMAT)
_MOST_CHARACTERS = 200
_CHUNK_ROWS = 20_000


@dataclass(frozen=True, slots=True)
class Group:
    """Changes by one rule, or findings of one edit: how many, and the first ones as JSON."""

    name: str
    total: int
    first: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Report:
    """Lists of changes and findings with their cells."""

    places: Places
    records: Records
    changes: Changes
    findings: Findings

    def first_changes(self, most: int) -> list[dict[str, Any]]:
        """Return the first changes as JSON objects."""
        return self._changes(self.changes.frame.head(most)).to_dicts()

    def first_findings(self, most: int) -> list[dict[str, Any]]:
        """Return the first findings as JSON objects."""
        return self._findings(self.findings.frame.head(most)).to_dicts()

    def changes_by_rule(self, most: int) -> list[Group]:
        """Return how many changes each rule made, with the first ones of each."""
        rules = list(dict.fromkeys(rule for _, rule in self.changes.sources))
        numbers = [rules.index(rule) for _, rule in self.changes.sources]
        parts = _parts(self.changes.frame, numbers, most)
        return [
            Group(rules[number], total, self._changes(part).to_dicts())
            for number, total, part in parts
        ]

    def findings_by_edit(self, most: int) -> list[tuple[str, Group]]:
        """Return how many findings each edit has, by kind, with the first ones of each.

        Those of no edit (kinds `reading` and `format`) are together, without a name.
        """
        named = [
            (source.kind, (source.code or "") if source.kind not in WITHOUT_EDIT else "")
            for source in self.findings.sources
        ]
        keys = sorted(set(named), key=lambda key: (KINDS.index(key[0]), key[1]))
        parts = _parts(self.findings.frame, [keys.index(key) for key in named], most)
        return [
            (keys[number][0], Group(keys[number][1], total, self._findings(part).to_dicts()))
            for number, total, part in parts
        ]

    def changes_csv(self) -> Iterator[bytes]:
        """Yield all changes as CSV."""
        yield from _csv(
            self._changes, self.changes.frame, self._changes(self.changes.frame.head(0))
        )

    def findings_csv(self) -> Iterator[bytes]:
        """Yield all findings as CSV; the letters of further columns are joined."""
        yield from _csv(
            self._findings, self.findings.frame, self._findings(self.findings.frame.head(0))
        )

    def columns_csv(self) -> bytes:
        """Return the columns of the spreadsheet with their fields as CSV."""
        rows = [
            {**column, "examples": "; ".join(column["examples"])}
            for column in self.places.matching.as_json()["columns"]
        ]
        shape = {
            "column": pl.String,
            "header": pl.String,
            "field": pl.String,
            "number": pl.Int64,
            "matched": pl.String,
            "examples": pl.String,
        }
        return _guarded(pl.DataFrame(rows, schema=shape)).write_csv().encode()

    def _changes(self, frame: pl.DataFrame) -> pl.DataFrame:
        fields = [name for name, _ in self.changes.sources]
        about = pl.DataFrame(
            {
                "source": range(len(fields)),
                "column": [self.places.letter(name) for name in fields],
                "field": [name_and_label(name)[0] for name in fields],
                "rule": [rule for _, rule in self.changes.sources],
                "sheet_row": [self._sheet_row(name) for name in fields],
            },
            schema={
                "source": pl.UInt16,
                "column": pl.String,
                "field": pl.String,
                "rule": pl.String,
                "sheet_row": pl.UInt32,
            },
        )
        return self._located(frame, about).select(
            "row", "line", "column", "field", "rule", _short("before"), _short("after")
        )

    def _findings(self, frame: pl.DataFrame) -> pl.DataFrame:
        sources = self.findings.sources
        names = [name_and_label(source.field) for source in sources]
        about = pl.DataFrame(
            {
                "source": range(len(sources)),
                "column": [self.places.letter(source.field) for source in sources],
                "header": [self.places.header(source.field) for source in sources],
                "field": [name for name, _ in names],
                "label": [label for _, label in names],
                "kind": [source.kind for source in sources],
                "code": [source.code for source in sources],
                "message": [source.message for source in sources],
                "also": [self._letters(source.also) for source in sources],
                "key": [source.field for source in sources],
                "sheet_row": [self._sheet_row(source.field) for source in sources],
            },
            schema={
                "source": pl.UInt16,
                "column": pl.String,
                "header": pl.String,
                "field": pl.String,
                "label": pl.String,
                "kind": pl.String,
                "code": pl.String,
                "message": pl.String,
                "also": pl.List(pl.String),
                "key": pl.String,
                "sheet_row": pl.UInt32,
            },
        )
        located = self._with_values(self._located(frame, about))
        loans, rows = self.records.loans, self.places.rows
        located = repeated_records.with_check_digits(located, loans, rows)
        return repeated_records.with_groups(located, self.findings, loans, rows).select(
            *("row", "line", "column", "header", "field", "label", "kind", "code"),
            _short("value"),
            "message",
            _short("uli"),
            "also",
        )

    def _located(self, frame: pl.DataFrame, about: pl.DataFrame) -> pl.DataFrame:
        rows = self.places.rows(frame["line"])
        joined = frame.with_columns(row=rows).join(
            about, on="source", how="left", maintain_order="left"
        )
        return joined.with_columns(
            row=pl.coalesce("row", "sheet_row"),
            line=pl.when(pl.col("line") > 0).then(pl.col("line")),
        )

    def _sheet_row(self, name: str) -> int | None:
        return self.places.sheet_row(name) if name.startswith(SHEET_PREFIX) else None

    def _letters(self, names: tuple[str, ...]) -> list[str]:
        letters = (self.places.letter(name) for name in names)
        return [letter for letter in letters if letter is not None]

    def _with_values(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Add the ULI, and the value of the record where a finding has none of its own."""
        loans, line = self.records.loans, pl.col("line").cast(pl.UInt32)
        ulis = loans.select(line=pl.col("row") + 1, uli="uli")
        frame = frame.with_columns(line).join(ulis, on="line", how="left", maintain_order="left")
        parts = [frame.filter(pl.col("value").is_not_null())]
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


def _parts(
    frame: pl.DataFrame, numbers: Sequence[int], most: int
) -> Iterator[tuple[int, int, pl.DataFrame]]:
    """Yield the groups of a list that have rows: number, total, and the first rows of each.

    numbers: of the group of each source.
    """
    groups = pl.DataFrame(
        {"source": range(len(numbers)), "group": numbers},
        schema={"source": pl.UInt16, "group": pl.UInt16},
    )
    grouped = frame.join(groups, on="source", how="left", maintain_order="left")
    totals = grouped.group_by("group").len().sort("group")
    for number, total in totals.iter_rows():
        yield number, total, grouped.filter(pl.col("group") == number).drop("group").head(most)


def _short(name: str) -> pl.Expr:
    """Return a value as shown, cut off if it is very long."""
    text = pl.col(name)
    return (
        pl.when(text.str.len_chars() > _MOST_CHARACTERS)
        .then(text.str.head(_MOST_CHARACTERS) + pl.lit("…"))
        .otherwise(text)
        .alias(name)
    )


def _csv(render: Any, frame: pl.DataFrame, header: pl.DataFrame) -> Iterator[bytes]:
    yield (",".join(header.columns) + "\n").encode()
    for begin in range(0, frame.height, _CHUNK_ROWS):
        part = _guarded(render(frame[begin : begin + _CHUNK_ROWS]))
        yield part.write_csv(include_header=False).encode()


def _guarded(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a frame for CSV: lists joined, and no text that a spreadsheet would run."""
    return frame.with_columns(
        pl.col(name).list.join(" ") if isinstance(dtype, pl.List) else guarded_column(name)
        for name, dtype in frame.schema.items()
        if isinstance(dtype, pl.List | pl.String)
    )
