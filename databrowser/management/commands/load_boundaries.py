"""`manage.py load_boundaries KIND YEARS FILE`: loads boundaries for maps."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from databrowser.boundaries import loading
from databrowser.models import BoundaryKind
from filing.access import Caller
from filing.errors import Refusal


class Command(BaseCommand):
    help = (
        "Load the boundaries of counties or census tracts for the maps of some data years: a "
        "cartographic boundary file of the Census Bureau (a ZIP with a shapefile), or GeoJSON in "
        "degrees. It is in use at once; a file with errors is refused."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        kinds = [kind.value for kind in BoundaryKind]
        parser.add_argument("kind", choices=kinds, metavar="KIND", help=" or ".join(kinds))
        parser.add_argument(
            "years",
            metavar="YEARS",
            help="a data year, or the first and the last one with a hyphen",
        )
        parser.add_argument("file", type=Path, metavar="FILE")
        parser.add_argument("--reason", default="", help="for the audit log")
        parser.add_argument("--by", default="command line", help="who loads it, for the audit log")

    def handle(self, *, kind: str, years: str, file: Path, reason: str, by: str, **_: Any) -> None:
        try:
            report = loading.load_boundaries(
                BoundaryKind(kind),
                loading.read_years(years),
                file.read_bytes(),
                source=file.name,
                by=Caller(id="", username=by),
                reason=reason,
            )
        except OSError as error:
            raise CommandError(f"The file cannot be read: {error}") from error
        except Refusal as refusal:
            raise CommandError(refusal.message) from refusal
        self.stdout.write(str(report))
