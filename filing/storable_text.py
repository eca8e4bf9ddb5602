"""Text of callers that is decoded outside forms: the one place that decides what can be stored.

JSON, headers of signed documents, and host names hold more than a database, a file system or an
answer can: a NUL, or half a surrogate pair. Knows no Django: the client checks receipts with it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

# PostgreSQL refuses the first in its texts, and UTF-8 has no bytes for the others.
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
STORABLE = r"[^\x00]*"  # the same of texts in UTF-8, as a pattern for other languages too
UNSTORABLE = "a NUL character or half a surrogate pair"


class Unstorable(ValueError):
    """A JSON text holds text that cannot be stored."""


def make_storable(text: str) -> str:
    """Return a text with a question mark for each character that cannot be stored."""
    return _UNSTORABLE.sub("?", text)


def is_storable(value: Any) -> bool:
    """Return whether all texts in a JSON value can be stored, including its keys."""
    remaining = [value]  # no recursion: the sender decides how deeply a value is nested
    while remaining:
        part = remaining.pop()
        if isinstance(part, str):
            if _UNSTORABLE.search(part):
                return False
        elif isinstance(part, dict):
            remaining += [*part, *part.values()]
        elif isinstance(part, list):
            remaining += part
    return True


def decode_json(
    content: str | bytes,
    *,
    pairs: Callable[[list[tuple[str, Any]]], Any] | None = None,
    is_stored: bool = True,
) -> Any:
    """Return the value of a JSON text of a caller. pairs: makes a value of the pairs of an object.

    is_stored: whether all of its texts must be storable.

    Raises: ValueError for what is not JSON or is nested too deeply; Unstorable.
    """
    try:
        value = json.loads(content, object_pairs_hook=pairs)
    except RecursionError:
        raise ValueError("The JSON is nested too deeply.") from None
    if is_stored and not is_storable(value):
        raise Unstorable(f"The JSON holds {UNSTORABLE}.")
    return value
