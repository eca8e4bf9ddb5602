"""The rules of each column, by its field."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from filing.lar.fields import Field, Parse
from filing.spreadsheets.code_texts import EXEMPT_CODE, codes
from filing.spreadsheets.field_lists import is_of_loan
from filing.spreadsheets.options import Options
from filing.spreadsheets.rules import codes as code_rules
from filing.spreadsheets.rules import dates, identifiers, numbers, places, texts
from filing.spreadsheets.rules.steps import Doubt, Rules, Step

_WHOLE = {Parse.INTEGER, Parse.INTEGER_OR_NA, Parse.INTEGER_NA_OR_EXEMPT}
_DECIMAL = {Parse.DECIMAL, Parse.DECIMAL_NA_OR_EXEMPT, Parse.DECIMAL_NA_EXEMPT_OR_BLANK}
_DATES = {Parse.DATE, Parse.DATE_OR_NA}
_LONG = "^[0-9]{16,}$"
_STATE, _ZIP = r"^(?:[A-Z]{2}|)$", r"^(?:[0-9]{5}(?:-[0-9]{4})?|NA|Exempt|)$"
# By the end of the name: what no rule concerns, and the rules.
_PLACES: dict[str, tuple[str, tuple[Step, ...]]] = {
    "state": (_STATE, places.STATE),
    "zip_code": (_ZIP, places.ZIP),
    "county": (r"^(?:[0-9]{5}|NA|)$", places.COUNTY),
    "census_tract": (r"^(?:[0-9]{11}|NA|)$", places.TRACT),
}
_IDENTIFIERS: dict[str, tuple[Step, ...]] = {
    "lei": (places.UPPER,),
    "uli": (),
    "nmlsr_id": (identifiers.WITHOUT_POINT,),
    "tax_id": (identifiers.TAX_ID,),
    "contact_phone": (identifiers.PHONE,),
}
_SAFE = r"^[^\r\n|]*$"


def rules(field: Field, *, year: int, options: Options) -> Rules:
    """Return the rules of a column."""
    if not options.normalise:
        return _as_typed(field, options)
    regular, words, steps, doubts = _of(field, year, options.dates)
    own = options.fill.get(field.name) if is_of_loan(field) else None
    fill = [] if own is None else [texts.fill(own)]
    blank_na = texts.blank_na(field) if options.blank_as_na and is_of_loan(field) else []
    is_date = field.parse in _DATES
    return Rules(
        regular,
        (texts.BLANKS, *fill, *texts.words(field), *steps, *blank_na),
        (
            texts.PIPE,
            texts.FORMULA,
            texts.error(field),
            *([] if is_date else [texts.DATE_CELL]),
            *doubts,
        ),
        words,
        is_blank_regular=not fill and not blank_na,
    )


def loan_id() -> Rules:
    """Return the rules of the column of loan identifiers."""
    return Rules(
        r"^[0-9A-Za-z]*$",
        (texts.BLANKS, identifiers.WITHOUT_POINT),
        (texts.FORMULA, texts.DATE_CELL, texts.DIGITS_LOST, identifiers.EXPONENT),
        _LONG,
    )


def _as_typed(field: Field, options: Options) -> Rules:
    """Return the rules of a column that stays as typed: a record must stay on its line."""
    own = options.fill.get(field.name) if is_of_loan(field) else None
    fill = () if own is None else (texts.fill(own),)
    doubts = (texts.PIPE, texts.LINE_BREAK, texts.FORMULA, texts.error(field))
    return Rules(_SAFE, fill, doubts, is_blank_regular=not fill)


@lru_cache(maxsize=2_000)
def _of(field: Field, year: int, order: str) -> tuple[str, str, Sequence[Step], Sequence[Doubt]]:
    """Return what no rule concerns, words that one does, the rules and the doubts.

    order: that of the parts of a date, as in `Options`.
    """
    listed = codes(field, year)
    if listed and field.name != "record_id":
        return r"^[0-9]*$", "", code_rules.steps(listed), code_rules.doubts(listed)
    if field.parse in _DATES:
        return r"^(?:[0-9]{8}|NA|)$", "", [dates.step(order)], [dates.doubt(order)]
    if field.parse in _WHOLE | _DECIMAL:
        is_whole = field.parse in _WHOLE
        form = "-?[0-9]+" if is_whole else r"-?[0-9]+(?:\.[0-9]+)?"
        exempt = "" if field.exempt == EXEMPT_CODE else "Exempt|"
        is_rate = field.name in numbers.RATES
        return (
            rf"^(?:{form}|NA|{exempt})$",
            "",
            numbers.steps(is_whole=is_whole, is_rate=is_rate),
            [],
        )
    subject = field.name.removeprefix("contact_")
    if subject in _PLACES:
        regular, steps = _PLACES[subject]
        return regular, "", list(steps), [texts.DIGITS_LOST]
    if field.name in _IDENTIFIERS:
        own = [texts.DIGITS_LOST, identifiers.EXPONENT]
        words = rf"{texts.WORDS}|{_LONG}"
        regular = r"^[0-9A-Z]*$" if field.name in ("lei", "uli") else "^$"
        return regular, words, list(_IDENTIFIERS[field.name]), own
    return texts.REGULAR, texts.WORDS, [], []
