"""`manage.py rollback YEAR`: rolls the public data set of a year back."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from databrowser.publication.versions import live_versions
from filing.access import Caller
from filing.errors import Refusal


class Command(BaseCommand):
    help = "Publish another version of a year: the one before, or the one of a number."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("year", type=int, metavar="YEAR", help="data year")
        parser.add_argument("--to", type=int, metavar="N", help="the number of a version")
        parser.add_argument("--reason", required=True, help="for the history, which is public")
        parser.add_argument("--by", default="command line", help="who does so, for the record")

    def handle(self, *, year: int, to: int | None, reason: str, by: str, **_: Any) -> None:
        try:
            version = live_versions.earlier(year, to)
            done = live_versions.go_live(version, by=Caller(id="", username=by), reason=reason)
        except Refusal as refusal:
            raise CommandError(refusal.message) from refusal
        self.stdout.write(done)
