"""The kinds of email: each area registers its own, and the table accepts no other."""

from __future__ import annotations

from collections.abc import Mapping

LONGEST = 40  # characters, the length of the column
EMAILS: dict[str, str] = {}


def register(labels: Mapping[str, str]) -> None:
    """Add kinds of email, each with its label on pages.

    Raises: ValueError for a name that is taken, or does not fit into the column.
    """
    for name, label in labels.items():
        if EMAILS.get(name, label) != label:
            raise ValueError(f"There is another kind of email named {name!r}.")
        if not 0 < len(name) <= LONGEST:
            raise ValueError(f"Name a kind of email in 1 to {LONGEST} characters, not {name!r}.")
        EMAILS[name] = label


def choices() -> list[tuple[str, str]]:
    """Return all kinds with their labels, in the order of registration."""
    return list(EMAILS.items())
