"""The kinds of email: each area registers its own when it is ready, the table takes no other."""

from __future__ import annotations

from collections.abc import Mapping

LONGEST = 40  # characters of a name, as the column has them
EMAILS: dict[str, str] = {}


def register(labels: Mapping[str, str]) -> None:
    """Add kinds of email, each with what pages call it.

    Raises: ValueError for a name that another kind has, or one that does not fit into its column.
    """
    for name, label in labels.items():
        if EMAILS.get(name, label) != label:
            raise ValueError(f"There is another kind of email named {name!r}.")
        if not 0 < len(name) <= LONGEST:
            raise ValueError(f"Name a kind of email in 1 to {LONGEST} characters, not {name!r}.")
        EMAILS[name] = label


def choices() -> list[tuple[str, str]]:
    """Return all kinds with what pages call them, in the order of their registration."""
    return list(EMAILS.items())
