"""The ids of requests, such as 7F3K-9QXM-2BTD: short enough to read out on the phone."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable

# No vowels, so that no id spells a word; no 0, 1 and L, which look like O and I.
LETTERS = "23456789BCDFGHJKMNPQRSTVWXYZ"
_GROUP, _GROUPS = 4, 3
_ID = re.compile(rf"[{LETTERS}]{{{_GROUP * _GROUPS}}}")


def new(choice: Callable[[str], str] = secrets.choice) -> str:
    """Return a new random id, one of 28 to the power of 12."""
    return _with_hyphens("".join(choice(LETTERS) for _ in range(_GROUP * _GROUPS)))


def as_stored(text: str) -> str:
    """Return an id in its stored form, however a person typed it; other texts unchanged."""
    letters = re.sub(r"[\s-]", "", text).upper()
    return _with_hyphens(letters) if _ID.fullmatch(letters) else text


def is_id(text: str) -> bool:
    """Tell whether a text has the form of an id, however a person typed it."""
    return bool(_ID.fullmatch(re.sub(r"[\s-]", "", text).upper()))


def _with_hyphens(letters: str) -> str:
    return "-".join(letters[at : at + _GROUP] for at in range(0, len(letters), _GROUP))
