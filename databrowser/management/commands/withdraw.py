"""`manage.py withdraw YEAR`: withdraws the public data set of a year."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from databrowser.models import Version
from databrowser.publication.versions import live_versions
from filing.access import Caller
from filing.errors import Refusal


class Command(BaseCommand):
    help = "Withdraw the data set of a year until a version of it is published again."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("year", type=int, metavar="YEAR", help="data year")
        parser.add_argument("--reason", required=True, help="for the public history")
        parser.add_argument("--by", default="command line", help="who withdraws it, for the record")

    def handle(self, *, year: int, reason: str, by: str, **_: Any) -> None:
        version = Version.objects.filter(live__year=year).first()
        if version is None:
            raise CommandError(f"No version of {year} is published.")
        try:
            summary = live_versions.withdraw_version(
                version, by=Caller(id="", username=by), reason=reason
            )
        except Refusal as refusal:
            raise CommandError(refusal.message) from refusal
        self.stdout.write(summary)
