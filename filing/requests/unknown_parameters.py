"""The query parameters of a request that its address does not know, for programs and people."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from difflib import get_close_matches
from urllib.parse import quote

HEADER = "X-Unknown-Parameters"
MOST_NAMES = 10
LONGEST = 60  # characters of a name


def find_unknown(parameters: Iterable[str], known: Collection[str]) -> list[str]:
    """Return the first names that are not known, in the order of the query, shortened."""
    unknown = [name[:LONGEST] for name in parameters if name and name not in known]
    return unknown[:MOST_NAMES]


def name_in_header(unknown: Iterable[str]) -> str:
    """Return the value of the header: names separated by commas, other characters escaped."""
    return ", ".join(quote(name, safe="", errors="replace")[:LONGEST] for name in unknown)


def describe_unknown(parameters: Iterable[str], known: Collection[str]) -> list[str]:
    """Return a sentence about each unknown parameter, with the known one that is most like it."""
    return [
        f"{name} is not a filter here."
        + "".join(f" Did you mean {like}?" for like in get_close_matches(name, known, n=1))
        for name in find_unknown(parameters, known)
    ]
