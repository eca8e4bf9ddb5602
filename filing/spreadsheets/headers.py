"""Finds the header row of a sheet. Needs the standard library alone: the reader runs it, too."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

FIRST_ROWS = 10  # the header is one of these
LEAST_MATCHES = 5


def fold(text: str) -> str:
    """Return a name as it is compared: lower case, `&` as `and`, letters and digits only."""
    lower = text.lower().replace("&", "and")
    return "".join(character for character in lower if character.isalnum())


def matches(cells: Sequence[str], names: Mapping[str, str], headers: Collection[str] = ()) -> int:
    """Return how many fields a row names. headers: texts that are mapped by the caller, folded.

    A number names a field only in a row where everything else is known: data have numbers, too.
    """
    folded = [name for cell in cells if (name := fold(cell))]
    known = {names[name] for name in folded if name in names and not name.isdecimal()}
    mapped = {name for name in folded if name in headers}
    numbers = [name for name in folded if name.isdecimal()]
    are_known = len(numbers) == len(set(numbers)) and all(
        name in names or name in headers for name in folded
    )
    return len(known) + len(mapped) + (len(numbers) if are_known else 0)


def header_row(
    rows: Sequence[Sequence[str]], names: Mapping[str, str], headers: Collection[str] = ()
) -> tuple[int, int]:
    """Return the position of the row with most matches among the first, and their number."""
    counts = [matches(cells, names, headers) for cells in rows[:FIRST_ROWS]]
    most = max(counts, default=0)
    return (counts.index(most) if most else 0), most
