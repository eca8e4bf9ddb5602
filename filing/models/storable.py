"""Text that every database stores: without NUL, and without half a surrogate pair."""

from __future__ import annotations

import re
from typing import Any

# PostgreSQL refuses the first in its texts, and UTF-8 has no bytes for the others.
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")


def is_storable(value: Any) -> bool:
    """Return whether a value as JSON has them holds storable text only, in its keys too."""
    left = [value]  # not by recursion: how deep a value is nested, its sender decides
    while left:
        each = left.pop()
        if isinstance(each, str):
            if _UNSTORABLE.search(each):
                return False
        elif isinstance(each, dict):
            left += [*each, *each.values()]
        elif isinstance(each, list):
            left += each
    return True
