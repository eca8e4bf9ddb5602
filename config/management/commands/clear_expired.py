"""Removes expired sessions, tokens and leftover work now; the service does so on its schedule."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from config import clearing


class Command(BaseCommand):
    help = (
        "Remove what has served its time, and print how much of each: expired sessions, codes and "
        "tokens, counters, and leftovers of work. The service does so every CLEAR_SECONDS. May be "
        "repeated, and while the service runs."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        failed = False
        for cleared in clearing.clear():
            failed = failed or bool(cleared.error)
            self.stdout.write(f"{cleared.removed:>8,}  {cleared.kind}")
            if cleared.error:
                self.stderr.write(f"          failed: {cleared.error}")
        if failed:
            raise CommandError("Not everything could be cleared. The log has the details.")
