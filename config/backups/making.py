"""Makes a backup: a snapshot of the database, then the files that its rows name.

Stored files are written once and never changed, and while a backup runs none is removed
(`filing.removals`). So what the snapshot names is there until it was copied, however long that
takes and whatever is filed meanwhile. What is filed meanwhile belongs to the next backup.
"""

from __future__ import annotations

import json
import logging
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import IO

from botocore.exceptions import BotoCoreError, ClientError
from django.conf import settings
from django.utils import timezone

from config.backups import data_files, manifests, named_files, schema, sealing, streams
from config.backups.archives import Archive, digest
from config.backups.databases import kinds
from config.backups.databases.connecting import row_counts
from config.backups.manifests import DATA, STORAGE, FileEntry, Manifest
from config.backups.named_files import Named
from config.backups.sealing import Damaged
from filing import audit, removals
from filing.access import SERVICE
from filing.models import AuditEvent

log = logging.getLogger(__name__)

_ALIAS = "snapshot"
_STORAGE_ERRORS = (OSError, BotoCoreError, ClientError)


@dataclass
class _Work:
    """What one backup has copied so far."""

    archive: Archive
    again: bool
    lines: IO[bytes]
    report: Callable[[str], None]
    files: int = 0
    copied: int = 0
    sent: int = 0
    problems: list[str] = field(default_factory=list)

    def fail(self, problem: str) -> None:
        log.error("Backup: %s", problem)
        self.report(problem)
        self.problems.append(problem)

    def store(self, entry: FileEntry, chunks: Callable[[], Iterable[bytes]]) -> None:
        """Store a file, unless an earlier backup has it, and list it. Raises: Damaged."""
        part = self.archive.shared(entry.size, entry.sha256)
        if self.again or not self.archive.has(part):
            self.archive.share(part, chunks)
            self.sent += entry.size
        self.lines.write(entry.line)
        self.files += 1
        self.copied += entry.size


def make(
    archive: Archive, *, again: bool = False, report: Callable[[str], None] = lambda line: None
) -> Manifest:
    """Make a backup and return its manifest, which has the problems if it is not complete.

    again: store every file once more, also those that an earlier backup has.

    Raises: AlreadyPaused while another backup runs; Unusable for the database.
    """
    began_at, backup = _start(archive)
    with (
        removals.paused(),
        tempfile.TemporaryDirectory(dir=settings.FILE_UPLOAD_TEMP_DIR, prefix="work-") as folder,
    ):
        names, lines = Path(folder, "names"), Path(folder, "files")
        with kinds.snapshot(Path(folder), _ALIAS) as snapshot:
            migrations = schema.applied(snapshot.alias)
            rows = row_counts(snapshot.alias)
            _write_names(names, snapshot.alias)
            report(f"Backup {backup}: database")
            database = archive.write(manifests.part_of(backup, "database"), snapshot.chunks())
        with lines.open("wb") as lines_file:
            work = _Work(archive, again, lines_file, report)
            report(f"Backup {backup}: files")
            for named in _read_names(names):
                _copy(work, named)
            for name, file in data_files.present():
                content = file.read_bytes()
                work.store(FileEntry(DATA, name, *digest([content])), partial(iter, [content]))
        with lines.open("rb") as lines_file:
            files = archive.write(manifests.part_of(backup, "files"), streams.pieces(lines_file))
        manifest = Manifest(
            id=backup,
            product_version=settings.VERSION,
            began_at=began_at.isoformat(timespec="seconds"),
            ended_at=timezone.now().isoformat(timespec="seconds"),
            database_kind=kinds.kind(),
            migrations=migrations,
            database=database,
            files=files,
            file_count=work.files,
            file_bytes=work.copied,
            sent_bytes=work.sent + database.size + files.size,
            rows=rows,
            key=sealing.key_name(archive.key),
            problems=work.problems,
        )
        manifests.write(archive, manifest)
    _record(manifest)
    return manifest


def _start(archive: Archive) -> tuple[datetime, str]:
    """Return the time and id of a new backup; two in one second would have the same id."""
    while True:
        began_at = timezone.now()
        backup = manifests.new_id(began_at)
        if not any(archive.target.names(manifests.part_of(backup, "").rstrip("/"))):
            return began_at, backup
        time.sleep(0.1)


def _copy(work: _Work, named: Named) -> None:
    """Copy the files of a row; what is missing or differs is a problem of the backup."""
    try:
        paths = [path for path in named_files.files_of(named) if path]
    except _STORAGE_ERRORS as error:
        work.fail(f"{named.owner}: {named.path} cannot be read: {error}")
        return
    for path in {*named.hashes} - {*paths} | ({named.path} if not paths else set()):
        work.fail(f"{named.owner}: {path or 'its file'} is not in storage.")
    for path in paths:
        try:
            size, sha256 = digest(streams.stored(path))
        except FileNotFoundError:
            work.fail(f"{named.owner}: {path} is not in storage.")
            continue
        except _STORAGE_ERRORS as error:
            work.fail(f"{named.owner}: {path} cannot be read: {error}")
            continue
        if (recorded := named.hashes.get(path, sha256)) != sha256:
            work.fail(
                f"{named.owner}: {path} differs from what was recorded: its SHA-256 is {sha256}, "
                f"not {recorded}."
            )
        try:
            work.store(FileEntry(STORAGE, path, size, sha256), partial(streams.stored, path))
        except Damaged as error:
            work.fail(f"{named.owner}: {path}: {error}")


def _write_names(path: Path, alias: str) -> None:
    """Write down what the rows name: the snapshot is not kept while the files are copied."""
    with path.open("w") as file:
        for named in named_files.every(alias):
            file.write(json.dumps(named.as_json()) + "\n")


def _read_names(path: Path) -> Iterator[Named]:
    with path.open() as file:
        for line in file:
            yield Named(**json.loads(line))


def _record(manifest: Manifest) -> None:
    problems = f"problems: {len(manifest.problems)}" if manifest.problems else "complete"
    counts = f"{manifest.file_count} files, {manifest.file_bytes} bytes"
    audit.record(
        AuditEvent.BACKUP_MADE, by=SERVICE, about=manifest.id, reason=f"{counts}, {problems}"
    )
