"""`manage.py edit_counts`: how many edits of each kind run in each period."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Mapping
from typing import Any

from django.core.management.base import BaseCommand

from filing.edits import catalogue
from filing.edits.edit import EditKind
from filing.lar.years import rulebook_periods

_TOTAL = "total"
_COLUMNS = (*(kind.value for kind in EditKind), _TOTAL)


class Command(BaseCommand):
    help = (
        "Count the edits of the catalog by kind and period. An edit that checks both the "
        "transmittal sheet and the records counts twice."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="print only a JSON document")

    def handle(self, **options: Any) -> None:
        counts = edit_counts()
        if options["json"]:
            self.stdout.write(json.dumps(counts, indent=2))
            return
        self.stdout.write(_line("period", _COLUMNS))
        for period, count in counts.items():
            self.stdout.write(_line(period, tuple(count.values())))


def edit_counts() -> dict[str, dict[str, int]]:
    """Return the number of edits of each period, by kind and in total."""
    return {str(period): _named(catalogue.count_edits(period)) for period in rulebook_periods()}


def _named(counts: Mapping[EditKind, int]) -> dict[str, int]:
    return {kind.value: count for kind, count in counts.items()} | {_TOTAL: sum(counts.values())}


def _line(period: str, cells: tuple[str | int, ...]) -> str:
    return f"{period:<7}" + "".join(f"{cell:>13}" for cell in cells)
