"""`manage.py remove_demo`: takes the made-up data of a demo out of use."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from config import made_up
from filing.access import Caller
from filing.errors import Refusal


class Command(BaseCommand):
    help = (
        "Withdraw made-up publications, cancel made-up filings, disable the demo accounts, and "
        "take all else that is made up out of use. Submissions, signatures, receipts and the audit "
        "log stay. Safe to repeat, and to run while the service is running."
    )
    requires_system_checks: list[str] = []  # one of them sends here

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--reason",
            default="Made-up data were removed.",
            help="for the audit log and the public history",
        )
        parser.add_argument("--by", default="command line", help="who removes them, for the record")
        parser.add_argument("--dry-run", action="store_true", help="report what would be done")

    def handle(self, *, reason: str, by: str, dry_run: bool, **options: Any) -> None:
        caller = Caller(id="", username=by)
        try:
            lines = made_up.remove_made_up(by=caller, reason=reason, dry_run=dry_run)
        except Refusal as refusal:
            raise CommandError(refusal.message) from refusal
        if dry_run:
            self.stdout.write("Dry run, nothing was changed. It would be:")
        self.stdout.write("\n".join(lines or ["Nothing made up is in use."]))
