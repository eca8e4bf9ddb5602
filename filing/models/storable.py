"""Text that every database can store: without NUL, and without half a surrogate pair."""

from __future__ import annotations

import re
from typing import Any

# PostgreSQL refuses the first in its texts, and UTF-8 has no bytes for the others.
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")


def storable(text: str) -> str:
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
