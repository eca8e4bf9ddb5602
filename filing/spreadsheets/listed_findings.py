"""Every change and finding of a conversion as a frame, with its place, in order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from filing.edits.edit import Edit, EditKind, EditLevel
from filing.lar.errors import describe_field_count
from filing.lar.fields import (
    INTEGERS,
    LAR,
    LAR_BY_NAME,
    SHEET_PREFIX,
    TRANSMITTAL_SHEET,
    TS_BY_NAME,
    WHOLE_NUMBERS,
    WHOLE_ROW,
    WHOLE_ROW_LABEL,
)
from filing.spreadsheets.cell_ranges import describe_ranges
from filing.spreadsheets.checking import CheckedRecords, MadeRecords
from filing.spreadsheets.field_lists import LOAN_ID
from filing.spreadsheets.matching import LONGEST_HEADER, Matching, find_label
from filing.spreadsheets.options import shorten_text
from filing.spreadsheets.rules.steps import ColumnChange, DoubtfulCells
from filing.spreadsheets.tables import SheetSource, column_letter

NO_COLUMN = 65_535
_LAST = 1_000

CHANGE_SHAPE = {
    "line": pl.UInt32,
    "position": pl.UInt16,
    "number": pl.UInt16,
    "source": pl.UInt16,
    "before": pl.String,
    "after": pl.String,
}
_SHEET_LINE = 1

FINDING_KINDS = (
    "reading",
    "format",
    EditKind.SYNTACTICAL.value,
    EditKind.VALIDITY.value,
    EditKind.QUALITY.value,
)
READING, FORMAT = FINDING_KINDS[:2]
_KIND = {kind: at for at, kind in enumerate(FINDING_KINDS)}
_WHOLE = r"^[+-]?[0-9]+$"
_DECIMAL = r"^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$"
FINDING_SHAPE = {
    "line": pl.UInt32,
    "position": pl.UInt16,
    "number": pl.UInt16,
    "source": pl.UInt16,
    "value": pl.String,
}


@dataclass(frozen=True, slots=True)
class CellPlaces:
    """The columns and rows of a spreadsheet, by field and line.

    sources: of the transmittal sheet, by field name.
    """

    matching: Matching
    sources: dict[str, SheetSource]

    def position(self, name: str) -> int:
        """Return the position of the column of a field, or `NO_COLUMN`."""
        if name.startswith(SHEET_PREFIX):
            source = self.sources.get(name.removeprefix(SHEET_PREFIX))
            at = source.column if source else None
            return NO_COLUMN if at is None else at
        column = self.matching.by_field.get(name)
        return column.position if column else NO_COLUMN

    def letter(self, name: str) -> str | None:
        """Return the letter of the column of a field, or None."""
        at = self.position(name)
        return None if at == NO_COLUMN else column_letter(at)

    def header(self, name: str) -> str | None:
        """Return the header of the column of a field, or None."""
        at = self.position(name)
        headers = self.matching.table.headers
        return shorten_text(headers[at], LONGEST_HEADER) if at < len(headers) else None

    def sheet_row(self, name: str) -> int | None:
        """Return the row of a value of the transmittal sheet, or None."""
        source = self.sources.get(name.removeprefix(SHEET_PREFIX))
        return source.row if source else None

    def rows(self, lines: pl.Series) -> pl.Series:
        """Return the row of the spreadsheet for each line of the file; null for line 1."""
        if self.matching.table.kind == "pipe":
            return lines
        numbers = self.matching.table.rows
        return numbers.gather(
            pl.DataFrame({"line": lines}).select(
                at=pl.when(pl.col("line") >= 2).then(pl.col("line").cast(pl.Int64) - 2)
            )["at"]
        )


def number_field(name: str) -> int:
    """Return the number of a field, for the order within a line."""
    if name.startswith(SHEET_PREFIX):
        return TS_BY_NAME[name.removeprefix(SHEET_PREFIX)].number
    return LAR_BY_NAME[name].number if name in LAR_BY_NAME else _LAST


def find_name_and_label(name: str) -> tuple[str, str]:
    """Return the name and the label of a field as reported."""
    if name == WHOLE_ROW:
        return WHOLE_ROW, WHOLE_ROW_LABEL
    if name == LOAN_ID:
        return name, find_label(name)
    return name.removeprefix(SHEET_PREFIX), find_label(name)


@dataclass(frozen=True, slots=True)
class ListedChanges:
    """The changes. frame: `CHANGE_SHAPE`; `source` is the position in `sources`: field and rule.

    line is 0 for a field without a column, which has one value in all records.
    """

    sources: Sequence[tuple[str, str]]
    frame: pl.DataFrame

    def counts(self) -> dict[str, int]:
        """Return the number of changes of each rule, in the order of the alphabet."""
        by_source = dict(self.frame.group_by("source").len().iter_rows())
        counts: dict[str, int] = {}
        for at, total in by_source.items():
            rule = self.sources[at][1]
            counts[rule] = counts.get(rule, 0) + total
        return dict(sorted(counts.items()))


def collect_changes(changes: Sequence[ColumnChange], places: CellPlaces) -> ListedChanges:
    """Return all changes by line and column; those of one cell in the order in which they were."""
    frames = [pl.DataFrame(schema=CHANGE_SHAPE)]
    sources = []
    for at, change in enumerate(changes):
        sources.append((change.field, change.rule))
        is_sheet = change.field.startswith(SHEET_PREFIX)
        line = pl.lit(_SHEET_LINE) if is_sheet else pl.col("row") + 2
        if change.is_column:
            line = pl.lit(0)
        frames.append(
            change.rows.select(
                line=line.cast(pl.UInt32),
                position=pl.lit(places.position(change.field), pl.UInt16),
                number=pl.lit(number_field(change.field), pl.UInt16),
                source=pl.lit(at, pl.UInt16),
                before="before",
                after="after",
            )
        )
    frame = pl.concat(frames).sort("line", "position", "number", "source", maintain_order=True)
    return ListedChanges(sources, frame)


@dataclass(frozen=True, slots=True)
class FindingSource:
    """What a finding is about. field: `ts.` leads one of the transmittal sheet.

    code: of the edit, or the rule of a reading. also: the other fields of the edit. is_question:
    whether its cells are one finding.
    """

    kind: str
    code: str | None
    field: str
    message: str
    also: tuple[str, ...] = ()
    is_question: bool = False


@dataclass(frozen=True, slots=True)
class ListedFindings:
    """The findings. frame: see `FINDING_SHAPE`; `source` is the position in `sources`.

    line is 0 for a hint about a column. value is null where it is that of the record. cells,
    totals: of each source, also those of a question: `C2:C13`, 12.
    """

    sources: Sequence[FindingSource]
    frame: pl.DataFrame
    cells: dict[int, str]
    totals: dict[int, int]

    def counts(self) -> dict[str, int]:
        """Return the number of findings of each kind."""
        by_source = dict(self.frame.group_by("source").len().iter_rows())
        counts = dict.fromkeys(FINDING_KINDS, 0)
        for at, total in by_source.items():
            counts[self.sources[at].kind] += total
        return counts

    def stopping(self) -> pl.DataFrame:
        """Return the findings for which the file is not written."""
        reading = [at for at, source in enumerate(self.sources) if source.kind == READING]
        return self.frame.filter(pl.col("source").is_in(reading) & (pl.col("line") > 0))


def collect_findings(
    doubts: Sequence[DoubtfulCells],
    records: MadeRecords,
    checked: CheckedRecords,
    places: CellPlaces,
) -> ListedFindings:
    """Return all findings by line, column, kind and code."""
    pairs = sorted(
        [
            *_of_doubts(doubts),
            *_of_misfits(records),
            *_of_formats(records, checked),
            *_of_edits(checked),
        ],
        key=lambda pair: (_KIND[pair[0].kind], pair[0].code or "", number_field(pair[0].field)),
    )
    frames = [pl.DataFrame(schema=FINDING_SHAPE)]
    for at, (source, cells) in enumerate(pairs):
        frames.append(
            cells.select(
                pl.col("line").cast(pl.UInt32),
                position=pl.lit(places.position(source.field), pl.UInt16),
                number=pl.lit(number_field(source.field), pl.UInt16),
                source=pl.lit(at, pl.UInt16),
                value=pl.col("value").cast(pl.String),
            )
        )
    sources = [source for source, _ in pairs]
    frame = _once(pl.concat(frames), sources)
    cells = frame.select("source", row=places.rows(frame["line"]))
    letters = {at: places.letter(source.field) or "" for at, source in enumerate(sources)}
    asked = [at for at, source in enumerate(sources) if source.is_question]
    listed = frame.filter(~pl.col("source").is_in(asked) | pl.col("source").is_first_distinct())
    return ListedFindings(
        sources,
        listed.sort("line", "position", "number", "source", maintain_order=True),
        describe_ranges(cells, letters),
        dict(frame.group_by("source").len().iter_rows()),
    )


Pair = tuple[FindingSource, pl.DataFrame]


def _once(frame: pl.DataFrame, sources: Sequence[FindingSource]) -> pl.DataFrame:
    """Leave out format errors of cells that could not be understood in the first place."""
    reading = [at for at, source in enumerate(sources) if source.kind == READING]
    formats = [at for at, source in enumerate(sources) if source.kind == FORMAT]
    is_reading = pl.col("source").is_in(reading)
    cells = frame.filter(is_reading & (pl.col("line") > 0)).select("line", "number").unique()
    is_format = pl.col("source").is_in(formats)
    others = frame.filter(is_format).join(cells, on=["line", "number"], how="anti")
    return pl.concat([frame.filter(~is_format), others])


def _of_doubts(doubts: Sequence[DoubtfulCells]) -> Iterator[Pair]:
    for doubt in doubts:
        source = FindingSource(
            READING, doubt.rule, doubt.field, doubt.message, is_question=doubt.is_question
        )
        is_sheet = doubt.field.startswith(SHEET_PREFIX)
        cells = doubt.cells
        if not cells.height:
            yield source, pl.DataFrame({"line": [0], "value": [""]})
        elif is_sheet:
            yield source, cells.select("value", line=pl.lit(_SHEET_LINE))
        else:
            yield source, cells.select("value", line=pl.col("row") + 2)


def _of_misfits(records: MadeRecords) -> Iterator[Pair]:
    groups = records.misfits.group_by(
        pl.col("row") == 0, "field_count", "too_long", maintain_order=True
    ).agg(rows="row")
    for is_sheet, count, is_too_long, rows in groups.iter_rows():
        fields = TRANSMITTAL_SHEET if is_sheet else LAR
        message = describe_field_count(fields, count, too_long=is_too_long)
        lines = pl.DataFrame({"line": rows}).select(pl.col("line") + 1, value=pl.lit(message.value))
        yield (
            FindingSource(FORMAT, None, WHOLE_ROW, _accepts(message.field, message.accepts)),
            lines,
        )


def _of_formats(records: MadeRecords, checked: CheckedRecords) -> Iterator[Pair]:
    for prefix, fields, frame, unread in (
        ("", LAR_BY_NAME, records.loans, checked.unread),
        (SHEET_PREFIX, TS_BY_NAME, records.sheet, checked.sheet_unread),
    ):
        for name, rows in unread.items():
            field = fields[name]
            cells = rows.to_frame("row").join(
                frame.select("row", value=name), on="row", maintain_order="left"
            )
            form = _WHOLE if field.parse in INTEGERS | WHOLE_NUMBERS else _DECIMAL
            is_beyond = pl.col("value").str.contains(form) & bool(field.limit)
            message = _accepts(field.error_label, field.accepts)
            for part, text in (
                (cells.filter(~is_beyond), message),
                (cells.filter(is_beyond), f"{message} {field.limit}"),
            ):
                if part.height:
                    lines = part.select("value", line=pl.col("row") + 1)
                    yield FindingSource(FORMAT, None, f"{prefix}{name}", text), lines


def _accepts(name: str, accepts: str) -> str:
    return f"{name} accepts: {accepts}."


def _of_edits(checked: CheckedRecords) -> Iterator[Pair]:
    for at, outcome in enumerate(checked.report.outcomes):
        if not outcome.total:
            continue
        edit = outcome.edit
        rows = checked.failing(at)
        if edit.level is not EditLevel.LAR and not len(rows):
            rows = np.zeros(1, np.uint32)
        first, *others = _fields(edit, is_sheet=bool((rows == 0).all()))
        source = FindingSource(edit.kind.value, edit.code, first, edit.text, tuple(others))
        lines = pl.Series("line", rows.astype(np.uint32) + np.uint32(1))
        yield source, lines.to_frame().with_columns(value=pl.lit(None, pl.String))


def _fields(edit: Edit, *, is_sheet: bool) -> list[str]:
    """Return the fields of an edit by their names among all; those of its line come first."""
    if edit.level is EditLevel.TS or (is_sheet and edit.level is EditLevel.FILE):
        of_sheet = [f"{SHEET_PREFIX}{name}" for name in edit.fields if name in TS_BY_NAME]
        if of_sheet:
            return of_sheet
    return list(edit.fields)
