"""SQLite: a snapshot by its online backup, and a restored file that takes the place of another."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from django.db import connection, connections

from config.backups import streams
from config.backups.databases.connecting import Restored, Snapshot, Unusable, connected

_BUSY_SECONDS = 20.0
_LOGS = ("-wal", "-shm")


@contextmanager
def snapshot(folder: Path, alias: str) -> Iterator[Snapshot]:
    """Take a snapshot into a folder of this machine. Others may go on writing to the database."""
    file = folder / "database"
    with closing(_opened(_own_file())) as source, closing(_opened(file)) as copy:
        source.backup(copy)  # all pages in one step: the state of one moment
        _require_sound(copy)

    def chunks() -> Iterator[bytes]:
        with file.open("rb") as content:
            yield from streams.pieces(content)

    with connected(str(file), alias):
        yield Snapshot(alias, chunks)


@contextmanager
def restored(content: Path, backup: str, alias: str) -> Iterator[Restored]:
    """Put a stored snapshot into a file beside the service's own."""
    own = _own_file()
    fresh = own.with_name(f"{own.name}.restored-{backup}")
    own.parent.mkdir(parents=True, exist_ok=True)
    _remove(fresh)
    try:
        with content.open("rb") as source, fresh.open("wb") as target:
            shutil.copyfileobj(source, target)
            target.flush()
            os.fsync(target.fileno())
        with closing(_opened(fresh)) as database:
            _require_sound(database)
        with connected(str(fresh), alias) as name:
            yield Restored(name, lambda: _take_over(fresh, own, backup, name))
    except sqlite3.DatabaseError as error:
        raise Unusable(f"The database of the backup cannot be read: {error}") from error
    finally:
        _remove(fresh)


def _take_over(fresh: Path, own: Path, backup: str, alias: str) -> str:
    """Replace the service's file at once: there is no moment without a database."""
    for name in (alias, "default"):
        connections[name].close()
    for file in (fresh, own):
        if file.exists():
            _write_back(file)
    kept = own.with_name(f"{own.name}.before-{backup}")
    if had_one := own.exists():
        kept.unlink(missing_ok=True)
        os.link(own, kept)
    fresh.replace(own)
    return str(kept) if had_one else ""


def _write_back(file: Path) -> None:
    """Write the log of a database back to its file, and delete the log."""
    with closing(_opened(file)) as database:
        busy, *_ = database.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    if busy:
        raise Unusable(f"Another process uses {file}. Stop all parts of the service.")
    for end in _LOGS:
        Path(f"{file}{end}").unlink(missing_ok=True)


def _own_file() -> Path:
    return Path(connection.settings_dict["NAME"])


def _opened(file: Path) -> sqlite3.Connection:
    return sqlite3.connect(file, timeout=_BUSY_SECONDS)


def _require_sound(database: sqlite3.Connection) -> None:
    (verdict,) = database.execute("PRAGMA quick_check(1)").fetchone()
    if verdict != "ok":
        raise Unusable(f"The database is damaged: {verdict}")


def _remove(file: Path) -> None:
    for end in ("", *_LOGS):
        Path(f"{file}{end}").unlink(missing_ok=True)
