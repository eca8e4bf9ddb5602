"""The migrations of a database, compared with those of this version."""

from __future__ import annotations

from collections.abc import Iterable

from django.db import connections
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder


def applied(alias: str) -> list[str]:
    """Return the migrations that were applied to a database, as `filing.0001_initial`."""
    return sorted(map(".".join, MigrationRecorder(connections[alias]).applied_migrations()))


def unknown(names: Iterable[str]) -> list[str]:
    """Return which of some migrations this version does not have."""
    loader = MigrationLoader(None)
    known = {*loader.disk_migrations} | {
        old for migration in loader.disk_migrations.values() for old in migration.replaces
    }
    return sorted({*names} - {".".join(name) for name in known})


def missing(names: Iterable[str]) -> list[str]:
    """Return which migrations of this version are not among some."""
    return sorted({".".join(name) for name in MigrationLoader(None).graph.nodes} - {*names})
