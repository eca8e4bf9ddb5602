"""`manage.py load_apor FILE|URL`: loads average prime offer rates."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from filing.reference.listing import BadLines
from ratespread import loading
from ratespread.models import AporKind


class Command(BaseCommand):
    help = "Load APOR tables, each whole or not at all. The rates are in use immediately."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "sources",
            nargs="+",
            metavar="FILE|URL",
            help="lines with a date and 50 rates, separated by | or commas",
        )
        parser.add_argument(
            "--kind", choices=AporKind.values, help="kind of rates; default: from the file name"
        )
        parser.add_argument("--dry-run", action="store_true", help="only report what would change")
        parser.add_argument("--by", default="command line", help="who loads it, for the record")

    def handle(
        self, *, sources: list[str], kind: str | None, dry_run: bool, by: str, **_: Any
    ) -> None:
        for source in sources:
            report = loading.load_apor_table(self._read(source, kind), by=by, dry_run=dry_run)
            self.stdout.write(str(report))
            if dry_run:
                self.stdout.write("Nothing was loaded: this was a dry run.")
            elif report.load is None:
                self.stdout.write("Nothing was loaded: the rates are the same as those in use.")

    def _read(self, source: str, kind: str | None) -> loading.AporFile:
        is_address = loading.is_address(source)
        name = source if is_address else Path(source).name
        try:
            table = AporKind(kind) if kind else loading.find_kind(name.rpartition("/")[2])
            data = loading.fetch_apor_table(source) if is_address else Path(source).read_bytes()
            return loading.read_apor_table(data, kind=table, source=name)
        except OSError as error:
            raise CommandError(f"The file cannot be read: {error}") from error
        except loading.UnknownKind as error:
            raise CommandError(f"{error} Add --kind fixed or --kind variable.") from error
        except loading.AporNotFetched as error:
            raise CommandError(str(error)) from error
        except BadLines as error:
            raise CommandError(f"{error}\nNothing was loaded: {error.summary}.") from error
