"""`manage.py disclose`: asks for public rows that are missing, or were made with older facts."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from databrowser.publication import disclosures
from filing.access import Caller
from filing.errors import NotReady


class Command(BaseCommand):
    help = (
        "Queue the making of the public rows of signed submissions that have none. With --outdated "
        "also of those made with another census or other loan limits than count now."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--outdated", action="store_true", help="also what was made before")
        parser.add_argument(
            "--reason", default="Other reference data count now.", help="kept as a note"
        )
        parser.add_argument("--by", default="command line", help="who asks, for the record")

    def handle(self, *, outdated: bool, reason: str, by: str, **_: Any) -> None:
        self.stdout.write(f"{disclosures.ask_for_missing():,} were missing and are in the queue.")
        if not outdated:
            return
        done = skipped = 0
        for made in disclosures.outdated().iterator(chunk_size=500):
            try:
                disclosures.again(made, by=Caller(id="", username=by), reason=reason)
                done += 1
            except NotReady:
                skipped += 1
        self.stdout.write(
            f"{done:,} were made with other reference data and are in the queue again, "
            f"{skipped:,} are being made already."
        )
