"""`manage.py withdraw YEAR`: withdraws a public data set of a year, or all that anyone can read."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from databrowser.models import Dataset
from databrowser.publication.modified_lars import lar_requests
from databrowser.publication.quantities import number_of
from databrowser.publication.versions import live_versions
from filing.access import Caller
from filing.errors import Refusal


class Command(BaseCommand):
    help = "Withdraw the data set of a year until a version of it is published again."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("year", type=int, metavar="YEAR", help="data year")
        parser.add_argument(
            "--dataset", choices=Dataset.values, help="the one that is shown if left out"
        )
        parser.add_argument(
            "--modified-lars",
            action="store_true",
            help="also the modified LARs of the year, which stay public otherwise",
        )
        parser.add_argument("--reason", required=True, help="for the public history")
        parser.add_argument("--by", default="command line", help="who withdraws it, for the record")

    def handle(self, *, year: int, reason: str, by: str, **options: Any) -> None:
        caller = Caller(id="", username=by)
        dataset = options["dataset"] or ""
        lars = lar_requests.list_public_lars(year) if options["modified_lars"] else []
        try:
            live = live_versions.live_version(year, dataset)
            if not (live or lars):
                live = live_versions.require_live_version(year, dataset)
            with transaction.atomic():
                for lar in lars:
                    lar_requests.withdraw_lar(lar, by=caller, reason=reason)
                if live:
                    version = live.version
                    self.stdout.write(
                        live_versions.withdraw_version(version, by=caller, reason=reason)
                    )
        except Refusal as refusal:
            raise CommandError(refusal.message) from refusal
        if lars:
            self.stdout.write(f"{number_of(len(lars), 'modified LAR')} of {year} withdrawn.")
