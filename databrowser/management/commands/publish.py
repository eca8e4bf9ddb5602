"""`manage.py publish YEAR`: builds and publishes a public data set of a year."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from databrowser.models import Dataset, Version, name_data_set
from databrowser.publication.builds import build_requests, builder, reconciliation
from databrowser.publication.quantities import number_of
from databrowser.publication.versions import freeze_days, live_versions
from filing.access import Caller
from filing.errors import NotReady, Refusal


class Command(BaseCommand):
    help = "Build the data sets of years from signed submissions and imports, and publish them."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("years", nargs="+", type=int, metavar="YEAR", help="data year")
        parser.add_argument(
            "--dataset",
            choices=Dataset.values,
            default=Dataset.DYNAMIC,
            help="a vintage has what was signed by its freeze day",
        )
        parser.add_argument(
            "--accept-disagreements",
            metavar="REASON",
            default="",
            help="publish a vintage although its figures do not add up, for this reason",
        )
        parser.add_argument(
            "--no-live", action="store_true", help="build only; what is published does not change"
        )
        parser.add_argument(
            "--reason", default="", help="for the public history; needed to build a vintage again"
        )
        parser.add_argument("--by", default="command line", help="who publishes, for the record")

    def handle(self, *, years: list[int], by: str, **options: Any) -> None:
        for year in years:
            self._publish(year, Caller(id="", username=by), **options)

    def _publish(
        self, year: int, by: Caller, *, dataset: str, no_live: bool, reason: str, **options: Any
    ) -> None:
        is_vintage = dataset != Dataset.DYNAMIC
        if not reason and is_vintage and freeze_days.has_been_public(year, dataset):
            raise CommandError(
                f"The {name_data_set(year, dataset)} was published before: enter --reason."
            )
        reason = reason or "Published by command."
        try:
            version = builder.build_year(
                year, by=by, reason=reason, dataset=dataset, goes_live=not no_live
            )
            if is_vintage and not no_live:
                if version.disagreements and (accepted := options["accept_disagreements"]):
                    reconciliation.accept_disagreements(version, by=by, reason=accepted)
                live_versions.publish_version(version, by=by, reason=reason)
                version = Version.objects.get(pk=version.pk)
        except NotReady as refusal:
            if refusal.message.startswith("Nothing is new"):
                self.stdout.write(refusal.message)
                return
            raise CommandError(refusal.message) from refusal
        except Refusal as refusal:
            raise CommandError(refusal.message) from refusal
        self.stdout.write(_summary(version))


def _summary(version: Version) -> str:
    if version.state == Version.State.UNCHANGED:
        return build_requests.nothing_new(version.year)
    is_published = hasattr(version, "live")
    missing = len(version.manifest["sources"]["missing"])
    return (
        f"Version {version.name}: {number_of(version.rows, 'record')} of "
        f"{number_of(version.institutions, 'institution')}"
        + (f"; {number_of(missing, 'signed submission')} left out" if missing else "")
        + (". Published." if is_published else ". Built, not published.")
        + f"\nSHA-256 of its manifest: {version.sha256}"
    )
