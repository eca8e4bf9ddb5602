"""The migrations of a database, compared with those of this version."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.core.management.base import CommandError
from django.db import connections
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

# Every database of before the first release has it, and none since.
_OLD = "filing.0002_people_and_trail"
TOO_OLD = (
    f"was made before release 1.0.0 (it has the migration {_OLD}), and no release upgrades it."
)
INSTEAD = (
    "Download files and receipts with the version that made it; then start this one with an empty "
    "DATA_DIR and, if DATABASE_URL is set, an empty database."
)


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


def is_too_old(names: Iterable[str]) -> bool:
    """Return whether a database with these migrations was made before the first release."""
    return _OLD in names


def require_upgradable(*, using: str, **_: Any) -> None:
    """Refuse to migrate a database of before the first release: some of its tables would clash.

    Raises: CommandError.
    """
    if is_too_old(applied(using)):
        raise CommandError(f"The database {TOO_OLD} {INSTEAD}")
