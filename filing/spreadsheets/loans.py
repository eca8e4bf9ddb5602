"""The loans of a table as a frame of texts: fractions and ULIs become those of the file."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from filing.lar.fields import LAR, Field
from filing.lar.setting_words import say_setting
from filing.spreadsheets.accepted_files import SpreadsheetRefusal
from filing.spreadsheets.field_lists import LOAN_ID
from filing.spreadsheets.matching import MatchedColumn, Matching
from filing.spreadsheets.options import ConversionOptions
from filing.spreadsheets.rules import columns
from filing.spreadsheets.rules.steps import RuleLog, TypedColumn, mark_concerned, run_rules
from filing.spreadsheets.rules.values import RATES, multiply_by_hundred
from filing.spreadsheets.sheet_rows import CellKind
from uliapi import checkdigit

_RECORD_ID = "2"
LAST_FIELD = LAR[-1]
_BLANK_END = (
    "The last field of a record cannot be blank, because the line could not be read; enter a code."
)

_FRACTIONS_BELOW = 1.0
# A rate spread below 1 is usual: as a fraction it is below this.
_SPREADS_BELOW = 0.1
_THOUSANDS_BELOW, _DOLLARS_ABOVE = 10_000, 10_000
_FRACTION = (
    "Every number of the column is below {limit:g}, as a percentage that a spreadsheet keeps as a "
    "fraction; {settle}."
)
_THOUSANDS = "Every loan amount is below 10,000; enter dollars, not thousands of dollars."
_DOLLARS = "Half of the incomes are above 10,000; enter thousands of dollars, not dollars."

_RULE = "check-digit"
_MOST_NAMED = 10
_LONGEST_LOAN_ID, _LONGEST_NULI = 23, 22
_BAD_LOAN_ID = f"A loan identifier has 1 to {_LONGEST_LOAN_ID} letters and digits."
_BAD_NULI = f"An identifier without check digits has 1 to {_LONGEST_NULI} letters and digits."
_NO_LEI = "The ULI needs an LEI of 20 letters and digits; enter it in the transmittal sheet."
_DIFFERENT = "The ULI is not that of the LEI and the loan identifier beside it; enter one of them."
_NOT_APPENDED = "Check digits are for 21 to 43 letters and digits, which begin with the LEI."
_AMBIGUOUS = "{append} cannot tell what was meant: rows {rows} have valid check digits."
_ULI, _LOAN, _LEI = pl.col("uli"), pl.col("loan"), pl.col("lei")


def build_loans(
    matching: Matching, *, sheet_lei: str, year: int, options: ConversionOptions, log: RuleLog
) -> pl.DataFrame:
    """Return a text column for each field. sheet_lei: the LEI where the table has no column of it.

    Raises: SpreadsheetRefusal, when check digits cannot be added.
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
    normalize_fractions(values, matching, options, log)
    values["uli"] = make_ulis(values, _loan_ids(matching, log), options, log)
    frame = pl.DataFrame(values)
    blank = frame.with_row_index("row").filter(pl.col(LAST_FIELD.name) == "")
    cells = blank.select("row", value=LAST_FIELD.name)
    if not any(doubt.field == LAST_FIELD.name for doubt in log.doubts):
        log.doubt(LAST_FIELD.name, "blank-end", _BLANK_END, cells)
    return frame


