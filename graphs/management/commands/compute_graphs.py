"""`manage.py compute_graphs`: computes all graphs, here and now, and shows them."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from filing.errors import Refusal
from graphs import answers, computing
from graphs.models import Computation


class Command(BaseCommand):
    help = "Compute the quarterly graphs from what was signed and imported, and show them."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--force", action="store_true", help="also where nothing is new since the last time"
        )
        parser.add_argument("--reason", default="", help="why, for the record")

    def handle(self, *, force: bool, reason: str, **_: Any) -> None:
        try:
            made = computing.compute_now(force=force, reason=reason)
        except Refusal as refusal:
            raise CommandError(refusal.message) from refusal
        if made.state == Computation.State.UNCHANGED:
            self.stdout.write(
                "Nothing is new: the graphs stay as they are. --force computes again."
            )
        else:
            self._describe(made)
        for line in answers.left_out(answers.version()):
            self.stdout.write(line)

    def _describe(self, made: Computation) -> None:
        self.stdout.write(f"Computed {made} from {made.rows:,} records in {made.seconds:.1f} s.")
        for each in made.sources:
            self.stdout.write(f"  {each['year']}: {each['from']}, files: {each['files']}")
        if not made.rows:
            self.stdout.write("There is nothing to count: sign filings, or load facts.")
