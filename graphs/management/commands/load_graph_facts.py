"""`manage.py load_graph_facts FILE`: brings facts of earlier years along for the graphs."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from filing.errors import Refusal
from graphs import computing, importing


class Command(BaseCommand):
    help = (
        "Load facts of loans for the quarterly graphs from a Parquet or CSV file; each year in it "
        "replaces what was loaded of that year before."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="Parquet or CSV, as docs/graphs.md tells")
        parser.add_argument(
            "--quarterly", action="store_true", help="of quarterly filings, not of annual ones"
        )
        parser.add_argument("--by", default="command line", help="who loads it, for the record")

    def handle(self, *, file: Path, quarterly: bool, by: str, **_: Any) -> None:
        try:
            made = importing.load(file, by=by, annual=not quarterly)
        except Refusal as refusal:
            raise CommandError(refusal.message) from refusal
        for each in made:
            self.stdout.write(
                f"{each.year}: {each.rows:,} rows of {each.institutions:,} institutions."
            )
        computing.ask(reason=f"{file.name} was loaded.")
        self.stdout.write("The graphs are computed next, by a worker or `compute_graphs`.")
