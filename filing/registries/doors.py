"""The front page of the admin: what staff come for. Each app registers its own doors there.

An app does so where its pages are, in its `admin`: workers and commands show no page.
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import attrgetter

LAST = 1000  # the place of what is helpful to all


@dataclass(frozen=True, slots=True)
class Door:
    """A link that begins with a verb where something is done. to: the name of its address.

    Shown where the site has the page and the user has the permissions. place: doors stand on the
    page in ascending order. verb, table: where it is more than to add a row, what is done with a
    table of the list below the doors, and the label of its model.
    """

    label: str
    to: str
    permissions: tuple[str, ...]
    about: str
    query: str = ""
    place: int = 500
    verb: str = ""
    table: str = ""


DOORS: list[Door] = []


def register(*doors: Door) -> None:
    """Add doors to the front page.

    Raises: ValueError where another door has the label, or does something with the same table.
    """
    for door in doors:
        for other in DOORS:
            if other != door and other.label == door.label:
                raise ValueError(f"There is another door named {door.label!r}.")
            if other != door and door.table and other.table == door.table:
                raise ValueError(f"{other.label!r} is done with {door.table} already.")
        if door not in DOORS:
            DOORS.append(door)
    DOORS.sort(key=attrgetter("place"))


def of_table(label: str) -> Door | None:
    """Return the door to what is done with a table, by the label of its model; none to add rows."""
    return next((door for door in DOORS if door.table == label), None)
