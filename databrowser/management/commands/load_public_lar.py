"""`manage.py load_public_lar FILE`: imports a published file of public loan records."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from rich.console import Console
from rich.progress import Progress, SpinnerColumn

from databrowser.publication.columns import PUBLIC
from databrowser.publication.imports import public_files
from filing.access import Caller
from filing.errors import Refusal


class Command(BaseCommand):
    help = (
        f"Import a published file of public loan records ({len(PUBLIC)} columns, with or without a "
        "header, comma- or pipe-delimited, plain, .gz or .zip), all of it or nothing. It replaces "
        "earlier imports of its year from the next `publish` on."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE")
        parser.add_argument("--year", type=int, help="refuse records of any other year")
        parser.add_argument(
            "--panel",
            type=Path,
            metavar="FILE",
            help="names of institutions: a public panel, transmittal sheets, or columns lei, name",
        )
        parser.add_argument(
            "--beside",
            action="store_true",
            help="keep earlier imports of the year for institutions that are not in this file",
        )
        parser.add_argument("--reason", default="", help="for the record")
        parser.add_argument("--by", default="command line", help="who loads it, for the record")

    def handle(
        self,
        *,
        file: Path,
        year: int | None,
        panel: Path | None,
        beside: bool,
        reason: str,
        by: str,
        **_: Any,
    ) -> None:
        columns = ("{task.description}", SpinnerColumn(), "{task.completed:,} records")
        with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task(f"Reading {file.name}", total=None)
            try:
                report = public_files.import_public_file(
                    file,
                    by=Caller(id="", username=by),
                    year=year,
                    panel=panel,
                    beside=beside,
                    reason=reason,
                    progress=lambda read: bar.update(task, completed=read),
                )
            except OSError as error:
                raise CommandError(f"The file cannot be read: {error}") from error
            except Refusal as refusal:
                raise CommandError(refusal.message) from refusal
        self.stdout.write(str(report))
