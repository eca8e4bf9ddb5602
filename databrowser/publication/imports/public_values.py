"""The values that the columns of public loan records may have, and how lost zeros are restored.

A spreadsheet takes codes for numbers: 01001 becomes 1001, and 1 becomes 1.0. Where only this has
happened, the value has one meaning and is made right. Any other value outside of the list refuses
the file.

Source: the published data dictionary of the public LAR; codes by year: the Filing Instructions
Guide.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import polars as pl

from databrowser.dimensions.catalogue import FILTERS, STATE
from databrowser.publication.columns import PUBLIC, DataColumn
from databrowser.publication.distinct_values import read_distinct_values
from databrowser.publication.record_files import sink_records
from databrowser.publication.records import derived, places
from filing.lar.fields import DECIMALS, LAR_BY_NAME, Field, Parse
from filing.spreadsheets.code_texts import list_codes

NA, EXEMPT = "NA", "Exempt"
_NO_CO_APPLICANT = "9999"
_WHOLE = "-?[0-9]+"
_DECIMAL = r"-?(?:[0-9]+\.?[0-9]*|\.[0-9]+)"
_ZERO_DECIMALS = r"^(-?[0-9]+)\.0*$"
_YES_NO = ("Yes", "No", NA)
_LIMITS = (places.CONFORMING, places.NOT_CONFORMING, places.UNDETERMINED, places.NO_LIMIT)
_BLANK_CODE = "0"  # a blank code, as some files write it
_NAMED_VALUES = 20
_WRONG_COLUMNS = 10


@dataclass(frozen=True, slots=True)
class AcceptedValues:
    """The values that a column accepts.

    words: each of them, in its only spelling. form: a regular expression for all others. digits: of
    a code with leading zeros. is_upper: whether letters are capitals. takes: for people.
    """

    words: tuple[str, ...] = ()
    form: str = ""
    digits: int = 0
    is_upper: bool = False
    takes: str = ""

    def restore(self, text: pl.Expr) -> pl.Expr:
        """Return each value in its only spelling; null for one that is not accepted."""
        plain = text.str.strip_chars()
        if self.is_upper:
            plain = plain.str.to_uppercase()
        whole = plain.str.replace(_ZERO_DECIMALS, "$1")
        if self.digits:
            has_lost_zero = whole.str.contains(f"^[0-9]{{{self.digits - 1}}}$")
            whole = pl.when(has_lost_zero).then(pl.lit("0") + whole).otherwise(whole)
        return pl.coalesce(*(known for value in (plain, whole) for known in self._known(value)))

    def _known(self, value: pl.Expr) -> list[pl.Expr]:
        by_fold = {word.lower(): word for word in self.words}
        word = value.str.to_lowercase().replace_strict(
            list(by_fold), list(by_fold.values()), default=None, return_dtype=pl.String
        )
        formed = pl.when(value.str.contains(f"^(?:{self.form})$")).then(value)
        return [word, formed] if self.form else [word]


@dataclass(frozen=True, slots=True)
class WrongValue:
    """The first value of a column that is not accepted. row: its record, counted from 0."""

    column: str
    row: int
    value: str
    takes: str


@dataclass
class ValueReport:
    """The result of a check. restored: the right value by the one in the file, by column."""

    restored: dict[str, dict[str, str]] = field(default_factory=dict)
    wrong: list[WrongValue] = field(default_factory=list)


def restore_values(file: Path, years: Collection[int]) -> ValueReport:
    """Restore lost zeros in a Parquet file of public loan records, and report wrong values.

    A file with wrong values stays as it is.

    Shape: the file has the columns of `SCHEMA`; years are those of its records.
    """
    records, report = pl.scan_parquet(file), ValueReport()
    for name, values in read_distinct_values([file]).items():
        _check_column(records, name, values, years, report)
    report.wrong = sorted(report.wrong, key=lambda wrong: wrong.row)[:_WRONG_COLUMNS]
    if report.restored and not report.wrong:
        target = file.with_suffix(".restored")
        right = (
            pl.col(name).replace(list(values), list(values.values()))
            for name, values in report.restored.items()
        )
        sink_records(records.with_columns(right), target)
        target.replace(file)
    return report


def _check_column(
    records: pl.LazyFrame,
    name: str,
    all_values: Collection[str],
    years: Collection[int],
    report: ValueReport,
) -> None:
    by_accepted: dict[AcceptedValues, list[int]] = {}
    for year in years:
        by_accepted.setdefault(accepted_values(name, year), []).append(year)
    for accepted, its_years in by_accepted.items():
        # Only the different values are looked at: a column has few of them.
        values = pl.Series("value", list(all_values), dtype=pl.String)
        if len(by_accepted) > 1:
            some = records.filter(pl.col("activity_year").is_in(its_years))
            values = some.select(value=pl.col(name).unique()).collect(engine="streaming")["value"]
        restored = values.to_frame().with_columns(right=accepted.restore(pl.col("value")))
        wrong = restored.filter(pl.col("right").is_null())["value"]
        if len(wrong):
            report.wrong.append(_first_wrong(records, name, its_years, wrong, accepted.takes))
        changed = restored.filter(pl.col("right") != pl.col("value"))
        if changed.height:
            report.restored.setdefault(name, {}).update(changed.sort("value").iter_rows())


def _first_wrong(
    records: pl.LazyFrame, name: str, years: Collection[int], wrong: pl.Series, takes: str
) -> WrongValue:
    is_wrong = pl.col(name).is_in(wrong.implode()) & pl.col("activity_year").is_in(list(years))
    first = records.select("activity_year", name).with_row_index("row").filter(is_wrong).head(1)
    row, _, value = first.collect().row(0)
    return WrongValue(name, row, value, takes)


@lru_cache(maxsize=4096)
def accepted_values(name: str, year: int) -> AcceptedValues:
    """Return what a column of a year accepts."""
    if name in _OWN:
        return _OWN[name]
    column = next(column for column in PUBLIC if column.name == name)
    if column.field is None:
        form = _DECIMAL if name in places.DECIMALS else _WHOLE
        return AcceptedValues((NA, ""), form, takes="a number, or NA")
    source = LAR_BY_NAME[column.field]
    return _codes(source, year) if source.codes else _numbers(column, source)


def _codes(source: Field, year: int) -> AcceptedValues:
    codes = [str(code) for code in list_codes(source, year)]
    if source.exempt is not None and str(source.exempt) not in codes:
        codes.append(str(source.exempt))
    if source.parse is Parse.CODE:
        return _words(*codes)
    return AcceptedValues((*codes, "", _BLANK_CODE), takes=f"{_listed(codes)}, or a blank")


def _numbers(column: DataColumn, source: Field) -> AcceptedValues:
    # Amounts are published as the middle of an interval, which is whole.
    is_decimal = source.parse in DECIMALS and column.value is None
    words: tuple[str, ...] = (NA, "")
    takes = "a number, or NA"
    if source.exempt is not None:
        words, takes = (NA, EXEMPT, ""), "a number, NA or Exempt"
    return AcceptedValues(words, _DECIMAL if is_decimal else _WHOLE, takes=takes)


def _words(*values: str) -> AcceptedValues:
    return AcceptedValues(values, takes=_listed([value for value in values if value]))


def _listed(values: list[str]) -> str:
    if len(values) > _NAMED_VALUES:
        return f"{', '.join(values[:_NAMED_VALUES])} and {len(values) - _NAMED_VALUES} more"
    return " or ".join(filter(None, (", ".join(values[:-1]), values[-1])))


def _digits(number: int, example: str, *further: str) -> AcceptedValues:
    takes = f"{number} digits, such as {example}, or NA"
    return AcceptedValues((NA, "", *further), f"[0-9]{{{number}}}", number, takes=takes)


def _derived_columns() -> dict[str, AcceptedValues]:
    """Return the columns whose values the data filters list."""
    made = {column.name for column in PUBLIC if column.field is None or column.value is not None}
    return {
        dimension.column: _words(*dimension.values)
        for dimension in FILTERS
        if dimension.column in made
    }


_DERIVED = _derived_columns()
_OWN = {
    **_DERIVED,
    "lei": AcceptedValues(
        form="[0-9A-Z]{20}", is_upper=True, takes="an LEI of 20 letters and digits"
    ),
    "derived_msa_md": _digits(5, "31080", "0"),
    "state_code": AcceptedValues((*STATE.values, NA, ""), takes="two letters, such as CA, or NA"),
    "county_code": _digits(5, "06037"),
    "census_tract": _digits(11, "06037101110"),
    "conforming_loan_limit": _words(*_LIMITS, ""),
    "derived_loan_product_type": _words(
        *_DERIVED["derived_loan_product_type"].words, derived.NOT_APPLICABLE
    ),
    "derived_dwelling_category": _words(
        *_DERIVED["derived_dwelling_category"].words, derived.NOT_APPLICABLE
    ),
    "debt_to_income_ratio": _words(*derived.RATIO_VALUES, NA, EXEMPT, ""),
    "co_applicant_age": _words(*_DERIVED["applicant_age"].words, _NO_CO_APPLICANT),
    "applicant_age_above_62": _words(*_YES_NO, ""),
    "co_applicant_age_above_62": _words(*_YES_NO, ""),
}
