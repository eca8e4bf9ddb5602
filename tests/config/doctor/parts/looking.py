"""Looking at one part."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from config.doctor.findings import Finding, Level, Options


def bad(look: Callable[[Options], Iterable[Finding]], **options: str) -> list[str]:
    """Return the texts of what is wrong or may be, each with its advice."""
    return [
        f"{each.level}: {each.text} {each.advice}"
        for each in look(Options(**options))
        if each.level in (Level.WARNING, Level.ERROR)
    ]


def texts(look: Callable[[Options], Iterable[Finding]], **options: str) -> str:
    """Return all texts on one line."""
    return " ".join(each.text for each in look(Options(**options)))
