"""Issues the signed receipts that are missing."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from filing.audit import keys
from filing.errors import NotFound
from filing.receipts import documents
from filing.submissions import receipt_description


class Command(BaseCommand):
    help = (
        "Issue signed receipts for signatures that have none, because there was no usable key. "
        "Workers do the same, 1,000 every 10 minutes. Signatures that are not authentic are left "
        "out, unless --unconfirmed names one."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--unconfirmed",
            default="",
            metavar="RECEIPT",
            help="the number of one receipt that is issued from the database alone, such as one of "
            "release 1.0.0: only if you know that it was signed",
        )
        parser.add_argument("--reason", default="", help="how you know it, for the audit log")

    def handle(self, *args: Any, **options: Any) -> None:
        number, reason = options["unconfirmed"], options["reason"].strip()
        if number and not reason:
            raise CommandError("Give --reason with --unconfirmed: it goes into the audit log.")
        try:
            if number:
                issued = documents.issue_unconfirmed_receipt(
                    number,
                    reason=reason,
                    describe_unchecked=receipt_description.make_check_claims,
                )
            else:
                issued = documents.issue_missing_receipts()
            self.stdout.write(f"Issued {issued} signed receipts.")
        except (keys.NoUsableKey, NotFound) as error:
            raise CommandError(str(error)) from error
