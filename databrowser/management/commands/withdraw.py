"""`manage.py withdraw YEAR`: takes a year from the public."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from databrowser.models import Version
from databrowser.publication import versions
from filing.access import Caller
from filing.errors import Refusal


class Command(BaseCommand):
    help = "Take the data set of a year from the public, until a version of it goes live again."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("year", type=int, metavar="YEAR", help="data year")
        parser.add_argument("--reason", required=True, help="for the history, which is public")
        parser.add_argument("--by", default="command line", help="who does so, for the record")

    def handle(self, *, year: int, reason: str, by: str, **_: Any) -> None:
        version = Version.objects.filter(live__year=year).first()
        if version is None:
            raise CommandError(f"No version of {year} is live.")
        try:
            done = versions.withdraw(version, by=Caller(id="", username=by), reason=reason)
        except Refusal as refusal:
            raise CommandError(refusal.message) from refusal
        self.stdout.write(done)
