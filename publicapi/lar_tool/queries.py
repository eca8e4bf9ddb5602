"""The parameters in the addresses of the LAR formatting tool."""

from __future__ import annotations

from collections.abc import Sequence

from rest_framework.request import Request

from filing.errors import BadInput
from filing.lar.period import QUARTERS
from publicapi import checks
from publicapi.forms import newest_year as newest_year

SPREADSHEETS = ("xlsx", "csv")
ANSWERS = ("json", "txt", "zip")
RECORDS = ("lar", "ts")
NAMES = ("label", "name")
_QUARTERS = tuple(f"Q{number}" for number in QUARTERS)


def word(request: Request, name: str, words: Sequence[str]) -> str:
    """Return a parameter that is one of some words, the first by default. Raises: BadInput."""
    value = request.query_params.get(name, words[0])
    if value not in words:
        raise BadInput(f"The {name} {value!r} is unknown; enter one of {', '.join(words)}.")
    return value


def year(request: Request) -> int | None:
    """Return the year, if there is one. Raises: BadInput for a year without edits."""
    value = request.query_params.get("year")
    return None if value is None else checks.period(value, None).year


def period(request: Request) -> tuple[int | None, str]:
    """Return the year, if there is one, and the quarter, or a blank.

    Raises: BadInput for a period without edits.
    """
    quarter = request.query_params.get("quarter")
    if quarter is not None and quarter not in _QUARTERS:
        raise BadInput(
            f"The quarter {quarter!r} is unknown; enter one of {', '.join(_QUARTERS)}, or leave "
            "it out for a whole year."
        )
    value = request.query_params.get("year")
    number = None if value is None else checks.period(value, quarter).year
    return number, quarter or ""
