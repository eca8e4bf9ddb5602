"""Outages of a run with faults: what a service needs is away for a while, and comes back."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from tests.resilience.servers import Servers

Back = Callable[[], None]


class Outages(Protocol):
    """Takes parts away. Each method returns what brings the part back."""

    def database(self) -> Back: ...

    def broker(self) -> Back: ...

    def storage(self) -> Back: ...

    def connections(self) -> Back:
        """Cut the connections to the database: new ones are taken at once."""


class Folders:
    """Outages of SQLite and folders: a lock that is held, and folders that are gone."""

    def __init__(self, data_dir: Path) -> None:
        self._data_dir = data_dir

    def database(self) -> Back:
        connection = sqlite3.connect(
            self._data_dir / "service.sqlite3", timeout=60, check_same_thread=False
        )
        connection.isolation_level = None
        connection.execute("BEGIN IMMEDIATE")

        def back() -> None:
            connection.rollback()
            connection.close()

        return back

    def broker(self) -> Back:
        return _without(self._data_dir / "queue")

    def storage(self) -> Back:
        return _without(self._data_dir / "files")

    def connections(self) -> Back:
        """Lock the database for a moment: SQLite has no connections that could be cut."""
        back = self.database()
        time.sleep(1)
        back()
        return _nothing


class OfServers:
    """Outages of servers: killed, or out of reach."""

    def __init__(self, servers: Servers) -> None:
        self._servers = servers

    def database(self) -> Back:
        self._servers.database.kill()
        return self._servers.database.start

    def broker(self) -> Back:
        self._servers.broker.kill()
        return self._servers.broker.start

    def storage(self) -> Back:
        self._servers.storage_line.close()
        return self._servers.storage_line.open

    def connections(self) -> Back:
        self._servers.database.cut_connections()
        return _nothing


def _nothing() -> None:
    """Do nothing: it is back already."""


def _without(folder: Path) -> Back:
    """Put a file where a folder was, so that nothing is written beside it."""
    kept = folder.with_name(f"{folder.name}.away")
    folder.rename(kept)
    folder.touch()

    def back() -> None:
        folder.unlink()
        kept.rename(folder)

    return back
