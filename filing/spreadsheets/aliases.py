"""Further names of fields, as people and systems head their columns: ours, and those of staff.

Ours are the rows of `header_aliases.csv`: the field (`ts.` leads one of the transmittal sheet), the
alias, who uses it, and its use: blank where it can mean one field only, `near` where it is
proposed, `sheet` where it counts in rows of a transmittal sheet alone. Vendors publish no lists:
theirs are the names that their exports are known to have.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from functools import cache, lru_cache, wraps
from pathlib import Path
from typing import NamedTuple, TypeVar

NEAR, SHEET_ONLY = "near", "sheet"
Made = TypeVar("Made")


class HeaderAlias(NamedTuple):
    """A further name of a field."""

    field: str
    alias: str
    source: str
    use: str = ""


# Those with which something is made now: it is kept for them, whatever staff change meanwhile.
_pinned: ContextVar[tuple[HeaderAlias, ...] | None] = ContextVar("pinned", default=None)
_source: Callable[[], tuple[HeaderAlias, ...]] = tuple


def use_source(read: Callable[[], tuple[HeaderAlias, ...]]) -> None:
    """Take the aliases that staff added from a function; without one there are none."""
    global _source
    _source = read


def list_staff_aliases() -> tuple[HeaderAlias, ...]:
    """Return the aliases that staff added."""
    pinned = _pinned.get()
    return _source() if pinned is None else pinned


@cache
def list_own_aliases() -> tuple[HeaderAlias, ...]:
    """Return the rows of the table beside this module."""
    return tuple(HeaderAlias(**row) for row in _rows("header_aliases.csv"))


@cache
def list_word_meanings() -> dict[str, str]:
    """Return the word that each short one means; a blank for one that says nothing."""
    return {row["word"]: row["means"] for row in _rows("header_words.csv")}


def _rows(name: str) -> Iterator[dict[str, str]]:
    with Path(__file__).with_name(name).open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)


def keep_until_changed(make: Callable[[], Made]) -> Callable[[], Made]:
    """Return a function that makes something of the aliases anew when staff changed theirs."""

    @lru_cache(2)
    def made(staff: tuple[HeaderAlias, ...]) -> Made:
        token = _pinned.set(staff)
        try:
            return make()
        finally:
            _pinned.reset(token)

    return wraps(make)(lambda: made(list_staff_aliases()))


def list_aliases(field: str, *uses: str) -> list[str]:
    """Return the aliases of a field by its name among all. uses: blank if none are given."""
    return [each.alias for each in _by_field()[field] if each.use in (uses or ("",))]


@keep_until_changed
def _by_field() -> dict[str, list[HeaderAlias]]:
    aliases: dict[str, list[HeaderAlias]] = defaultdict(list)
    for alias in (*list_own_aliases(), *list_staff_aliases()):
        aliases[alias.field].append(alias)
    return aliases
