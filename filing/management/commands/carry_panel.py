"""`manage.py carry_panel FROM TO`: adds an earlier year's institutions that a later year lacks."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from filing.access import SERVICE
from filing.errors import Refusal
from filing.panel.carry_over import carry_panel_over


class Command(BaseCommand):
    help = (
        "Carry the panel of a year over to a later year. Institutions that are already there do "
        "not change; the record of what was filed is not carried over."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("from_year", type=int, metavar="FROM")
        parser.add_argument("to_year", type=int, metavar="TO")
        parser.add_argument("--reason", default="carry_panel", help="recorded with every change")
        parser.add_argument("--dry-run", action="store_true", help="report what would be added")

    def handle(self, *, from_year: int, to_year: int, reason: str, dry_run: bool, **_: Any) -> None:
        try:
            report = carry_panel_over(
                from_year, to_year, reason=reason, dry_run=dry_run, by=SERVICE
            )
        except Refusal as error:
            raise CommandError(error.message) from error
        self.stdout.write(str(report))
        for lei, name, differences in report.differing if dry_run else ():
            changes = ", ".join(
                f"{field} {was!r}, now {now!r}" for field, (was, now) in differences.items()
            )
            self.stdout.write(f"{lei} {name}: {changes}")
        if dry_run:
            self.stdout.write("Nothing was added: this was a dry run.")
