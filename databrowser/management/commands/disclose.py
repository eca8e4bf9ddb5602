"""`manage.py disclose`: asks for public rows that are missing, or were made with older facts."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from django.db.models import QuerySet

from databrowser.models import ModifiedLar
from databrowser.publication.disclosing import modified_lars
from filing.access import Caller
from filing.errors import NotReady


class Command(BaseCommand):
    help = (
        "Queue the making of the public rows of signed submissions that have none. With --outdated "
        "also of those made with another census or other loan limits than count now, with --year "
        "also of all others of that year."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        others = parser.add_mutually_exclusive_group()
        others.add_argument("--outdated", action="store_true", help="also what was made before")
        others.add_argument(
            "--year", type=int, help="also what was made of this data year, with whatever data"
        )
        parser.add_argument(
            "--reason", default="Other reference data count now.", help="kept as a note"
        )
        parser.add_argument("--by", default="command line", help="who asks, for the record")

    def handle(self, *, outdated: bool, year: int | None, reason: str, by: str, **_: Any) -> None:
        self.stdout.write(f"{modified_lars.ask_for_missing():,} were missing and are in the queue.")
        caller = Caller(id="", username=by)
        if outdated:
            what = "were made with other reference data and"
            self._again(modified_lars.outdated(), what, by=caller, reason=reason)
        elif year is not None:
            self._again(modified_lars.of_year(year), f"of {year}", by=caller, reason=reason)

    def _again(self, made: QuerySet[ModifiedLar], what: str, *, by: Caller, reason: str) -> None:
        done = skipped = 0
        for each in made.iterator(chunk_size=500):
            try:
                modified_lars.again(each, by=by, reason=reason)
                done += 1
            except NotReady:
                skipped += 1
        self.stdout.write(
            f"{done:,} {what} are in the queue again, {skipped:,} are being made already."
        )
