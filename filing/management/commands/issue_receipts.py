"""Issues the signed receipts that are missing."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from filing.receipts import documents, keys


class Command(BaseCommand):
    help = (
        "Issue signed receipts for signatures that have none: from before receipts were signed, or "
        "while there was no usable key. Workers do the same, 1,000 every 10 minutes."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            self.stdout.write(f"Issued {documents.issue_missing_receipts()} signed receipts.")
        except keys.NoUsableKey as error:
            raise CommandError(str(error)) from error
