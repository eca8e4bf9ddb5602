"""Removes old backups, and shared files that no remaining backup needs."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from django.conf import settings

from config.backups import manifests
from config.backups.archives import SHARED, Archive
from filing import removals


def prune(archive: Archive, *, keep: int) -> tuple[list[str], int]:
    """Remove all but the newest complete backups; return their ids, and how many files went.

    Incomplete and unfinished ones are removed once a newer one is complete. The newest complete
    backup always stays. Nothing is removed if the list of a backup that stays cannot be read.

    Raises: Damaged; AlreadyPaused while a backup runs.
    """
    with removals.paused():
        complete = [m.id for m in manifests.finished(archive, check=False) if m.is_complete]
        kept = complete[-max(keep, 1) :]
        if not kept:
            return [], 0
        doomed = [b for b in manifests.ids(archive) if b not in kept and b < kept[-1]]
        with _names_of(archive, doomed) as needed:
            for backup in doomed:
                manifests.remove(archive, backup)
            removed = 0
            for name in archive.target.names(SHARED):
                if not needed.execute("SELECT 1 FROM names WHERE name = ?", [name]).fetchone():
                    archive.target.delete(name)
                    removed += 1
    return doomed, removed


@contextmanager
def _names_of(archive: Archive, doomed: list[str]) -> Iterator[sqlite3.Connection]:
    """Give a table on disk of the shared files that remaining backups need."""
    with (
        tempfile.TemporaryDirectory(dir=settings.FILE_UPLOAD_TEMP_DIR, prefix="work-") as folder,
        closing(sqlite3.connect(Path(folder, "names"))) as names,
    ):
        names.execute("CREATE TABLE names (name TEXT PRIMARY KEY) WITHOUT ROWID")
        for listed in manifests.finished(archive, check=False):
            if listed.id in doomed:
                continue
            manifest = manifests.read(archive, listed.id)
            names.executemany(
                "INSERT OR IGNORE INTO names VALUES (?)",
                (
                    (archive.shared(entry.size, entry.sha256).name,)
                    for entry in manifests.entries(archive, manifest)
                ),
            )
        yield names
