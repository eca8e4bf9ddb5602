"""`manage.py load_county_limits YEAR FILE`: loads the conforming loan limits of a year."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from filing.lar.period import FIRST_YEAR, LAST_YEAR
from filing.reference import registry
from filing.reference.listing import BadLines


class Command(BaseCommand):
    help = "Load the county loan limit list of a year, whole or not at all. It is in use at once."

    def add_arguments(self, parser: ArgumentParser) -> None:
        years = range(FIRST_YEAR, LAST_YEAR + 1)
        parser.add_argument("year", type=int, choices=years, metavar="YEAR", help="data year")
        parser.add_argument("file", type=Path, metavar="FILE", help="9 columns, with |")
        parser.add_argument("--by", default="command line", help="who loads it, for the record")

    def handle(self, *, year: int, file: Path, by: str, **_: Any) -> None:
        try:
            report = registry.load_limits(year, file, by=by)
        except OSError as error:
            raise CommandError(f"The file cannot be read: {error}") from error
        except BadLines as error:
            raise CommandError(f"{error}\nNothing was loaded: {error.summary}.") from error
        self.stdout.write(str(report))
