"""The events that the audit log knows: each area registers its own, the log takes no other."""

from __future__ import annotations

from enum import StrEnum

LONGEST = 40  # characters of an event, as the column has them
HAPPENINGS: dict[str, StrEnum] = {}


def register(events: type[StrEnum]) -> None:
    """Add the events of an area. Their labels are those of Django's `TextChoices`, else the values.

    Raises: ValueError for an event that another area has, or one that does not fit into its column.
    """
    for event in events:
        if HAPPENINGS.get(event, event) is not event:
            raise ValueError(f"Another area has registered the event {event.value!r}.")
        if not 0 < len(event) <= LONGEST:
            raise ValueError(f"Name an event in 1 to {LONGEST} characters, not {event.value!r}.")
        HAPPENINGS[event.value] = event


def choices() -> list[tuple[str, str]]:
    """Return all events with what pages call them, in the order of their registration."""
    return [(value, getattr(event, "label", value)) for value, event in HAPPENINGS.items()]
