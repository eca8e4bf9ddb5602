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
from databrowser.models import Publication, PublicImport, Version
from filing import standing
from filing.lar.years import year_filed_on
from filing.models import AuditEvent, Institution, Job, TrailEntry
from graphs.models import Computation, FactsImport


class Command(BaseCommand):
    help = "Create or update the tables and keys; with --demo also load made-up data, once."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--demo", action="store_true", help="load made-up data to try it with")

    def handle(self, *args: Any, **options: Any) -> None:
        if prepare_data_folder(demo=options["demo"]):
            publish_demo_graphs()
            publish_demo_records()


def prepare_data_folder(*, demo: bool) -> bool:
    """Create or update the tables and keys, and load made-up data into an empty panel.

    Returns whether made-up data are still to be published: now, or because an earlier start was cut
    off. Never once they were removed.
    """
    _close_to_others(settings.DATA_DIR)
    create_tables()
    if settings.EMBEDDED_PROVIDER:
        provider.prepare_provider()
    if not demo or TrailEntry.objects.filter(event=AuditEvent.DEMO_REMOVED).exists():
        return False
    if not Institution.objects.exists():
        from config.demo import load_demo  # not needed in production

        load_demo(data_year())
    has_demo = Institution.objects.filter(standing.is_made_up()).exists()
    return has_demo and (_lacks_graphs() or bool(_unpublished_years()))


def publish_demo_graphs() -> None:
    """Publish graphs of made-up facts if there are none, also beside `publish_demo_records`."""
    from config import demo

    if _lacks_graphs():
        demo.publish_graphs(data_year())


def publish_demo_records() -> None:
    """Publish made-up records of the past years in which nothing was ever published."""
    from config import demo

    if years := _unpublished_years():
        demo.publish_records(years)


def _lacks_graphs() -> bool:
    """Tell whether no graph was ever computed from facts, nor real facts were imported."""
    with_facts = Computation.objects.filter(state=Computation.State.MADE, rows__gt=0)
    return not (with_facts.exists() or FactsImport.objects.filter(is_demo=False).exists())


def _unpublished_years() -> list[int]:
    """Return the years of the data browser to make records up for; none beside real ones.

    Left out are years whose version is being built: a worker completes and publishes it.
    """
    if (
        PublicImport.objects.filter(is_demo=False).exists()
        or Publication.objects.filter(version__is_demo=False).exists()
    ):
        return []
    in_work = Version.objects.filter(job__state__in=Job.UNFINISHED)
    begun = {*Publication.objects.values_list("year", flat=True)}
    begun |= {*in_work.values_list("year", flat=True)}
    return [year for year in settings.BROWSER_YEARS if year not in begun]


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
