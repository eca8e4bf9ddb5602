"""The edits that the public checks run: those of a period, or one kind of them."""

from __future__ import annotations

from filing.edits import catalogue
from filing.edits.edit import Edit, Kind, Level, Need
from filing.errors import BadInput
from filing.lar.period import Period, known_periods

# The edits that need neither the institution nor the whole file.
_LEVELS = (Level.TS, Level.LAR)
_NOT_AVAILABLE = frozenset({Need.INSTITUTION, Need.OTHER_ROWS})
CHECKS = ("all", Kind.SYNTACTICAL.value, Kind.VALIDITY.value, Kind.QUALITY.value)


def period(year: str, quarter: str | None) -> Period:
    """Return the period of a year and quarter.

    Raises: BadInput for a period without edits.
    """
    periods = {str(known_period): known_period for known_period in known_periods()}
    name, unit = (f"{year}-{quarter}", "period") if quarter else (year, "year")
    if name not in periods:
        raise BadInput(f"The {unit} {name} is not available for validation")
    return periods[name]


def edits(of: Period, kinds: str | None) -> list[Edit]:
    """Return the edits of a period that need only the record and its transmittal sheet.

    kinds: `all`, the default, or the name of one kind.
    Raises: BadInput for any other name.
    """
    check = kinds or CHECKS[0]
    if check not in CHECKS:
        raise BadInput(f"The check {check!r} is unknown; enter one of {', '.join(CHECKS)}.")
    return [
        edit
        for edit in catalogue.edits(of)
        if edit.level in _LEVELS
        and not edit.needs & _NOT_AVAILABLE
        and check in (CHECKS[0], edit.kind.value)
    ]
