"""`manage.py open_season YEAR`: creates the filing periods and filings of a year."""

from __future__ import annotations

from argparse import SUPPRESS, ArgumentParser
from datetime import date
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from filing import seasons
from filing.access import SERVICE
from filing.errors import Refusal

DAYS = {
    "opens": ("--opens", "first day of all periods of the year, such as 2025-01-01"),
    "timely_until": ("--deadline", "filing deadline of all periods; default: computed for each"),
    "closes": ("--closes", "last day of all periods"),
}


class Command(BaseCommand):
    help = (
        "Create the filing periods of a year, and a filing for every institution that must file. "
        "You can repeat it: existing periods and filings are kept."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("year", type=int, metavar="YEAR", help="data year")
        for name, (option, text) in DAYS.items():
            parser.add_argument(
                option, dest=name, type=date.fromisoformat, metavar="DAY", help=text
            )
        # The former name of `--deadline`, which scripts of operators may use.
        parser.add_argument(
            "--timely-until", dest="timely_until", type=date.fromisoformat, help=SUPPRESS
        )
        parser.add_argument("--no-quarters", action="store_true", help="the annual period only")
        parser.add_argument("--force", action="store_true", help="open it without a census")
        parser.add_argument("--announce", action="store_true", help="email the filers")
        parser.add_argument("--dry-run", action="store_true", help="report what would be created")

    def handle(self, *, year: int, no_quarters: bool, **options: Any) -> None:
        choices = (*DAYS, "force", "announce", "dry_run")
        try:
            report = seasons.open_season(
                year,
                quarters=not no_quarters,
                by=SERVICE,
                **{name: options[name] for name in choices},
            )
        except Refusal as error:
            raise CommandError(error.message) from error
        self.stdout.write(str(report))
