"""Changes that make no difference to anyone, each with the reason why."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from pathlib import Path

from bench.mutants.changes import Change

LIST = Path(__file__).with_name("equivalents.csv")
Key = tuple[str, str, str, str]


def read(path: Path = LIST) -> dict[Key, str]:
    """Return the reason of each equivalent change by its key.

    Raises: ValueError, naming the line that has no reason or repeats another.
    """
    reasons: dict[Key, str] = {}
    with path.open(newline="") as file:
        for number, row in enumerate(csv.DictReader(file), 2):
            key = row["module"], row["scope"], row["original"], row["changed"]
            if not row["reason"].strip() or key in reasons:
                raise ValueError(f"Line {number} of {path.name} has no reason, or repeats another.")
            reasons[key] = row["reason"]
    return reasons


def unmatched(reasons: Iterable[Key], some: Iterable[Change]) -> list[Key]:
    """Return the listed changes that are none of these."""
    made = {change.key for change in some}
    return [key for key in reasons if key not in made]
