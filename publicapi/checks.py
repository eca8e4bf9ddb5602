"""What the public checks look at: the edits of a period, or of it those of one kind."""

from __future__ import annotations

from filing.edits import catalogue
from filing.edits.edit import Edit, Kind, Level, Need
from filing.errors import BadInput
from filing.lar.period import Period, known_periods

# What knows neither the institution nor a whole file can look at.
_LOOKED_AT = (Level.TS, Level.LAR)
_NOT_AT_HAND = frozenset({Need.INSTITUTION, Need.OTHER_ROWS})
CHECKS = ("all", Kind.SYNTACTICAL.value, Kind.VALIDITY.value, Kind.QUALITY.value)


def period(year: str, quarter: str | None) -> Period:
    """Return the period whose edits are wanted.

    Raises: BadInput when there are none for it.
    """
    known = {str(each): each for each in known_periods()}
    name, what = (f"{year}-{quarter}", "period") if quarter else (year, "year")
    if name not in known:
        raise BadInput(f"The {what} {name} is not available for validation")
    return known[name]


def edits(of: Period, kinds: str | None) -> list[Edit]:
    """Return the edits of a period that need nothing but the record and its transmittal sheet.

    kinds: `all`, or the name of one kind; `all` when it is not given.
    Raises: BadInput for any other name.
    """
    asked = kinds or CHECKS[0]
    if asked not in CHECKS:
        raise BadInput(f"The check {asked!r} is unknown: it is one of {', '.join(CHECKS)}.")
    return [
        edit
        for edit in catalogue.edits(of)
        if edit.level in _LOOKED_AT
        and not edit.needs & _NOT_AT_HAND
        and asked in (CHECKS[0], edit.kind.value)
    ]
