"""`manage.py open_season YEAR`: makes the filing periods of a year and the filings owed in them."""

from __future__ import annotations

from argparse import SUPPRESS, ArgumentParser
from datetime import date
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from filing import seasons
from filing.access import SERVICE
from filing.errors import Refusal

DAYS = {
    "opens": ("--opens", "first day, as 2025-01-01, of all periods of the year"),
    "timely_until": ("--deadline", "filing deadline of all periods, otherwise computed for each"),
    "closes": ("--closes", "last day of all periods"),
}


class Command(BaseCommand):
    help = (
        "Make the filing periods of a year and a filing for every institution that owes one. "
        "It may be repeated: what is there stays."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("year", type=int, metavar="YEAR", help="data year")
        for name, (option, what) in DAYS.items():
            parser.add_argument(
                option, dest=name, type=date.fromisoformat, metavar="DAY", help=what
            )
        # What `--deadline` was called before: scripts of operators have it.
        parser.add_argument(
            "--timely-until", dest="timely_until", type=date.fromisoformat, help=SUPPRESS
        )
        parser.add_argument("--no-quarters", action="store_true", help="the annual period only")
        parser.add_argument("--force", action="store_true", help="even without a census")
        parser.add_argument("--announce", action="store_true", help="tell the filers by mail")
        parser.add_argument("--dry-run", action="store_true", help="report what would be made")

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
