"""Numbers with their nouns, for sentences."""

from __future__ import annotations


def number_of(count: int, noun: str) -> str:
    """Return a number with its noun, such as `1 record` or `2,000 records`."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
