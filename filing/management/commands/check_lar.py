"""`manage.py check_lar FILE`: checks a LAR on this machine before it is filed."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from functools import partial
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from filing.client import checking, rules_comparison
from filing.client.checking import NotChecked
from filing.lar.years import Period, supported_years
from filing.reference.census import Census
from filing.reference.listing import BadLines
from filing.reference_data import registry


class Command(BaseCommand):
    help = (
        "Check a LAR or a spreadsheet on this machine as the service would: formatting errors, and "
        "all edits except those that compare with the panel of institutions. Exit codes: 0 no edit "
        "was triggered; 10 quality or macro edits must be verified; 11 syntactical or validity "
        "edits must be corrected; 12 lines have formatting errors, cells cannot be read, or the "
        "file is empty; 1 or 2 the file was not checked. With --rules only the edits count that "
        "the other rules trigger alone, or by more records."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        years = supported_years()
        parser.add_argument("path", type=Path, metavar="FILE", help="a LAR, or a spreadsheet")
        parser.add_argument("--year", type=int, choices=years, required=True, metavar="YEAR")
        parser.add_argument("--quarter", choices=("Q1", "Q2", "Q3"), help="default: annual filing")
        parser.add_argument(
            "--rules",
            type=int,
            choices=years,
            metavar="YEAR",
            help="print what the rules of this year find that those of --year do not",
        )
        parser.add_argument(
            "--census",
            type=Path,
            metavar="FILE",
            help="census file of the year; default: the loaded census, if there is one",
        )
        output = parser.add_mutually_exclusive_group()
        output.add_argument("--json", action="store_true", help="print only a JSON document")
        output.add_argument("--csv", action="store_true", help="print only CSV, a line per finding")

    def handle(
        self, *, path: Path, year: int, quarter: str | None, census: Path | None, **options: Any
    ) -> None:
        form = "json" if options["json"] else "csv" if options["csv"] else "text"
        report = checking.write_check_report
        if rules_year := options["rules"]:
            report = partial(rules_comparison.report_difference, rules_year=rules_year)
        try:
            with checking.open_lar_file(path, Period.of(year, quarter or "")) as lar:
                facts = _census(census, year)
                ending = report(lar, census=facts, form=form, write=self._write)
        except NotChecked as error:
            raise CommandError(f"{path}: {error}") from error
        except (OSError, BadLines) as error:
            raise CommandError(str(error)) from error
        if ending:
            sys.exit(ending)

    def _write(self, piece: str) -> None:
        self.stdout.write(piece, ending="")


def _census(path: Path | None, year: int) -> Census | None:
    """Return the census of a file, or the loaded one.

    Raises: BadLines, OSError.
    """
    return (
        registry.read_census_file(path, year) if path else registry.find_census_if_available(year)
    )
