"""JSON whose numbers keep the digits that were sent."""

from __future__ import annotations

import json
from typing import Any

from rest_framework.exceptions import ParseError

from filing.errors import TooLarge
from filing.views.base import JSON_BYTES, ToolJSON


class Number(str):
    """A number of JSON, as it was written."""

    __slots__ = ()


class ExactJSON(ToolJSON):
    """Reads JSON without making binary fractions of its numbers."""

    def parse(self, stream: Any, *args: Any, **options: Any) -> Any:
        """Return what stands there, each number as a `Number`.

        Raises: ParseError, TooLarge.
        """
        body = stream.read(JSON_BYTES + 1)
        if len(body) > JSON_BYTES:
            raise TooLarge(f"The JSON is larger than {JSON_BYTES} bytes, the most taken here.")
        try:
            return json.loads(
                body.decode("utf-8-sig"),
                parse_int=Number,
                parse_float=Number,
                parse_constant=_refuse,
            )
        except RecursionError:
            raise ParseError("JSON parse error - it is nested too deeply.") from None
        except ValueError as error:
            raise ParseError(f"JSON parse error - {error}") from None


def _refuse(word: str) -> None:
    raise ValueError(f"{word} is no number of JSON.")
