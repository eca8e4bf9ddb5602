"""Databases for backups: connections, what both kinds share, and which migrations one has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.core.management.base import CommandError
from django.db import connection, connections
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.db.models import Model
from oauth2_provider.models import DeviceGrant, Grant

from databrowser.models import LiveVersion
from filing.models import Institution, Signature, Submission, TrailEntry

SNAPSHOT = "snapshot"  # the alias of the connection that reads a snapshot

# The tables whose rows are counted in a backup, and again after it was restored.
COUNTED: tuple[type[Model], ...] = (
    User, Institution, Submission, Signature, LiveVersion, TrailEntry,
)  # fmt: skip

# The tables whose rows are in no backup: sessions, which shall not come back with a restore, and
# the codes of sign-ins under way, which expire soon.
LEFT_OUT: tuple[type[Model], ...] = (Session, Grant, DeviceGrant)

# Every database of before the first release has it, and none since.
_OLD = "filing.0002_people_and_trail"
TOO_OLD = (
    f"was made before release 1.0.0 (it has the migration {_OLD}), and no release upgrades it."
)
INSTEAD = (
    "Download files and receipts with the version that made it; then start this one with an empty "
    "DATA_DIR and, if DATABASE_URL is set, an empty database."
)


class Unusable(Exception):
    """A database cannot be backed up or restored; the message says why and what to do."""


@contextmanager
def connect_to(name: str) -> Iterator[str]:
    """Connect to the database of a name, with all other settings of the service's own."""
    other = connection.copy(SNAPSHOT)
    other.settings_dict["NAME"] = name
    connections[SNAPSHOT] = other
    try:
        yield SNAPSHOT
    finally:
        other.close()
        del connections[SNAPSHOT]


def count_rows(alias: str) -> dict[str, int]:
    """Return how many rows the counted tables have."""
    return {table._meta.label: table._default_manager.using(alias).count() for table in COUNTED}


def applied_migrations(alias: str) -> list[str]:
    """Return the migrations that were applied to a database, as `filing.0001_initial`."""
    return sorted(map(".".join, MigrationRecorder(connections[alias]).applied_migrations()))


def unknown_migrations(names: Iterable[str]) -> list[str]:
    """Return which of some migrations this version does not have."""
    loader = MigrationLoader(None)
    ours = {*loader.disk_migrations} | {
        old for migration in loader.disk_migrations.values() for old in migration.replaces
    }
    return sorted({*names} - {".".join(name) for name in ours})


def missing_migrations(names: Iterable[str]) -> list[str]:
    """Return which migrations of this version are not among some."""
    return sorted({".".join(name) for name in MigrationLoader(None).graph.nodes} - {*names})


def is_too_old(names: Iterable[str]) -> bool:
    """Return whether a database with these migrations was made before the first release."""
    return _OLD in names


def require_upgradable(*, using: str, **_: Any) -> None:
    """Refuse to migrate a database of before the first release: some of its tables would clash.

    Raises: CommandError.
    """
    if is_too_old(applied_migrations(using)):
        raise CommandError(f"The database {TOO_OLD} {INSTEAD}")
