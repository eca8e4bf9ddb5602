"""The kind of the service's database, with its functions."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path

from django.db import connection

from config.backups.databases import postgresql, sqlite
from config.backups.databases.connecting import Unusable

_MODULES = {"sqlite": sqlite, "postgresql": postgresql}


def database_kind() -> str:
    """Return `sqlite` or `postgresql`."""
    return connection.vendor


def take_snapshot(path: Path) -> AbstractContextManager[str]:
    """Write a snapshot of the service's database to a file.

    The context gives the alias of a connection that reads the same state.
    """
    return _MODULES[database_kind()].take_snapshot(path)


def restore_snapshot(path: Path) -> None:
    """Restore a snapshot into the service's database, which has no tables. Raises: Unusable."""
    _MODULES[database_kind()].restore_snapshot(path)


def require_empty() -> None:
    """Refuse a database that has tables. Raises: Unusable."""
    if connection.introspection.table_names():
        raise Unusable(
            f"The database {connection.settings_dict['NAME']} has tables, and a backup is restored "
            f"into an empty one. {_MODULES[database_kind()].SET_ASIDE}, and try again."
        )
