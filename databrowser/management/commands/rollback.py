"""`manage.py rollback YEAR`: rolls a public data set of a year back."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from databrowser.models import Dataset
from databrowser.publication.versions import live_versions
from filing.access import Caller
from filing.errors import Refusal


class Command(BaseCommand):
    help = "Roll back a data set to the version before, or to a given version."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("year", type=int, metavar="YEAR", help="data year")
        parser.add_argument(
            "--dataset", choices=Dataset.values, help="the one that is shown if left out"
        )
        parser.add_argument("--to", type=int, metavar="N", help="number of the version")
        parser.add_argument("--reason", required=True, help="for the public history")
        parser.add_argument("--by", default="command line", help="who rolls back, for the record")

    def handle(self, *, year: int, to: int | None, reason: str, by: str, **options: Any) -> None:
        try:
            version = live_versions.roll_back_target(year, to, dataset=options["dataset"] or "")
            summary = live_versions.publish_version(
                version, by=Caller(id="", username=by), reason=reason
            )
        except Refusal as refusal:
            raise CommandError(refusal.message) from refusal
        self.stdout.write(summary)
