"""Prepares a data folder: tables, keys and, on request, made-up data."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandParser
from django.utils import timezone

from config.identity import provider
from filing.lar.years import year_filed_on
from filing.models import Institution


class Command(BaseCommand):
    help = "Create or update the tables and keys; with --demo also load made-up data, once."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--demo", action="store_true", help="load made-up data to try it with")

    def handle(self, *args: Any, **options: Any) -> None:
        _close_to_others(settings.DATA_DIR)
        call_command("migrate", verbosity=0)
        if settings.EMBEDDED_PROVIDER:
            provider.prepare_provider()
        if options["demo"] and not Institution.objects.exists():
            from config import demo  # not needed in production

            demo.load_demo(data_year())


def _close_to_others(folder: Path) -> None:
    """Make a data folder private to the service's user; older ones may be open to others."""
    if folder.stat().st_uid == os.geteuid():
        folder.chmod(0o700)


def data_year() -> int:
    """Return the data year that is filed now."""
    return year_filed_on(timezone.localdate())
