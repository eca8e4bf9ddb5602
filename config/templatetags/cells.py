"""How the cells of a table stand: numbers on the right, and nothing broken that is copied whole."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from django import template

register = template.Library()

_NUMBER = re.compile(r"-?\$?\d[\d,]*(\.\d+)?\s?%?")
_MONTH = r"(Jan|Feb|Mar|Apr|May|June?|July?|Aug|Sept?|Oct|Nov|Dec)[a-z]*\.?"
_WHOLE = re.compile(
    rf"[^\s@]+@[^\s@]+|[A-Z0-9]{{18}}\d\d[A-Z0-9]{{0,25}}|\d{{4}}-\d\d-\d\d|{_MONTH} \d\d?, \d{{4}}"
)


@register.filter
def cell_class(cell: Any) -> str:
    """Return the class of a cell by its text: a number, an email, an LEI, a ULI or a date."""
    text = str(cell).strip()
    if _NUMBER.fullmatch(text):
        return "site-number"
    return "site-unbroken" if _WHOLE.fullmatch(text) else ""


@register.filter
def with_classes(columns: Sequence[Any], rows: Iterable[Iterable[Any]]) -> list[tuple[Any, str]]:
    """Return each heading of a table with the class of the cells below it, as the first row has it.

    The first column has headings of rows, which stand on the left.
    """
    cells = list(next(iter(rows), ()))[1:]
    return [
        (column, cell_class(cells[at - 1]) if 0 < at <= len(cells) else "")
        for at, column in enumerate(columns)
    ]
