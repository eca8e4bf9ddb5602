"""The edits that the public checks run, and which rules a year runs if not those of its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from filing import day_hours
from filing.edits import catalogue
from filing.edits.edit import Edit, EditKind, EditLevel, EditNeed
from filing.errors import BadInput
from filing.lar import years
from filing.lar.years import EditWithdrawal, Period, rulebook_period, supported_periods

# The edits that need neither the institution nor the whole file.
_LEVELS = (EditLevel.TS, EditLevel.LAR)
_NOT_AVAILABLE = frozenset({EditNeed.INSTITUTION, EditNeed.OTHER_ROWS})
QUARTER_WITHOUT_YEAR = "A quarter needs its year, such as year=2024&quarter=Q1."
CHECKS = ("all", EditKind.SYNTACTICAL.value, EditKind.VALIDITY.value, EditKind.QUALITY.value)


def read_period(year: str, quarter: str | None) -> Period:
    """Return the period of a year and quarter.

    Raises: BadInput for a period without edits.
    """
    periods = {str(known_period): known_period for known_period in supported_periods()}
    name = f"{year}-{quarter}" if quarter else year
    if name not in periods:
        raise BadInput(describe_unavailable(year, quarter))
    return periods[name]


def describe_unavailable(year: str, quarter: str | None = None) -> str:
    """Return the refusal of a period without edits."""
    period_name = f"period {year}-{quarter}" if quarter else f"year {year}"
    return f"The {period_name} is not available for validation"


def find_withdrawals(edit: Edit) -> dict[int, EditWithdrawal]:
    """Return, by year, the withdrawals of an edit in the years in which it runs."""
    periods, today = edit.filing_periods(), day_hours.today()
    by_year = {
        year: years.find_withdrawals(year, today)
        for year in sorted(periods.annual | periods.quarterly)
    }
    return {year: each[edit.code] for year, each in by_year.items() if edit.code in each}


def describe_rules(of: Period, unrun: Mapping[str, str]) -> dict[str, Any]:
    """Return what an answer says about rules: `notRun` and `rulebook`, each only if there is any.

    unrun: by code, why an edit was not run.
    """
    edits = [{"edit": code, "reason": reason} for code, reason in unrun.items()]
    members: dict[str, Any] = {"notRun": edits} if edits else {}
    return members | years.rulebook_member(of.year)


def select_edits(of: Period, kinds: str | None) -> list[Edit]:
    """Return the edits of a period that need only the record and its transmittal sheet.

    kinds: `all`, the default, or the name of one kind.
    Raises: BadInput for any other name.
    """
    check = kinds or CHECKS[0]
    if check not in CHECKS:
        raise BadInput(f"The check {check!r} is unknown; enter one of {', '.join(CHECKS)}.")
    return [
        edit
        for edit in catalogue.list_edits(rulebook_period(of))
        if edit.level in _LEVELS
        and not edit.needs & _NOT_AVAILABLE
        and check in (CHECKS[0], edit.kind.value)
    ]
