"""The events of the audit log: each area registers its own, and the log accepts no other."""

from __future__ import annotations

from enum import StrEnum

LONGEST = 40  # characters, the length of the column
EVENTS: dict[str, StrEnum] = {}


def register(events: type[StrEnum]) -> None:
    """Add the events of an area. Pages show the attribute `label`, or else the value.

    Raises: ValueError for an event that another area has, or that does not fit into the column.
    """
    for event in events:
        if EVENTS.get(event, event) is not event:
            raise ValueError(f"Another area has registered the event {event.value!r}.")
        if not 0 < len(event) <= LONGEST:
            raise ValueError(f"Name an event in 1 to {LONGEST} characters, not {event.value!r}.")
        EVENTS[event.value] = event


def choices() -> list[tuple[str, str]]:
    """Return all events with their labels, in the order of registration."""
    return [(value, getattr(event, "label", value)) for value, event in EVENTS.items()]
