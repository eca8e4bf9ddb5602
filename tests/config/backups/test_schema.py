"""Migrations of a database that this version has, lacks, or had before the first release."""

from __future__ import annotations

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from config.backups.databases import connecting


def test_a_migration_of_a_later_version_is_unknown() -> None:
    assert connecting.unknown_migrations(["filing.0001_initial", "filing.0999_later"]) == [
        "filing.0999_later"
    ]
    assert "graphs.0001_initial" in connecting.missing_migrations(["filing.0001_initial"])


@pytest.mark.servers
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("command", ["migrate", "prepare"])
def test_a_database_of_before_the_first_release_is_not_migrated(command: str) -> None:
    recorder = MigrationRecorder(connection)
    recorder.record_applied("filing", "0002_people_and_trail")
    ours = sorted(
        name for app, name in MigrationLoader(None).disk_migrations if app == "databrowser"
    )
    for name in ours:
        recorder.record_unapplied("databrowser", name)  # the first one had another name
    try:
        with pytest.raises(CommandError, match="start this one with an empty DATA_DIR"):
            call_command(command, verbosity=0)
    finally:
        for name in ours:
            recorder.record_applied("databrowser", name)
        recorder.record_unapplied("filing", "0002_people_and_trail")
