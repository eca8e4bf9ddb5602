"""`manage.py publish YEAR`: builds and publishes the public data set of a year."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from databrowser.models import Version
from databrowser.publication.builds import build_requests, builder
from databrowser.publication.quantities import number_of
from filing.access import Caller
from filing.errors import NotReady, Refusal


class Command(BaseCommand):
    help = "Build the data sets of years from signed submissions and imports, and publish them."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("years", nargs="+", type=int, metavar="YEAR", help="data year")
        parser.add_argument(
            "--no-live", action="store_true", help="build only; what is published does not change"
        )
        parser.add_argument(
            "--reason", default="Published by command.", help="for the public history"
        )
        parser.add_argument("--by", default="command line", help="who publishes, for the record")

    def handle(self, *, years: list[int], no_live: bool, reason: str, by: str, **_: Any) -> None:
        for year in years:
            self._publish(year, not no_live, reason, Caller(id="", username=by))

    def _publish(self, year: int, goes_live: bool, reason: str, by: Caller) -> None:
        try:
            version = builder.build_year(year, by=by, reason=reason, goes_live=goes_live)
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
