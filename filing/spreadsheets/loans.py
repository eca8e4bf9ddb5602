"""The loans of a table as a frame of texts, by the rules of each column."""

from __future__ import annotations

from collections.abc import Container, Sequence

import polars as pl

from filing.lar.fields import LAR, Field
from filing.spreadsheets.exemption import fill_exempt_cells
from filing.spreadsheets.field_lists import LOAN_ID
from filing.spreadsheets.matching import MatchedColumn, Matching
from filing.spreadsheets.options import LOAN_ID_DIGITS, ConversionOptions
from filing.spreadsheets.questions import (
    ColumnQuestion,
    find_largest_fraction,
    select_unsigned_numbers,
)
from filing.spreadsheets.rules import columns
from filing.spreadsheets.rules.steps import RuleLog, TypedColumn, mark_concerned, run_rules
from filing.spreadsheets.rules.values import RATES, multiply_by_hundred
from filing.spreadsheets.sheet_rows import CellKind
from filing.spreadsheets.ulis import make_ulis
from filing.spreadsheets.unseen_parts import SheetQuestion

_RECORD_ID = "2"
LAST_FIELD = LAR[-1]
_BLANK_END = (
    "The last field of a record cannot be blank, because the line could not be read; enter a code."
)

_THOUSANDS_BELOW, _DOLLARS_ABOVE = 10_000, 10_000
_NO_LOAN_IDS = "No column is of loan IDs, so no identifiers were made of them; choose the column."
_NO_FRACTION = "The number is too large for a fraction; enter a percentage with a percent sign."
_NOT_ASKED = (
    "The numbers are not as small as fractions, so they are percent; answer for this field alone "
    "if they are fractions."
)
_THOUSANDS = "Every loan amount is below 10,000; enter dollars, not thousands of dollars."
_DOLLARS = "Half of the incomes are above 10,000; enter thousands of dollars, not dollars."


def build_loans(
    matching: Matching,
    questions: Sequence[ColumnQuestion | SheetQuestion],
    *,
    sheet_lei: str,
    year: int,
    options: ConversionOptions,
    log: RuleLog,
) -> pl.DataFrame:
    """Return a text column for each field. sheet_lei: the LEI if the table has no column of it."""
    open_questions = {question.field: question for question in questions if question.is_open}
    typed = _typed_columns(matching, open_questions, year, options)
    concerned = mark_concerned(typed)
    values: dict[str, pl.Series] = {}
    for field in LAR:
        name = field.name
        if name not in typed:
            values[name] = _absent_column(matching, field, year, options)
            continue
        column = typed[name]
        values[name] = run_rules(
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
    for question in open_questions.values():
        log.doubt(question.field, question.rule, question.text, question.cells, is_question=True)
    if options.normalise:
        _convert_units(values, questions, options, log)
    values["uli"] = make_ulis(values, _loan_ids(matching, options, log), options, log)
    if options.exempt:
        fill_exempt_cells(values, matching.by_field, log)
    frame = pl.DataFrame(values)
    blank = frame.with_row_index("row").filter(pl.col(LAST_FIELD.name) == "")
    cells = blank.select("row", value=LAST_FIELD.name)
    if not any(doubt.field == LAST_FIELD.name for doubt in log.doubts):
        log.doubt(LAST_FIELD.name, "blank-end", _BLANK_END, cells)
    return frame


def _typed_columns(
    matching: Matching, unread: Container[str], year: int, options: ConversionOptions
) -> dict[str, TypedColumn]:
    """Return the columns as typed. unread: fields whose dates have no order yet."""
    return {
        field.name: TypedColumn(
            *read_column_cells(matching, matching.by_field[field.name]),
            columns.find_column_rules(
                field, year=year, options=options, order="unknown" if field.name in unread else ""
            ),
        )
        for field in LAR
        if field.name in matching.by_field
    }


def _absent_column(
    matching: Matching, field: Field, year: int, options: ConversionOptions
) -> pl.Series:
    if field.name == "record_id":
        return _constant(_RECORD_ID, matching)
    rules = columns.find_column_rules(field, year=year, options=options)
    fill = options.fill.get(field.name)
    if fill is None:
        blank = options.blank_as_na and not rules.is_blank_regular
        return _constant("NA" if blank else "", matching)
    # The fill is a value as typed, so its rules run, and nothing of it is a change.
    one = pl.Series([fill])
    return _constant(run_rules(field.name, one, _kinds(one), rules, RuleLog())[0], matching)


def read_column_cells(matching: Matching, column: MatchedColumn) -> tuple[pl.Series, pl.Series]:
    """Return the texts of a column of the table and the kinds of its cells."""
    name, table = str(column.position), matching.table
    if name not in table.texts.columns:
        blank = _constant("", matching)
        return blank, _kinds(blank)
    return table.texts[name], table.kinds[name]


def _loan_ids(matching: Matching, options: ConversionOptions, log: RuleLog) -> pl.Series | None:
    column = matching.by_field.get(LOAN_ID)
    if column is None:
        if options.nuli or options.check_digit == LOAN_ID_DIGITS:
            log.hint("uli", "check-digit", _NO_LOAN_IDS)
        return None
    texts, kinds = read_column_cells(matching, column)
    return run_rules(LOAN_ID, texts, kinds, columns.find_loan_id_rules(), log)


def _constant(text: str, matching: Matching) -> pl.Series:
    return pl.Series([text]).new_from_index(0, len(matching.table.rows))


def _kinds(texts: pl.Series) -> pl.Series:
    return pl.Series([int(CellKind.TEXT)], dtype=pl.UInt8).new_from_index(0, len(texts))


def _convert_units(
    values: dict[str, pl.Series],
    questions: Sequence[ColumnQuestion | SheetQuestion],
    options: ConversionOptions,
    log: RuleLog,
) -> None:
    """Convert fractions, and give hints about amounts in another unit."""
    for question in questions:
        if question.answer != "fraction":
            continue
        name = question.field
        cells = _cells(values[name])
        cells = cells.filter(pl.col("row").is_in(question.cells["row"].implode()))
        is_fraction = pl.col("number").abs() <= find_largest_fraction(name)
        log.doubt(name, "percent", _NO_FRACTION, cells.filter(~is_fraction))
        converted = cells.filter(is_fraction).select(
            "row", before="value", after=multiply_by_hundred(pl.col("value"))
        )
        converted = converted.filter(pl.col("before") != pl.col("after"))
        log.change(name, "number", converted)
        values[name] = values[name].scatter(converted["row"], converted["after"])
    if options.percent == "fraction":
        about = {question.field for question in questions}
        for name in RATES:
            if name not in about and select_unsigned_numbers(values[name]).height:
                log.hint(name, "percent", _NOT_ASKED)
    _hint(values["loan_amount"], "loan_amount", _THOUSANDS, log)
    _hint(values["income"], "income", _DOLLARS, log)


def _hint(values: pl.Series, name: str, message: str, log: RuleLog) -> None:
    amounts = _cells(values)["number"]
    if amounts.is_empty():
        return
    if name == "loan_amount":
        is_suspected = bool((amounts < _THOUSANDS_BELOW).all())
    else:
        is_suspected = float(amounts.median()) > _DOLLARS_ABOVE  # type: ignore[arg-type]
    if is_suspected:
        log.hint(name, "unit", message)


def _cells(values: pl.Series) -> pl.DataFrame:
    frame = pl.DataFrame({"value": values}).with_row_index("row")
    frame = frame.with_columns(number=pl.col("value").cast(pl.Float64, strict=False))
    return frame.filter(pl.col("number").is_not_null() & pl.col("number").is_finite())
