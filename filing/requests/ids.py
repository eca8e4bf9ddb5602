"""The ids of requests, such as 7F3K-9QXM-2BTD: short enough to be read out on the telephone."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable

# No vowels, so that no id spells a word; no 0, 1 and L, which look like O and I.
LETTERS = "23456789BCDFGHJKMNPQRSTVWXYZ"
_GROUP, _GROUPS = 4, 3
_WRITTEN = re.compile(rf"[{LETTERS}]{{{_GROUP * _GROUPS}}}")


def new(choice: Callable[[str], str] = secrets.choice) -> str:
    """Return an id that no other request has: one of 28 to the power of 12."""
    return _grouped("".join(choice(LETTERS) for _ in range(_GROUP * _GROUPS)))


def as_stored(typed: str) -> str:
    """Return an id as it was given out, however a person wrote it down; other texts unchanged."""
    letters = re.sub(r"[\s-]", "", typed).upper()
    return _grouped(letters) if _WRITTEN.fullmatch(letters) else typed


def _grouped(letters: str) -> str:
    return "-".join(letters[at : at + _GROUP] for at in range(0, len(letters), _GROUP))
