"""`manage.py disclose`: queues modified LARs that are missing or use older reference data."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from django.db.models import QuerySet

from databrowser.models import ModifiedLar
from databrowser.publication.modified_lars import lar_requests
from filing.access import Caller
from filing.errors import NotReady


class Command(BaseCommand):
    help = (
        "Queue the modified LARs of signed submissions that have none. With --outdated, also "
        "prepare again those made with census data or loan limits that are no longer in use; with "
        "--year, all those of a year."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        others = parser.add_mutually_exclusive_group()
        others.add_argument(
            "--outdated", action="store_true", help="also those made with other reference data"
        )
        others.add_argument("--year", type=int, help="also all those of this data year")
        parser.add_argument(
            "--reason", default="Other reference data are in use now.", help="kept as a note"
        )
        parser.add_argument(
            "--by", default="command line", help="who requests this, for the record"
        )

    def handle(self, *, outdated: bool, year: int | None, reason: str, by: str, **_: Any) -> None:
        missing = lar_requests.request_missing_lars()
        self.stdout.write(f"Missing modified LARs queued: {missing:,}.")
        caller = Caller(id="", username=by)
        if outdated:
            label = "made with other reference data"
            self._make_again(lar_requests.outdated_lars(), label, by=caller, reason=reason)
        elif year is not None:
            self._make_again(
                lar_requests.lars_of_year(year), f"of {year}", by=caller, reason=reason
            )

    def _make_again(
        self, lars: QuerySet[ModifiedLar], label: str, *, by: Caller, reason: str
    ) -> None:
        queued = skipped = 0
        for lar in lars.iterator(chunk_size=500):
            try:
                lar_requests.make_lar_again(lar, by=by, reason=reason)
                queued += 1
            except NotReady:
                skipped += 1
        self.stdout.write(
            f"Modified LARs {label}, queued: {queued:,}; already in preparation: {skipped:,}."
        )
