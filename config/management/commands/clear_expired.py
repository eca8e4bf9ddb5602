"""Removes expired sessions, tokens and leftover work now, not on the schedule."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from config.running import clearing


class Command(BaseCommand):
    help = (
        "Remove expired sessions, codes and tokens, counters, and leftovers of work, and print how "
        "many of each. The service does this every CLEAR_SECONDS. Safe to repeat, and to run while "
        "the service is running."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        has_failed = False
        for cleared in clearing.clear_expired():
            has_failed = has_failed or bool(cleared.error)
            self.stdout.write(f"{cleared.removed:>8,}  {cleared.kind}")
            if cleared.error:
                self.stderr.write(f"          failed: {cleared.error}")
        if has_failed:
            raise CommandError("Not everything could be removed. See the log for details.")
