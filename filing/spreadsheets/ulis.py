"""ULIs of the loans: joined from their parts, or given check digits, where one reading is possible.

No ULI is made that another record has already.
"""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from filing.spreadsheets.field_lists import LOAN_ID
from filing.spreadsheets.options import LOAN_ID_DIGITS, ConversionOptions
from filing.spreadsheets.rules.steps import RuleLog
from uliapi import checkdigit

_RULE = "check-digit"
_LONGEST_LOAN_ID, _LONGEST_NULI = 23, 22
# One of 97 identifiers without check digits ends in valid ones. Where more than one of five does,
# the column has them.
_BY_CHANCE = 5
_BAD_LOAN_ID = f"A loan identifier has 1 to {_LONGEST_LOAN_ID} letters and digits."
_BAD_NULI = f"An identifier without check digits has 1 to {_LONGEST_NULI} letters and digits."
_NO_LEI = "The ULI needs an LEI of 20 letters and digits; enter it in the transmittal sheet."
_DIFFERENT = "The ULI is not that of the LEI and the loan identifier beside it; enter one of them."
_NOT_APPENDED = "Check digits are for 21 to 43 letters and digits, which begin with the LEI."
VALID_BY_CHANCE = (
    "This ULI ends in valid check digits already, unlike most of the column, so nothing was "
    "appended; choose whether it lacks check digits like the others, or has them."
)
_MOSTLY_VALID = (
    "Most ULIs of the column have valid check digits, so none were appended; correct those of "
    "this one."
)
_TAKEN = "With check digits this would be the ULI of another record; enter the ULI of each record."
_ULI, _LOAN, _LEI = pl.col("uli"), pl.col("loan"), pl.col("lei")


def make_ulis(
    values: Mapping[str, pl.Series],
    loan_ids: pl.Series | None,
    options: ConversionOptions,
    log: RuleLog,
) -> pl.Series:
    """Return the ULIs of the loans, as the options say."""
    column = values["uli"]
    if options.check_digit.startswith("append") and not options.nuli:
        return _appended(column, options.check_digit, log)
    is_joined = options.check_digit == LOAN_ID_DIGITS and not options.nuli
    # A lender with the partial exemption may report its own identifiers.
    takes_loan_ids = options.nuli or (options.exempt and not is_joined)
    if loan_ids is None or not (is_joined or takes_loan_ids):
        return column
    frame = pl.DataFrame({"uli": column, "lei": values["lei"], "loan": loan_ids})
    frame = frame.with_row_index("row").filter(_LOAN != "")
    return _joined(column, frame, log) if is_joined else _plain(column, frame, log)


def _appended(column: pl.Series, wish: str, log: RuleLog) -> pl.Series:
    frame = pl.DataFrame({"value": column}).with_row_index("row").filter(pl.col("value") != "")
    if wish != "append-all":
        is_valid = checkdigit.validate_ulis(frame["value"])
        valid = frame.filter(is_valid)
        frame = frame.filter(~is_valid)
        if wish == "append" and valid.height * _BY_CHANCE > valid.height + frame.height:
            log.doubt("uli", _RULE, _MOSTLY_VALID, frame)
            return column
        if wish == "append":
            log.doubt("uli", _RULE, VALID_BY_CHANCE, valid)
    frame = frame.with_columns(digits=checkdigit.generate_check_digits(frame["value"]))
    log.doubt("uli", _RULE, _NOT_APPENDED, frame.filter(pl.col("digits").is_null()))
    made = frame.drop_nulls().select("row", before="value", after=pl.concat_str("value", "digits"))
    return _changed(column, made, log)


def _joined(column: pl.Series, frame: pl.DataFrame, log: RuleLog) -> pl.Series:
    """Return the ULIs, with that of LEI and loan identifier where there was none."""
    is_good = _LOAN.str.contains(rf"^[0-9A-Za-z]{{1,{_LONGEST_LOAN_ID}}}$")
    _doubt_loan_ids(frame.filter(~is_good), _BAD_LOAN_ID, log)
    frame = frame.filter(is_good).with_columns(body=pl.concat_str("lei", "loan"), value=_ULI)
    has_lei = _LEI.str.contains("^[0-9A-Za-z]{20}$")
    log.doubt("uli", _RULE, _NO_LEI, frame.filter((_ULI == "") & ~has_lei))
    frame = frame.filter(has_lei)
    frame = frame.with_columns(
        full=pl.col("body") + checkdigit.generate_check_digits(frame["body"])
    )
    different = (_ULI != "") & (_ULI.str.to_uppercase() != pl.col("full").str.to_uppercase())
    log.doubt("uli", _RULE, _DIFFERENT, frame.filter(different))
    made = frame.filter(_ULI == "").select("row", before="loan", after="full")
    return _changed(column, made, log)


def _plain(column: pl.Series, frame: pl.DataFrame, log: RuleLog) -> pl.Series:
    """Return the ULIs, with the loan identifier as a NULI where there was none."""
    is_good = _LOAN.str.contains(rf"^[0-9A-Za-z]{{1,{_LONGEST_NULI}}}$")
    blank = frame.filter(_ULI == "")
    _doubt_loan_ids(blank.filter(~is_good), _BAD_NULI, log)
    nulis = blank.filter(is_good)
    return column.scatter(nulis["row"], nulis["loan"])


def _doubt_loan_ids(frame: pl.DataFrame, message: str, log: RuleLog) -> None:
    log.doubt(LOAN_ID, _RULE, message, frame.select("row", value="loan"))


def _changed(column: pl.Series, made: pl.DataFrame, log: RuleLog) -> pl.Series:
    """Return the column with the ULIs that were made. made: `row`, `before` and `after`.

    Those that would be the ULI of a record that was another before stay as they are.
    """
    before = pl.DataFrame({"uli": column}).with_row_index("row").filter(_ULI != "")
    all_after = pl.concat(
        [
            before.join(made, on="row", how="anti").select(before=_ULI, after=_ULI),
            made.select("before", "after"),
        ]
    ).select(pl.all().str.to_uppercase())
    taken = (
        all_after.group_by("after").agg(pl.col("before").n_unique()).filter(pl.col("before") > 1)
    )
    is_taken = pl.col("after").str.to_uppercase().is_in(taken["after"].implode())
    log.doubt("uli", _RULE, _TAKEN, made.filter(is_taken).select("row", value="before"))
    made = made.filter(~is_taken)
    log.change("uli", _RULE, made)
    return column.scatter(made["row"], made["after"])
