"""The kind of the service's database, with its functions."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path

from django.db import connection

from config.backups.databases import postgresql, sqlite
from config.backups.databases.connecting import Restored, Snapshot

_MODULES = {"sqlite": sqlite, "postgresql": postgresql}


def kind() -> str:
    """Return `sqlite` or `postgresql`."""
    return connection.vendor


def snapshot(folder: Path, alias: str) -> AbstractContextManager[Snapshot]:
    """Take a snapshot of the service's database, which stays as long as the context."""
    return _MODULES[kind()].snapshot(folder, alias)


def restored(content: Path, backup: str, alias: str) -> AbstractContextManager[Restored]:
    """Restore a snapshot in a fresh place, which goes unless it takes over."""
    return _MODULES[kind()].restored(content, backup, alias)
