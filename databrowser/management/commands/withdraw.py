"""`manage.py withdraw YEAR`: withdraws a public data set of a year."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from databrowser.models import Dataset
from databrowser.publication.versions import live_versions
from filing.access import Caller
from filing.errors import Refusal


class Command(BaseCommand):
    help = "Withdraw the data set of a year until a version of it is published again."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("year", type=int, metavar="YEAR", help="data year")
        parser.add_argument(
            "--dataset", choices=Dataset.values, help="the one that is shown if left out"
        )
        parser.add_argument("--reason", required=True, help="for the public history")
        parser.add_argument("--by", default="command line", help="who withdraws it, for the record")

    def handle(self, *, year: int, reason: str, by: str, **options: Any) -> None:
        try:
            live = live_versions.require_live_version(year, options["dataset"] or "")
            summary = live_versions.withdraw_version(
                live.version, by=Caller(id="", username=by), reason=reason
            )
        except Refusal as refusal:
            raise CommandError(refusal.message) from refusal
        self.stdout.write(summary)
