"""ULIs from loan identifiers and check digits."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from filing.spreadsheets.aliases import LOAN_ID
from filing.spreadsheets.options import Options
from filing.spreadsheets.refusals import Refusal
from filing.spreadsheets.rules.steps import Log
from uliapi import checkdigit

_RULE = "check-digit"
_MOST_NAMED = 10
_LONGEST_LOAN_ID, _LONGEST_NULI = 23, 22
_BAD_LOAN_ID = f"A loan identifier has 1 to {_LONGEST_LOAN_ID} letters and digits."
_BAD_NULI = f"An identifier without check digits has 1 to {_LONGEST_NULI} letters and digits."
_NO_LEI = "The ULI needs an LEI of 20 letters and digits; enter it in the transmittal sheet."
_DIFFERENT = "The ULI is not that of the LEI and the loan identifier beside it; enter one of them."
_NOT_APPENDED = "Check digits are for 21 to 43 letters and digits, which begin with the LEI."
_AMBIGUOUS = (
    "options.checkDigit=append cannot tell what was meant: rows {rows} have valid check digits."
)
_ULI, _LOAN, _LEI = pl.col("uli"), pl.col("loan"), pl.col("lei")


def ulis(
    values: Mapping[str, pl.Series], loan_ids: pl.Series | None, options: Options, log: Log
) -> pl.Series:
    """Return the ULIs of the loans, as the options say.

    Raises: Refusal, naming the rows that already have check digits.
    """
    if options.check_digit == "append" and not options.nuli:
        return _appended(values["uli"], log)
    is_joined = options.check_digit == "loan-id" and not options.nuli
    if loan_ids is None or not (is_joined or options.nuli):
        return values["uli"]
    frame = pl.DataFrame({"uli": values["uli"], "lei": values["lei"], "loan": loan_ids})
    frame = frame.with_row_index("row").filter(_LOAN != "")
    return _joined(values["uli"], frame, log) if is_joined else _plain(values["uli"], frame, log)


def _appended(column: pl.Series, log: Log) -> pl.Series:
    frame = pl.DataFrame({"value": column}).with_row_index("row").filter(pl.col("value") != "")
    valid = frame.filter(checkdigit.valid(frame["value"]))
    if valid.height:
        raise AmbiguousRows(valid["row"].to_list())
    frame = frame.with_columns(digits=checkdigit.generate(frame["value"]))
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

    def refusal(self, numbers: pl.Series) -> Refusal:
        """Return the refusal. numbers: the number of each row in the spreadsheet."""
        listed = ", ".join(str(numbers[row]) for row in self.rows[:_MOST_NAMED])
        more = " and more" if len(self.rows) > _MOST_NAMED else ""
        return Refusal(422, _AMBIGUOUS.format(rows=f"{listed}{more}"))


def _joined(column: pl.Series, frame: pl.DataFrame, log: Log) -> pl.Series:
    """Return the ULIs, with that of LEI and loan identifier where there was none."""
    is_good = _LOAN.str.contains(rf"^[0-9A-Za-z]{{1,{_LONGEST_LOAN_ID}}}$")
    _doubt_loan_ids(frame.filter(~is_good), _BAD_LOAN_ID, log)
    frame = frame.filter(is_good).with_columns(body=pl.concat_str("lei", "loan"))
    has_lei = _LEI.str.contains("^[0-9A-Za-z]{20}$")
    log.doubt(
        "uli", _RULE, _NO_LEI, frame.filter((_ULI == "") & ~has_lei).select("row", value="uli")
    )
    frame = frame.filter(has_lei)
    frame = frame.with_columns(made=pl.col("body") + checkdigit.generate(frame["body"]))
    made = pl.col("made")
    different = (_ULI != "") & (_ULI.str.to_uppercase() != made.str.to_uppercase())
    log.doubt("uli", _RULE, _DIFFERENT, frame.filter(different).select("row", value="uli"))
    return _changed(
        column, frame.filter(_ULI == "").select("row", before="loan", after="made"), log
    )


def _plain(column: pl.Series, frame: pl.DataFrame, log: Log) -> pl.Series:
    """Return the ULIs, with the loan identifier as a NULI where there was none."""
    is_good = _LOAN.str.contains(rf"^[0-9A-Za-z]{{1,{_LONGEST_NULI}}}$")
    blank = frame.filter(_ULI == "")
    _doubt_loan_ids(blank.filter(~is_good), _BAD_NULI, log)
    taken = blank.filter(is_good)
    return column.scatter(taken["row"], taken["loan"])


def _doubt_loan_ids(frame: pl.DataFrame, message: str, log: Log) -> None:
    log.doubt(LOAN_ID, _RULE, message, frame.select("row", value="loan"))


def _changed(column: pl.Series, rows: pl.DataFrame, log: Log) -> pl.Series:
    log.change("uli", _RULE, rows)
    return column.scatter(rows["row"], rows["after"])
