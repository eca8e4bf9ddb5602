"""Schemas of the values that callers send, made of the rules that read them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from filing.idempotency import KEY_PATTERN
from filing.lar.years import FIRST_QUARTERLY_YEAR, RULEBOOKS
from filing.storable_text import STORABLE

_SPECIAL = re.compile(r"[\\^$.|?*+()\[\]{}/]")


def text_schema(pattern: str, **more: Any) -> dict[str, Any]:
    """Return the schema of texts that match a pattern from the first to the last character."""
    return {"type": "string", "pattern": f"^(?:{pattern})$", **more}


def list_schema(pattern: str) -> dict[str, Any]:
    """Return the schema of values separated by commas, each of which matches a pattern.

    It is that of a text: few generators write an array into a query with commas.
    """
    return text_schema(f"(?:{pattern})(?:,(?:{pattern}))*")


def match_any(values: Iterable[str]) -> str:
    """Return the pattern of some values, which more languages read than that of `re.escape`."""
    return "|".join(_SPECIAL.sub(r"\\\g<0>", value) for value in values)


def _match_years(first: int) -> str:
    """Return the pattern of the years of this century from one on: a site opens later ones."""
    tens, ones = divmod(first % 100, 10)
    return f"20(?:{tens}[{ones}-9]|[{tens + 1}-9][0-9])"


DATA_YEAR = _match_years(RULEBOOKS[0])
DATA_YEAR_TEXT = text_schema(DATA_YEAR)
DATA_YEAR_NUMBER = {"type": "integer", "minimum": RULEBOOKS[0]}
QUARTERLY_YEAR_TEXT = text_schema(_match_years(FIRST_QUARTERLY_YEAR))
LEI_TEXT = text_schema("[0-9A-Za-z]{20}")
_LABEL = "[0-9A-Za-z](?:[0-9A-Za-z-]{0,61}[0-9A-Za-z])?"
HOST = rf"{_LABEL}(?:\.{_LABEL})+"
AT_LEAST_ONE_OF = "x-at-least-one-of"  # of parameters: OpenAPI has no word for it
STORABLE_TEXT = text_schema(STORABLE)
IDEMPOTENCY_KEY_TEXT = text_schema(KEY_PATTERN)
BYTES = {"type": "integer", "format": "int64", "minimum": 0}
