"""`manage.py publish YEAR`: builds the public data set of a year and lets it go live."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from databrowser.models import Version
from databrowser.publication import build
from filing.access import Caller
from filing.errors import NotReady, Refusal


class Command(BaseCommand):
    help = "Build the public data sets of years from what is signed and imported; they go live."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("years", nargs="+", type=int, metavar="YEAR", help="data year")
        parser.add_argument(
            "--no-live", action="store_true", help="build only; what is live stays live"
        )
        parser.add_argument(
            "--reason", default="Published by command.", help="for the history, which is public"
        )
        parser.add_argument("--by", default="command line", help="who publishes, for the record")

    def handle(
        self, *, years: list[int], no_live: bool, reason: str, by: str, **_: Any
    ) -> None:  # fmt: skip
        for year in years:
            self._publish(year, not no_live, reason, Caller(id="", username=by))

    def _publish(self, year: int, goes_live: bool, reason: str, by: Caller) -> None:
        try:
            version = build.build(year, by=by, reason=reason, goes_live=goes_live)
        except NotReady as refusal:
            if refusal.message.startswith("Nothing is new"):
                self.stdout.write(refusal.message)
                return
            raise CommandError(refusal.message) from refusal
        except Refusal as refusal:
            raise CommandError(refusal.message) from refusal
        self.stdout.write(_told(version))


def _told(version: Version) -> str:
    if version.state == "unchanged":
        return f"Nothing is new for {version.year}: all there is is live."
    is_live = hasattr(version, "live")
    missing = len(version.manifest["sources"]["missing"])
    return (
        f"Version {version.name}: {version.rows:,} rows of {version.institutions:,} institutions"
        + (f"; {missing:,} that have signed are missing" if missing else "")
        + (". It is live." if is_live else ". It is built, and not live.")
        + f"\nSHA-256 of its manifest: {version.sha256}"
    )
