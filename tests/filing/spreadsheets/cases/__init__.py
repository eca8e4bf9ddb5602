"""Spreadsheets as people have them: how each is written, and which cells cannot be understood."""

from __future__ import annotations

from dataclasses import replace

from tests.filing.spreadsheets.cases import codes_and_places, dates_and_numbers, layouts, texts  # noqa: F401 -- each adds its cases
from tests.filing.spreadsheets.cases.making import CASES, Case


def variety() -> list[Case]:
    """Return the cases with distinct names."""
    return [replace(one, name=f"{one.name}, {one.kind}") for one in CASES]
