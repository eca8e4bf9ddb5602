"""The rule of dates: written YYYYMMDD."""

from __future__ import annotations

import polars as pl

from filing.lar.formats import day_of_text
from filing.spreadsheets.rules.steps import VALUE, Doubt, Step, first_of

_MIDNIGHT = r"(?i)(?:T|\s+)(?:0{1,2}:00(?::00(?:\.0+)?)?(?:\s*am|z)?|12:00(?::00(?:\.0+)?)?\s*am)$"
_YEAR_FIRST = r"^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})$"
_YEAR_LAST = r"^(\d{1,2})[-/](\d{1,2})[-/](\d{4})$"
_MONTH_FIRST = r"^(?:[A-Za-z]+,\s*)?([A-Za-z]{3,9})\.?\s+(\d{1,2}),?\s+(\d{4})$"
_DAY_FIRST = r"^(?:[A-Za-z]+,\s*)?(\d{1,2})[-\s]+([A-Za-z]{3,9})\.?,?[-\s]+(\d{4})$"
_NAMES = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_MONTHS = {
    name: f"{number:02}"
    for number, whole in enumerate(_NAMES, start=1)
    for name in (whole, whole[:3])
} | {"sept": "09"}


def step(order: str) -> Step:
    """Return the rule. order: `mdy` or `dmy`, of dates that end in the year."""
    core = VALUE.str.replace(_MIDNIGHT, "")
    month, day = (1, 2) if order == "mdy" else (2, 1)
    forms = [
        _written(core, _YEAR_FIRST, 1, 2, 3),
        _written(core, _YEAR_LAST, 3, month, day),
        _written(core, _MONTH_FIRST, 3, 1, 2),
        _written(core, _DAY_FIRST, 3, 2, 1),
        core.str.extract(r"^(\d{8})(?:\.0+)?$"),
    ]
    text = first_of(forms)
    return Step("date", pl.when(day_of_text(text).is_not_null()).then(text))


def _written(text: pl.Expr, form: str, year: int, month: int, day: int) -> pl.Expr:
    months = text.str.extract(form, month)
    named = months.str.to_lowercase().replace_strict(_MONTHS, default=None, return_dtype=pl.String)
    number = pl.when(months.str.contains(r"^\d")).then(months.str.zfill(2)).otherwise(named)
    return pl.concat_str(
        text.str.extract(form, year), number, text.str.extract(form, day).str.zfill(2)
    )


def doubt(order: str) -> Doubt:
    """Return the doubt about a date without a single reading, or a day that does not exist."""
    shown = "7/21/2024" if order == "mdy" else "21/7/2024"
    return Doubt(
        "date",
        VALUE.str.contains(r"\d") & ~VALUE.str.contains(r"^[-+]?\d+(?:\.\d+)?$"),
        "The date does not exist or has more than one reading; enter it as YYYYMMDD, with four "
        f"digits for the year and without a time, or as {shown}.",
    )
