"""Prepares a data folder: tables, keys and, on request, made-up data."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandParser
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

from config.identity import provider
from filing.lar.years import year_filed_on
from filing.models import Institution


class Command(BaseCommand):
    help = "Create or update the tables and keys; with --demo also load made-up data, once."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--demo", action="store_true", help="load made-up data to try it with")

    def handle(self, *args: Any, **options: Any) -> None:
        if prepare_data_folder(demo=options["demo"]):
            publish_demo_graphs()
            publish_demo_records()


def prepare_data_folder(*, demo: bool) -> bool:
    """Create or update the tables and keys; return whether made-up data were loaded."""
    _close_to_others(settings.DATA_DIR)
    create_tables()
    if settings.EMBEDDED_PROVIDER:
        provider.prepare_provider()
    if not demo or Institution.objects.exists():
        return False
    from config.demo import load_demo  # not needed in production

    load_demo(data_year())
    return True


def publish_demo_graphs() -> None:
    """Publish graphs of made-up facts, also beside `publish_demo_records`."""
    from config import demo

    demo.publish_graphs(data_year())


def publish_demo_records() -> None:
    """Publish made-up records of past years."""
    from config import demo

    demo.publish_records()


def create_tables() -> None:
    """Create or update the tables, in a new database those of the identity provider first.

    Its library changes 82 fields on the way. Each time Django builds the related models anew, which
    are few as long as our own do not exist.
    """
    executor = MigrationExecutor(connection)
    if not executor.loader.applied_migrations:
        executor.migrate(executor.loader.graph.leaf_nodes("oauth2_provider"))
    call_command("migrate", verbosity=0)


def _close_to_others(folder: Path) -> None:
    """Make a data folder private to the service's user; older ones may be open to others."""
    if folder.stat().st_uid == os.geteuid():
        folder.chmod(0o700)


def data_year() -> int:
    """Return the data year that is filed now."""
    return year_filed_on(timezone.localdate())
