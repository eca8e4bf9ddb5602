"""The loans of a table as a frame of texts, one column for each field of the file."""

from __future__ import annotations

import polars as pl

from filing.lar.fields import LAR, Field
from filing.spreadsheets import fractions, loan_ids
from filing.spreadsheets.aliases import LOAN_ID
from filing.spreadsheets.cells import Cell
from filing.spreadsheets.matching import Column, Matching
from filing.spreadsheets.options import Options
from filing.spreadsheets.rules import columns
from filing.spreadsheets.rules.steps import Log, TypedColumn, mark_concerned, run

_RECORD_ID = "2"
LAST_FIELD = LAR[-1]
_BLANK_END = (
    "The last field of a record cannot be blank, because the line could not be read; enter a code."
)


def loans(
    matching: Matching, *, sheet_lei: str, year: int, options: Options, log: Log
) -> pl.DataFrame:
    """Return a text column for each field. sheet_lei: the LEI where the table has no column of it.

    Raises: Refusal, when check digits cannot be added.
    """
    typed = _typed_columns(matching, year, options)
    concerned = mark_concerned(typed)
    values: dict[str, pl.Series] = {}
    for field in LAR:
        name = field.name
        if name not in typed:
            values[name] = _absent_column(matching, field, year, options)
            continue
        column = typed[name]
        values[name] = run(
            name,
            column.values,
            column.kinds,
            column.rules,
            log,
            beside=values["county"] if name == "census_tract" else None,
            concerned=concerned[name],
        )
    if "lei" not in matching.by_field and "lei" not in options.fill:
        values["lei"] = _constant(sheet_lei, matching)
    fractions.normalise(values, matching, options, log)
    values["uli"] = loan_ids.ulis(values, _loan_ids(matching, log), options, log)
    frame = pl.DataFrame(values)
    blank = frame.with_row_index("row").filter(pl.col(LAST_FIELD.name) == "")
    cells = blank.select("row", value=LAST_FIELD.name)
    if not any(doubt.field == LAST_FIELD.name for doubt in log.doubts):
        log.doubt(LAST_FIELD.name, "blank-end", _BLANK_END, cells)
    return frame


def _typed_columns(matching: Matching, year: int, options: Options) -> dict[str, TypedColumn]:
    return {
        field.name: TypedColumn(
            *cells(matching, matching.by_field[field.name]),
            columns.rules(field, year=year, options=options),
        )
        for field in LAR
        if field.name in matching.by_field
    }


def _absent_column(matching: Matching, field: Field, year: int, options: Options) -> pl.Series:
    if field.name == "record_id":
        return _constant(_RECORD_ID, matching)
    rules = columns.rules(field, year=year, options=options)
    fill = options.fill.get(field.name)
    if fill is None:
        blank = options.blank_as_na and not rules.is_blank_regular
        return _constant("NA" if blank else "", matching)
    # The fill is a value as typed, so its rules run, and nothing of it is a change.
    one = pl.Series([fill])
    return _constant(run(field.name, one, _kinds(one), rules, Log())[0], matching)


def cells(matching: Matching, column: Column) -> tuple[pl.Series, pl.Series]:
    """Return the texts of a column of the table and the kinds of its cells."""
    name, table = str(column.position), matching.table
    if name not in table.texts.columns:
        blank = _constant("", matching)
        return blank, _kinds(blank)
    return table.texts[name], table.kinds[name]


def _loan_ids(matching: Matching, log: Log) -> pl.Series | None:
    column = matching.by_field.get(LOAN_ID)
    if column is None:
        return None
    texts, kinds = cells(matching, column)
    return run(LOAN_ID, texts, kinds, columns.loan_id(), log)


def _constant(text: str, matching: Matching) -> pl.Series:
    return pl.Series([text]).new_from_index(0, len(matching.table.rows))


def _kinds(texts: pl.Series) -> pl.Series:
    return pl.Series([int(Cell.TEXT)], dtype=pl.UInt8).new_from_index(0, len(texts))
