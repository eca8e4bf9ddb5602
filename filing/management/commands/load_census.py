"""`manage.py load_census YEAR FILE`: loads the census file that the edits use."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from filing.access import Caller
from filing.lar.years import YearStage, supported_years
from filing.management.loading import raise_command_errors
from filing.reference.kinds import CENSUS
from filing.reference_data import loading


class Command(BaseCommand):
    help = "Load the census file of a year. It is in use at once; a file with errors is refused."

    def add_arguments(self, parser: ArgumentParser) -> None:
        years = supported_years(YearStage.DRAFT)
        parser.add_argument("year", type=int, choices=years, metavar="YEAR", help="data year")
        source = parser.add_mutually_exclusive_group(required=True)
        source.add_argument(
            "file",
            type=Path,
            nargs="?",
            metavar="FILE",
            help="15 columns, separated by | or commas",
        )
        source.add_argument("--demo", action="store_true", help="load a made-up census instead")
        parser.add_argument("--by", default="command line", help="who loads it, for the audit log")

    def handle(self, *, year: int, file: Path | None, demo: bool, by: str, **_: Any) -> None:
        with raise_command_errors():
            source, data = (file.name, file.read_bytes()) if file else _made_up(year)
            caller = Caller(id="", username=by)
            report = loading.load_with_reason(CENSUS, year, data, source=source, by=caller)
        self.stdout.write(str(report))


def _made_up(year: int) -> tuple[str, bytes]:
    from filing.demo import census  # imported here: production loads only files

    return census.CENSUS_SOURCE, census.write_census(year).encode()
