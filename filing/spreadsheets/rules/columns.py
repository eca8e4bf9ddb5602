"""The rules of each column, by its field."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from filing.lar.fields import DATES, DECIMALS, EXEMPT_CODE, WHOLE_NUMBERS, Field, Parse
from filing.spreadsheets.code_texts import list_code_words
from filing.spreadsheets.field_lists import is_of_loan
from filing.spreadsheets.options import DATES as ORDERS
from filing.spreadsheets.options import ConversionOptions
from filing.spreadsheets.rules import values
from filing.spreadsheets.rules.steps import ColumnRules, RuleDoubt, RuleStep

_WHOLE = {Parse.INTEGER} | WHOLE_NUMBERS
_LONG = "^[0-9]{16,}$"
_STATE, _ZIP = r"^(?:[A-Z]{2}|)$", r"^(?:[0-9]{5}(?:-[0-9]{4})?|NA|Exempt|)$"
# By the end of the name: what no rule concerns, and the rules.
_PLACES: dict[str, tuple[str, tuple[RuleStep, ...]]] = {
    "state": (_STATE, values.STATE),
    "zip_code": (_ZIP, values.ZIP),
    "county": (r"^(?:[0-9]{5}|NA|)$", values.COUNTY),
    "census_tract": (r"^(?:[0-9]{11}|NA|)$", values.TRACT),
}
_IDENTIFIERS: dict[str, tuple[RuleStep, ...]] = {
    "lei": (values.UPPER,),
    "uli": (),
    "nmlsr_id": (values.WITHOUT_POINT,),
    "tax_id": values.TAX_ID,
    "contact_phone": (values.PHONE,),
}
_SAFE = r"^[^\r\n|]*$"


def find_column_rules(
    field: Field, *, year: int, options: ConversionOptions, order: str = ""
) -> ColumnRules:
    """Return the rules of a column. order: of its dates, if it is not that of the options."""
    if not options.normalise:
        return _as_typed(field, options)
    order = order or options.answer("dates", field.name) or ORDERS[0]
    regular, words, steps, doubts = _rules_of_kind(field, year, order)
    fill = _fill_steps(field, options)
    takes_na = options.blank_as_na and is_of_loan(field)
    is_exempt = options.exempt and field.exempt is not None
    blank_na = values.blank_na_step(field) if takes_na and not is_exempt else []
    is_date = field.parse in DATES
    is_text = regular == values.REGULAR
    guard = values.TEXT_GUARD if is_text else values.GUARD
    return ColumnRules(
        regular,
        (guard, values.BLANKS, *fill, *values.word_steps(field), *steps, *blank_na),
        (
            values.PIPE,
            values.FORMULA,
            values.error_doubt(field),
            *([] if is_date else [values.DATE_CELL]),
            *doubts,
        ),
        words,
        is_blank_regular=not fill and not blank_na,
    )


def find_loan_id_rules() -> ColumnRules:
    """Return the rules of the column of loan identifiers."""
    return ColumnRules(
        r"^[0-9A-Za-z]*$",
        (values.GUARD, values.BLANKS, values.WITHOUT_POINT),
        (values.FORMULA, values.DATE_CELL, values.DIGITS_LOST, values.EXPONENT),
        _LONG,
    )


def _as_typed(field: Field, options: ConversionOptions) -> ColumnRules:
    """Return the rules of a column that stays as typed: a record must stay on its line."""
    fill = _fill_steps(field, options)
    doubts = (values.PIPE, values.LINE_BREAK, values.FORMULA, values.error_doubt(field))
    return ColumnRules(_SAFE, fill, doubts, is_blank_regular=not fill)


def _fill_steps(field: Field, options: ConversionOptions) -> tuple[RuleStep, ...]:
    text = options.fill.get(field.name) if is_of_loan(field) else None
    return () if text is None else (values.fill_step(text),)


@lru_cache(maxsize=2_000)
def _rules_of_kind(
    field: Field, year: int, order: str
) -> tuple[str, str, Sequence[RuleStep], Sequence[RuleDoubt]]:
    """Return what no rule concerns, words that one does, the rules and the doubts.

    order: that of the parts of a date, as in `ConversionOptions`.
    """
    code_words = list_code_words(field, year)
    if code_words and field.name != "record_id":
        return r"^[0-9]*$", "", values.code_steps(code_words), values.code_doubts(code_words)
    if field.parse in DATES:
        return r"^(?:[0-9]{8}|NA|)$", "", [values.date_step(order)], [values.date_doubt(order)]
    if field.parse in _WHOLE | DECIMALS:
        is_whole = field.parse in _WHOLE
        form = "-?[0-9]+" if is_whole else r"-?[0-9]+(?:\.[0-9]+)?"
        exempt = "" if field.exempt == EXEMPT_CODE else "Exempt|"
        is_rate = field.name in values.RATES
        return (
            rf"^(?:{form}|NA|{exempt})$",
            "",
            values.number_steps(is_whole=is_whole, is_rate=is_rate),
            [],
        )
    subject = field.name.removeprefix("contact_")
    if subject in _PLACES:
        regular, steps = _PLACES[subject]
        return regular, "", list(steps), [values.DIGITS_LOST, values.EXPONENT]
    if field.name in _IDENTIFIERS:
        doubts = [values.DIGITS_LOST, values.EXPONENT]
        words = rf"{values.WORDS}|{_LONG}"
        regular = r"^[0-9A-Z]*$" if field.name in ("lei", "uli") else "^$"
        return regular, words, list(_IDENTIFIERS[field.name]), doubts
    return values.REGULAR, rf"{values.WORDS}|{values.GUARDED_TEXT}", [], []
