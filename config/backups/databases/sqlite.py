"""SQLite: a snapshot by its online backup, in one step, and back in the same way."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from django.db import connection

from config.backups.databases.connecting import LEFT_OUT, Unusable, connect_to

SET_ASIDE = "Move its file away, and those with -wal and -shm"
_BUSY_SECONDS = 20.0


@contextmanager
def take_snapshot(path: Path) -> Iterator[str]:
    """Write a snapshot to a file. Others may go on writing to the database."""
    _copy(_own_file(), path)
    with closing(_connect(path)) as copy, copy:
        copy.execute("PRAGMA secure_delete = ON")  # else the file keeps what was deleted
        for table in LEFT_OUT:
            copy.execute(f'DELETE FROM "{table._meta.db_table}"')  # noqa: S608 -- tables of Django
    with connect_to(str(path)) as alias:
        yield alias


def restore_snapshot(path: Path) -> None:
    """Restore a snapshot in one step: until its end, nothing is changed."""
    own = _own_file()
    own.parent.mkdir(parents=True, exist_ok=True)
    _copy(path, own)


def _copy(source: Path, to: Path) -> None:
    try:
        with closing(_connect(source)) as original, closing(_connect(to)) as copy:
            original.backup(copy)  # all pages in one step: the state of one moment
            (verdict,) = copy.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.DatabaseError as error:
        raise Unusable(f"The database cannot be copied: {error}") from error
    if verdict != "ok":
        raise Unusable(f"The database is damaged: {verdict}")


def _own_file() -> Path:
    return Path(connection.settings_dict["NAME"])


def _connect(file: Path) -> sqlite3.Connection:
    return sqlite3.connect(file, timeout=_BUSY_SECONDS)
