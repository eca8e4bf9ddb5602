"""The filing period of a conversion: that of the query, or of the transmittal sheet."""

from __future__ import annotations

from collections.abc import Mapping

from filing.lar.period import Period
from filing.lar.years import supported_periods
from filing.spreadsheets.field_lists import require_year
from filing.spreadsheets.refusals import Refusal

QUARTERS = {"Q1": "1", "Q2": "2", "Q3": "3"}


def period(year: int | None, quarter: str, sheet: Mapping[str, str]) -> Period:
    """Return the period. sheet: the values of the transmittal sheet by field name, as typed.

    Raises: Refusal, for a year without edits, and where query and transmittal sheet differ.
    """
    if quarter and quarter not in QUARTERS:
        raise Refusal(400, f"There is no quarter {quarter[:20]}: quarters are Q1, Q2 and Q3.")
    sheet_year = _whole(sheet.get("calendar_year", ""))
    sheet_quarter = _whole(sheet.get("calendar_quarter", ""))
    if year is None:
        if not sheet_year:
            raise Refusal(400, "There is no year: give it with the query or the transmittal sheet.")
        year = int(sheet_year[:9])
    elif sheet_year and sheet_year != str(year):
        raise Refusal(
            400,
            f"The query is for {year}, the transmittal sheet for {sheet_year}: they must agree.",
        )
    require_year(year)
    if quarter and sheet_quarter and QUARTERS[quarter] != sheet_quarter:
        raise Refusal(
            400,
            f"The query is for {quarter}, the transmittal sheet for calendar quarter "
            f"{sheet_quarter}: they must agree.",
        )
    number = QUARTERS.get(quarter) or sheet_quarter
    if number not in QUARTERS.values():
        return Period(year)
    quarterly = Period(year, int(number))
    if quarterly not in supported_periods():
        if quarter:
            raise Refusal(400, f"There are no edits for {quarterly}.")
        return Period(year)
    return quarterly


def _whole(text: str) -> str:
    """Return a whole number without a point and what leads it; a blank for anything else."""
    plain = text.strip().removesuffix(".0")
    return plain if plain.isascii() and plain.isdecimal() else ""
