"""Makes a new key to sign receipts with."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from filing.audit import keys


class Command(BaseCommand):
    help = (
        "Make a new key to sign receipts with. Receipts that older keys signed stay genuine. No "
        "restart is needed."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            self.stdout.write(f"New receipt key: {keys.rotate_key()}")
        except keys.NoUsableKey as error:
            raise CommandError(str(error)) from error
