"""Counts the records of signed files that an earlier release read."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from filing.submissions import record_counts


class Command(BaseCommand):
    help = (
        "Count the records of signed files that an earlier release read, for the figures of the "
        "season, and the records that corrections changed. Workers do the same, "
        f"{record_counts.COUNTED_AT_ONCE} files every 10 minutes."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        files = record_counts.count_signed_files(at_most=None)
        corrections = record_counts.compare_corrections(at_most=None)
        self.stdout.write(f"Counted {files:,} files, and compared {corrections:,} corrections.")
