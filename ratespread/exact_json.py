"""A JSON parser that keeps the digits of numbers as sent."""

from __future__ import annotations

import json
from typing import Any

from rest_framework.exceptions import ParseError

from filing.api.views.base import ToolJSON


class Number(str):
    """A JSON number, as written."""

    __slots__ = ()


class ExactJSON(ToolJSON):
    """Reads JSON without converting its numbers to binary fractions."""

    def value_of(self, body: bytes, *args: Any, **options: Any) -> Any:
        """Return the value of a JSON text, each number as a `Number`.

        Raises: ParseError.
        """
        try:
            return json.loads(
                body.decode("utf-8-sig"),
                parse_int=Number,
                parse_float=Number,
                parse_constant=_refuse,
            )
        except ValueError as error:
            raise ParseError(f"JSON parse error - {error}") from None


def _refuse(word: str) -> None:
    raise ValueError(f"{word} is not a JSON number.")
