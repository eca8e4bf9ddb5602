"""`manage.py load_graph_facts FILE`: imports facts of earlier years for the graphs."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from filing.errors import Refusal
from graphs import computing, importing


class Command(BaseCommand):
    help = (
        "Load facts of loans for the quarterly graphs from a Parquet or CSV file. Each of its "
        "years replaces the earlier import of that year."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "file", type=Path, help="Parquet or CSV, as described in docs/graphs.md"
        )
        parser.add_argument(
            "--quarterly",
            action="store_true",
            help="facts of quarterly filings, not of annual ones",
        )
        parser.add_argument("--by", default="command line", help="who loads it, for the record")

    def handle(self, *, file: Path, quarterly: bool, by: str, **_: Any) -> None:
        try:
            imports = importing.import_facts(file, by=by, annual=not quarterly)
        except Refusal as refusal:
            raise CommandError(refusal.message) from refusal
        for imported in imports:
            self.stdout.write(
                f"{imported.year}: {imported.rows:,} records of "
                f"{imported.institutions:,} institutions."
            )
        computing.request_computation(reason=f"{file.name} was loaded.")
        self.stdout.write(
            "A worker computes the graphs next; `compute_graphs` computes them at once."
        )
