"""Every change and finding of a conversion as a frame, with its place, in order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from filing.edits.edit import Edit, EditKind, EditLevel
from filing.lar.errors import describe_field_count
from filing.lar.fields import (
    DECIMALS,
    LAR,
    LAR_BY_NAME,
    SHEET_PREFIX,
    TRANSMITTAL_SHEET,
    TS_BY_NAME,
    WHOLE_ROW,
    WHOLE_ROW_LABEL,
)
from filing.lar.formats import NUMBER, WHOLE
from filing.spreadsheets.cell_ranges import describe_ranges
from filing.spreadsheets.checking import CheckedRecords, MadeRecords
from filing.spreadsheets.field_lists import LOAN_ID
from filing.spreadsheets.matching import LONGEST_HEADER, Matching, find_label
from filing.spreadsheets.options import shorten_text
from filing.spreadsheets.rules.steps import ColumnChange, DoubtfulCells
from filing.spreadsheets.tables import SheetSource, column_letter, row_number

NO_COLUMN = 65_535
_LAST = 1_000
_SHEET_LINE = 1

FINDING_KINDS = (
    "reading",
    "format",
    EditKind.SYNTACTICAL.value,
    EditKind.VALIDITY.value,
    EditKind.QUALITY.value,
)
READING, FORMAT = FINDING_KINDS[:2]
_PLACE_SHAPE = {"line": pl.UInt32, "position": pl.UInt16, "number": pl.UInt16, "source": pl.UInt16}


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
        """Return the row of a value of the transmittal sheet; None for other fields."""
        is_sheet = name.startswith(SHEET_PREFIX)
        source = self.sources.get(name.removeprefix(SHEET_PREFIX)) if is_sheet else None
        return source.row if source else None

    def rows(self, lines: pl.Series) -> pl.Series:
        """Return where the row of each line of the file is in the table; null for line 1."""
        if self.matching.table.kind == "pipe":
            return lines
        numbers = self.matching.table.rows
        return numbers.gather(
            pl.DataFrame({"line": lines}).select(
                at=pl.when(pl.col("line") >= 2).then(pl.col("line").cast(pl.Int64) - 2)
            )["at"]
        )

    def name_rows(self, rows: pl.Series) -> pl.DataFrame:
        """Return `sheet` and `row` of rows of the table; the sheet is null where one was read."""
        name_sheet = self.matching.table.name_sheet
        places = [
            (None, None) if row is None else (name_sheet(row), row_number(row)) for row in rows
        ]
        return pl.DataFrame(places, schema={"sheet": pl.String, "row": pl.UInt32}, orient="row")


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
class ListSource:
    """What changes or findings are about. field: `ts.` leads one of the transmittal sheet.

    code: the rule of a change or a reading, or the edit. kind: blank for changes. also: the other
    fields of the edit. is_question: whether its cells are one finding.
    """

    field: str
    code: str | None
    kind: str = ""
    message: str = ""
    also: tuple[str, ...] = ()
    is_question: bool = False


@dataclass(frozen=True, slots=True)
class ListedCells:
    """All changes, or all findings, by line and column; those of one cell in the order of sources.

    frame: `line`, `source` (the position in `sources`), and the texts: `before` and `after` of a
    change, `value` of a finding, which is null where it is that of the record. line is 0 for what
    is about a column: a hint, or one value in all records. cells, totals: of each source of
    findings, also those of a question: `C2:C13`, 12.
    """

    sources: Sequence[ListSource]
    frame: pl.DataFrame
    cells: dict[int, str] = field(default_factory=dict)
    totals: dict[int, int] = field(default_factory=dict)

    def count_by(self, name: str) -> Counter[str]:
        """Return how many there are. name: that of the attribute of sources that they have."""
        counts: Counter[str] = Counter()
        for at, total in self.frame.group_by("source").len().iter_rows():
            counts[getattr(self.sources[at], name)] += total
        return counts

    def stopping(self) -> pl.DataFrame:
        """Return the findings for which the file is not written."""
        return self.frame.filter(_is_of(READING, self.sources) & (pl.col("line") > 0))


Pair = tuple[ListSource, pl.DataFrame]


def collect_changes(changes: Sequence[ColumnChange], places: CellPlaces) -> ListedCells:
    """Return all changes."""
    pairs = [
        (
            ListSource(change.field, change.rule),
            change.rows.with_columns(
                line=pl.lit(0) if change.is_column else _line_of(change.field)
            ),
        )
        for change in changes
    ]
    return ListedCells(
        [source for source, _ in pairs], _sort(_join(pairs, places, "before", "after"))
    )


def collect_findings(
    doubts: Sequence[DoubtfulCells],
    records: MadeRecords,
    checked: CheckedRecords,
    places: CellPlaces,
) -> ListedCells:
    """Return all findings, those of one cell by kind and code."""
    pairs = sorted(
        [
            *_of_doubts(doubts),
            *_of_misfits(records),
            *_of_formats(records, checked),
            *_of_edits(checked),
        ],
        key=lambda pair: (
            FINDING_KINDS.index(pair[0].kind),
            pair[0].code or "",
            number_field(pair[0].field),
        ),
    )
    sources = [source for source, _ in pairs]
    frame = _leave_out_unread(_join(pairs, places, "value"), sources)
    cells = frame.select("source", row=places.rows(frame["line"]))
    letters = {at: places.letter(source.field) or "" for at, source in enumerate(sources)}
    questions = [at for at, source in enumerate(sources) if source.is_question]
    listed = frame.filter(~pl.col("source").is_in(questions) | pl.col("source").is_first_distinct())
    return ListedCells(
        sources,
        _sort(listed),
        describe_ranges(cells, letters, places.matching.table),
        dict(frame.group_by("source").len().iter_rows()),
    )


def _join(pairs: Sequence[Pair], places: CellPlaces, *texts: str) -> pl.DataFrame:
    """Return the cells of all sources as one frame."""
    shape = pl.Schema({**_PLACE_SHAPE, **dict.fromkeys(texts, pl.String)})
    frames = [pl.DataFrame(schema=shape)]
    for at, (source, cells) in enumerate(pairs):
        position, number = places.position(source.field), number_field(source.field)
        placed = cells.with_columns(
            position=pl.lit(position), number=pl.lit(number), source=pl.lit(at)
        )
        frames.append(placed.select(pl.col(name).cast(kind) for name, kind in shape.items()))
    return pl.concat(frames)


def _sort(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.sort("line", "position", "number", "source", maintain_order=True)


def _line_of(name: str) -> pl.Expr:
    return pl.lit(_SHEET_LINE) if name.startswith(SHEET_PREFIX) else pl.col("row") + 2


def _is_of(kind: str, sources: Sequence[ListSource]) -> pl.Expr:
    return pl.col("source").is_in([at for at, source in enumerate(sources) if source.kind == kind])


def _leave_out_unread(frame: pl.DataFrame, sources: Sequence[ListSource]) -> pl.DataFrame:
    """Leave out format errors of cells that could not be understood in the first place."""
    is_format = _is_of(FORMAT, sources)
    cells = frame.filter(_is_of(READING, sources) & (pl.col("line") > 0)).select("line", "number")
    others = frame.filter(is_format).join(cells, on=["line", "number"], how="anti")
    return pl.concat([frame.filter(~is_format), others])


def _of_doubts(doubts: Sequence[DoubtfulCells]) -> Iterator[Pair]:
    for doubt in doubts:
        source = ListSource(
            doubt.field, doubt.rule, READING, doubt.message, is_question=doubt.is_question
        )
        if doubt.cells.height:
            yield source, doubt.cells.with_columns(line=_line_of(doubt.field))
        else:
            yield source, pl.DataFrame({"line": [0], "value": [""]})


def _of_misfits(records: MadeRecords) -> Iterator[Pair]:
    groups = records.misfits.group_by(
        pl.col("row") == 0, "field_count", "too_long", maintain_order=True
    ).agg(rows="row")
    for is_sheet, count, is_too_long, rows in groups.iter_rows():
        fields = TRANSMITTAL_SHEET if is_sheet else LAR
        message = describe_field_count(fields, count, too_long=is_too_long)
        lines = pl.DataFrame({"line": rows}).select(pl.col("line") + 1, value=pl.lit(message.value))
        text = _accepts(message.field, message.accepts)
        yield ListSource(WHOLE_ROW, None, FORMAT, text), lines


def _of_formats(records: MadeRecords, checked: CheckedRecords) -> Iterator[Pair]:
    for prefix, fields, frame, unread in (
        ("", LAR_BY_NAME, records.loans, checked.unread),
        (SHEET_PREFIX, TS_BY_NAME, records.sheet, checked.sheet_unread),
    ):
        for name, rows in unread.items():
            one = fields[name]
            cells = rows.to_frame("row").join(
                frame.select("row", value=name), on="row", maintain_order="left"
            )
            shape = NUMBER if one.parse in DECIMALS else WHOLE
            is_beyond = pl.col("value").str.contains(f"^{shape}$") & bool(one.limit)
            message = _accepts(one.error_label, one.accepts)
            for part, text in (
                (cells.filter(~is_beyond), message),
                (cells.filter(is_beyond), f"{message} {one.limit}"),
            ):
                if part.height:
                    lines = part.select("value", line=pl.col("row") + 1)
                    yield ListSource(f"{prefix}{name}", None, FORMAT, text), lines


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
        source = ListSource(first, edit.code, edit.kind.value, edit.text, tuple(others))
        lines = pl.Series("line", rows.astype(np.uint32) + np.uint32(1))
        yield source, lines.to_frame().with_columns(value=pl.lit(None, pl.String))


def _fields(edit: Edit, *, is_sheet: bool) -> list[str]:
    """Return the fields of an edit by their names among all; those of its line come first."""
    if edit.level is EditLevel.TS or (is_sheet and edit.level is EditLevel.FILE):
        of_sheet = [f"{SHEET_PREFIX}{name}" for name in edit.fields if name in TS_BY_NAME]
        if of_sheet:
            return of_sheet
    return list(edit.fields)