def _typed_columns(
    matching: Matching, year: int, options: ConversionOptions
) -> dict[str, TypedColumn]:
    return {
        field.name: TypedColumn(
            *read_column_cells(matching, matching.by_field[field.name]),
            columns.find_column_rules(field, year=year, options=options),
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


def _loan_ids(matching: Matching, log: RuleLog) -> pl.Series | None:
    column = matching.by_field.get(LOAN_ID)
    if column is None:
        return None
    texts, kinds = read_column_cells(matching, column)
    return run_rules(LOAN_ID, texts, kinds, columns.find_loan_id_rules(), log)


def _constant(text: str, matching: Matching) -> pl.Series:
    return pl.Series([text]).new_from_index(0, len(matching.table.rows))


def _kinds(texts: pl.Series) -> pl.Series:
    return pl.Series([int(CellKind.TEXT)], dtype=pl.UInt8).new_from_index(0, len(texts))


def normalize_fractions(
    values: dict[str, pl.Series], matching: Matching, options: ConversionOptions, log: RuleLog
) -> None:
    """Convert or doubt columns of fractions, and give hints about amounts in another unit."""
    if not options.normalise:
        return
    for name in RATES:
        if name in matching.by_field and options.percent != "percent":
            _rate(name, values, options, log)
    _hint(values["loan_amount"], "loan_amount", _THOUSANDS, log)
    _hint(values["income"], "income", _DOLLARS, log)


def _rate(
    name: str, values: dict[str, pl.Series], options: ConversionOptions, log: RuleLog
) -> None:
    cells = _cells(values[name])
    is_declared = options.percent == "fraction"
    is_spread = name == "rate_spread" and not is_declared
    limit = _SPREADS_BELOW if is_spread else _FRACTIONS_BELOW
    size = cells["number"].abs()
    if not cells.height or not (size > 0).any() or not (size < limit).all():
        return
    if not is_declared:
        log.doubt(
            name, "percent", _FRACTION.format(limit=limit, settle=say_setting("percent")), cells
        )
        return
    converted = cells.select("row", before="value", after=multiply_by_hundred(pl.col("value")))
    converted = converted.filter(pl.col("before") != pl.col("after"))
    log.change(name, "number", converted)
    values[name] = values[name].scatter(converted["row"], converted["after"])


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


def make_ulis(
    values: Mapping[str, pl.Series],
    loan_ids: pl.Series | None,
    options: ConversionOptions,
    log: RuleLog,
) -> pl.Series:
    """Return the ULIs of the loans, as the options say.

    Raises: SpreadsheetRefusal, naming the rows that already have check digits.
    """
    if options.check_digit == "append" and not options.nuli:
        return _appended(values["uli"], log)
    is_joined = options.check_digit == "loan-id" and not options.nuli
    if loan_ids is None or not (is_joined or options.nuli):
        return values["uli"]
    frame = pl.DataFrame({"uli": values["uli"], "lei": values["lei"], "loan": loan_ids})
    frame = frame.with_row_index("row").filter(_LOAN != "")
    return _joined(values["uli"], frame, log) if is_joined else _plain(values["uli"], frame, log)


def _appended(column: pl.Series, log: RuleLog) -> pl.Series:
    frame = pl.DataFrame({"value": column}).with_row_index("row").filter(pl.col("value") != "")
    valid = frame.filter(checkdigit.validate_ulis(frame["value"]))
    if valid.height:
        raise AmbiguousRows(valid["row"].to_list())
    frame = frame.with_columns(digits=checkdigit.generate_check_digits(frame["value"]))
    log.doubt("uli", _RULE, _NOT_APPENDED, frame.filter(pl.col("digits").is_null()))
    return _changed(
        column,
        frame.drop_nulls().select("row", before="value", after=pl.concat_str("value", "digits")),
        log,
    )


class AmbiguousRows(Exception):
    """Rows whose ULIs already have check digits, so that none can be appended."""

    def __init__(self, rows: list[int]) -> None:
        super().__init__()
        self.rows = rows

    def refusal(self, numbers: pl.Series) -> SpreadsheetRefusal:
        """Return the refusal. numbers: the number of each row in the spreadsheet."""
        first_numbers = ", ".join(str(numbers[row]) for row in self.rows[:_MOST_NAMED])
        more = " and more" if len(self.rows) > _MOST_NAMED else ""
        rows = f"{first_numbers}{more}"
        return SpreadsheetRefusal(422, _AMBIGUOUS.format(append=say_setting("append"), rows=rows))


def _joined(column: pl.Series, frame: pl.DataFrame, log: RuleLog) -> pl.Series:
    """Return the ULIs, with that of LEI and loan identifier where there was none."""
    is_good = _LOAN.str.contains(rf"^[0-9A-Za-z]{{1,{_LONGEST_LOAN_ID}}}$")
    _doubt_loan_ids(frame.filter(~is_good), _BAD_LOAN_ID, log)
    frame = frame.filter(is_good).with_columns(body=pl.concat_str("lei", "loan"))
    has_lei = _LEI.str.contains("^[0-9A-Za-z]{20}$")
    log.doubt(
        "uli", _RULE, _NO_LEI, frame.filter((_ULI == "") & ~has_lei).select("row", value="uli")
    )
    frame = frame.filter(has_lei)
    frame = frame.with_columns(
        full=pl.col("body") + checkdigit.generate_check_digits(frame["body"])
    )
    different = (_ULI != "") & (_ULI.str.to_uppercase() != pl.col("full").str.to_uppercase())
    log.doubt("uli", _RULE, _DIFFERENT, frame.filter(different).select("row", value="uli"))
    return _changed(
        column, frame.filter(_ULI == "").select("row", before="loan", after="full"), log
    )


def _plain(column: pl.Series, frame: pl.DataFrame, log: RuleLog) -> pl.Series:
    """Return the ULIs, with the loan identifier as a NULI where there was none."""
    is_good = _LOAN.str.contains(rf"^[0-9A-Za-z]{{1,{_LONGEST_NULI}}}$")
    blank = frame.filter(_ULI == "")
    _doubt_loan_ids(blank.filter(~is_good), _BAD_NULI, log)
    nulis = blank.filter(is_good)
    return column.scatter(nulis["row"], nulis["loan"])


def _doubt_loan_ids(frame: pl.DataFrame, message: str, log: RuleLog) -> None:
    log.doubt(LOAN_ID, _RULE, message, frame.select("row", value="loan"))


def _changed(column: pl.Series, rows: pl.DataFrame, log: RuleLog) -> pl.Series:
    log.change("uli", _RULE, rows)
    return column.scatter(rows["row"], rows["after"])
