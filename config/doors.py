"""The front page of the admin for one user: its doors, and what they do with each table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

from config.navigation import address_of
from filing.registries import doors
from filing.registries.doors import Door

doors.register(
    Door(
        "Operators' guide",
        "admin:guide",
        (),
        "How each of these is done, with pictures.",
        place=doors.LAST,
    )
)


class Permitted(Protocol):
    """A user, as far as doors ask."""

    def has_perms(self, perm_list: Any) -> bool:
        """Return whether the user has all these permissions."""
        ...


def doors_of(user: Permitted) -> Iterator[dict[str, str]]:
    """Yield the doors of a user, as the front page shows them."""
    for door in doors.DOORS:
        if address := _address_for(door, user):
            yield {"label": door.label, "address": address, "about": door.about}


def deed_of(label: str, add_address: str | None, user: Permitted) -> dict[str, str] | None:
    """Return what a user does with a table by the name of its model; none who only looks.

    add_address: of the page that adds a row, where the user may.
    """
    if door := doors.of_table(label):
        address = _address_for(door, user)
        return {"label": door.verb, "address": address} if address else None
    return {"label": "Add", "address": add_address} if add_address else None


def _address_for(door: Door, user: Permitted) -> str:
    """Return where a door leads to, or nothing for a user who may not go there."""
    address = address_of(door.to) if user.has_perms(door.permissions) else ""
    return f"{address}?{door.query}" if address and door.query else address
