"""`manage.py compute_graphs`: computes all graphs at once and shows them."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from filing.errors import Refusal
from graphs import answers, computing
from graphs.models import Computation


class Command(BaseCommand):
    help = "Compute the quarterly graphs from signed filings and imported facts, and show them."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--force", action="store_true", help="compute even if nothing is new")
        parser.add_argument("--reason", default="", help="why, for the record")

    def handle(self, *, force: bool, reason: str, **_: Any) -> None:
        try:
            computation = computing.compute_graphs_now(force=force, reason=reason)
        except Refusal as refusal:
            raise CommandError(refusal.message) from refusal
        if computation.state == Computation.State.UNCHANGED:
            self.stdout.write(
                "Nothing is new: the graphs are unchanged. Use --force to compute them again."
            )
        else:
            self._describe(computation)
        for line in answers.describe_missing_figures(answers.find_version()):
            self.stdout.write(line)

    def _describe(self, computation: Computation) -> None:
        self.stdout.write(
            f"Computed {computation} from {computation.rows:,} records "
            f"in {computation.seconds:.1f} s."
        )
        for source in computation.sources:
            self.stdout.write(f"  {source['year']}: {source['from']}, files: {source['files']}")
        if not computation.rows:
            self.stdout.write("There are no records to count: sign filings or load facts.")
