"""`manage.py load_institutions FILE`: adds and changes institutions of the panel."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from filing.errors import Refusal
from filing.panel import panel_imports
from filing.panel.columns import REQUIRED_COLUMNS
from filing.periods import filings


class Command(BaseCommand):
    help = (
        "Add and change institutions from a CSV or XLSX file, a public panel, or public "
        f"transmittal sheets. Required columns of a list: {', '.join(REQUIRED_COLUMNS)}. Rows with "
        "errors are reported and skipped."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE")
        parser.add_argument(
            "--dry-run", action="store_true", help="report what would change, row by row"
        )
        parser.add_argument(
            "--strict", action="store_true", help="load nothing and fail if any row has an error"
        )

    def handle(self, *, file: Path, dry_run: bool, strict: bool, **_: Any) -> None:
        try:
            report = panel_imports.load_panel(file, dry_run=dry_run, strict=strict)
        except OSError as error:
            raise CommandError(f"The file cannot be read: {error}") from error
        except Refusal as error:
            raise CommandError(error.message) from error
        if report.ignored_columns:
            self.stdout.write(f"Unknown columns, ignored: {', '.join(report.ignored_columns)}.")
        for difference in report.differences if dry_run else ():
            self.stdout.write(difference)
        for skipped in report.skipped:
            self.stdout.write(f"skipped {skipped}")
        self.stdout.write(str(report))
        if new := filings.describe_new_filings(report.filings):
            self.stdout.write(new)
        if strict and report.skipped:
            raise CommandError("Nothing was loaded: some rows have errors.")
        if not report.loaded:
            self.stdout.write("Nothing was loaded: this was a dry run.")
