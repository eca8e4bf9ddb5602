"""Every finding of a conversion as one frame, in the order of the report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from filing.edits.edit import Edit, Kind, Level
from filing.lar.errors import misfit
from filing.lar.fields import (
    INTEGERS,
    LAR,
    LAR_BY_NAME,
    TRANSMITTAL_SHEET,
    TS_BY_NAME,
    WHOLE_ROW,
    Parse,
)
from filing.spreadsheets.checking import Checked, Records
from filing.spreadsheets.names import SHEET_PREFIX
from filing.spreadsheets.places import Places, number
from filing.spreadsheets.rules.steps import DoubtfulCells

KINDS = ("reading", "format", Kind.SYNTACTICAL.value, Kind.VALIDITY.value, Kind.QUALITY.value)
READING, FORMAT = KINDS[:2]
_KIND = {kind: at for at, kind in enumerate(KINDS)}
_SHEET_LINE = 1
_WHOLES = INTEGERS | {Parse.INTEGER_OR_NA, Parse.INTEGER_NA_OR_EXEMPT}
_WHOLE = r"^[+-]?[0-9]+$"
_DECIMAL = r"^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$"
SHAPE = {
    "line": pl.UInt32,
    "position": pl.UInt16,
    "number": pl.UInt16,
    "source": pl.UInt16,
    "value": pl.String,
}


@dataclass(frozen=True, slots=True)
class Source:
    """What a finding is about. field: `ts.` leads one of the transmittal sheet.

    code: of the edit, or the rule of a reading. also: the other fields of the edit.
    """

    kind: str
    code: str | None
    field: str
    message: str
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Findings:
    """The findings. frame: see `SHAPE`; `source` is the position in `sources`.

    line is 0 for a hint about a column. value is null where it is that of the record.
    """

    sources: Sequence[Source]
    frame: pl.DataFrame

    def counts(self) -> dict[str, int]:
        """Return the number of findings of each kind."""
        by_source = dict(self.frame.group_by("source").len().iter_rows())
        counts = dict.fromkeys(KINDS, 0)
        for at, total in by_source.items():
            counts[self.sources[at].kind] += total
        return counts

    def stopping(self) -> pl.DataFrame:
        """Return the findings for which the file is not written."""
        reading = [at for at, source in enumerate(self.sources) if source.kind == READING]
        return self.frame.filter(pl.col("source").is_in(reading) & (pl.col("line") > 0))


def collect(
    doubts: Sequence[DoubtfulCells], records: Records, checked: Checked, places: Places
) -> Findings:
    """Return all findings by line, column, kind and code."""
    listed = sorted(
        [
            *_of_doubts(doubts),
            *_of_misfits(records),
            *_of_formats(records, checked),
            *_of_edits(checked),
        ],
        key=lambda pair: (_KIND[pair[0].kind], pair[0].code or "", number(pair[0].field)),
    )
    frames = [pl.DataFrame(schema=SHAPE)]
    for at, (source, cells) in enumerate(listed):
        frames.append(
            cells.select(
                pl.col("line").cast(pl.UInt32),
                position=pl.lit(places.position(source.field), pl.UInt16),
                number=pl.lit(number(source.field), pl.UInt16),
                source=pl.lit(at, pl.UInt16),
                value=pl.col("value").cast(pl.String),
            )
        )
    frame = _once(pl.concat(frames), [source for source, _ in listed])
    frame = frame.sort("line", "position", "number", "source", maintain_order=True)
    return Findings([source for source, _ in listed], frame)


Pair = tuple[Source, pl.DataFrame]


def _once(frame: pl.DataFrame, sources: Sequence[Source]) -> pl.DataFrame:
    """Leave out format errors of cells that could not be understood in the first place."""
    reading = [at for at, source in enumerate(sources) if source.kind == READING]
    formats = [at for at, source in enumerate(sources) if source.kind == FORMAT]
    understood = pl.col("source").is_in(reading)
    cells = frame.filter(understood & (pl.col("line") > 0)).select("line", "number").unique()
    is_format = pl.col("source").is_in(formats)
    kept = frame.filter(is_format).join(cells, on=["line", "number"], how="anti")
    return pl.concat([frame.filter(~is_format), kept])


def _of_doubts(doubts: Sequence[DoubtfulCells]) -> Iterator[Pair]:
    for doubt in doubts:
        source = Source(READING, doubt.rule, doubt.field, doubt.message)
        is_sheet = doubt.field.startswith(SHEET_PREFIX)
        cells = doubt.cells
        if not cells.height:
            yield source, pl.DataFrame({"line": [0], "value": [""]})
        elif is_sheet:
            yield source, cells.select("value", line=pl.lit(_SHEET_LINE))
        else:
            yield source, cells.select("value", line=pl.col("row") + 2)


def _of_misfits(records: Records) -> Iterator[Pair]:
    groups = records.misfits.group_by(
        pl.col("row") == 0, "field_count", "too_long", maintain_order=True
    ).agg(rows="row")
    for is_sheet, count, is_too_long, rows in groups.iter_rows():
        fields = TRANSMITTAL_SHEET if is_sheet else LAR
        message = misfit(fields, count, too_long=is_too_long)
        lines = pl.DataFrame({"line": rows}).select(pl.col("line") + 1, value=pl.lit(message.value))
        yield Source(FORMAT, None, WHOLE_ROW, _accepts(message.field, message.accepts)), lines


def _of_formats(records: Records, checked: Checked) -> Iterator[Pair]:
    for prefix, fields, frame, unread in (
        ("", LAR_BY_NAME, records.loans, checked.unread),
        (SHEET_PREFIX, TS_BY_NAME, records.sheet, checked.sheet_unread),
    ):
        for name, rows in unread.items():
            field = fields[name]
            cells = rows.to_frame("row").join(
                frame.select("row", value=name), on="row", maintain_order="left"
            )
            form = _WHOLE if field.parse in _WHOLES else _DECIMAL
            is_beyond = pl.col("value").str.contains(form) & bool(field.limit)
            message = _accepts(field.error_label, field.accepts)
            for part, text in (
                (cells.filter(~is_beyond), message),
                (cells.filter(is_beyond), f"{message} {field.limit}"),
            ):
                if part.height:
                    lines = part.select("value", line=pl.col("row") + 1)
                    yield Source(FORMAT, None, f"{prefix}{name}", text), lines


def _accepts(name: str, accepts: str) -> str:
    return f"{name} accepts: {accepts}."


def _of_edits(checked: Checked) -> Iterator[Pair]:
    for at, outcome in enumerate(checked.report.outcomes):
        if not outcome.total:
            continue
        edit = outcome.edit
        rows = checked.failing(at)
        if edit.level is not Level.LAR and not len(rows):
            rows = np.zeros(1, np.uint32)
        first, *others = _fields(edit, is_sheet=bool((rows == 0).all()))
        source = Source(edit.kind.value, edit.code, first, edit.text, tuple(others))
        lines = pl.Series("line", rows.astype(np.uint32) + np.uint32(1))
        yield source, lines.to_frame().with_columns(value=pl.lit(None, pl.String))


def _fields(edit: Edit, *, is_sheet: bool) -> list[str]:
    """Return the fields of an edit by their names among all; those of its line come first."""
    if edit.level is Level.TS or (is_sheet and edit.level is Level.FILE):
        of_sheet = [f"{SHEET_PREFIX}{name}" for name in edit.fields if name in TS_BY_NAME]
        if of_sheet:
            return of_sheet
    return list(edit.fields)
