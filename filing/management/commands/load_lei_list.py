"""`manage.py load_lei_list FILE`: loads GLEIF's list, with which new LEIs are compared."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from filing.access import Caller
from filing.management.loading import raise_command_errors
from filing.panel import lei_lists


class Command(BaseCommand):
    help = (
        "Load the list of LEIs that GLEIF publishes (golden copy, CSV or its ZIP). New "
        "institutions are compared with it. It replaces the list loaded before."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE")
        parser.add_argument(
            "--country",
            action="append",
            default=[],
            metavar="CODE",
            help="load only legal entities of this country, such as US; may be repeated",
        )
        parser.add_argument("--by", default="command line", help="who loads it, for the audit log")

    def handle(self, *, file: Path, country: list[str], by: str, **_: Any) -> None:
        with raise_command_errors():
            report = lei_lists.load_lei_list(file, countries=country, by=Caller(id="", username=by))
        self.stdout.write(str(report))
