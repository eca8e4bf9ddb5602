"""Makes a backup: a snapshot of the database, then the files that its rows name.

Stored files are written once and never changed, and a folder that rows no longer name stays for
REMOVAL_HOURS (`filing.storage.discard_folder`). So what the snapshot names is there until it was
copied, whatever is filed meanwhile, which belongs to the next backup.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import IO

from botocore.exceptions import BotoCoreError, ClientError
from django.conf import settings
from django.core.files import File
from django.core.files.storage import Storage, default_storage
from django.utils import timezone

from config.backups import contents, manifests, targets
from config.backups.contents import NamedFile
from config.backups.databases import connecting, kinds
from config.backups.databases.connecting import count_rows
from config.backups.manifests import STORAGE, BackupPart, FileEntry, Manifest
from filing import audit, storage
from filing.access import SERVICE
from filing.audit import keys, sealing
from filing.models import AuditEvent

log = logging.getLogger(__name__)

_STORAGE_ERRORS = (OSError, BotoCoreError, ClientError)


@dataclass
class _Copying:
    """What one backup has copied so far. since: older copies at the target are written again."""

    target: Storage
    since: datetime
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

    def store(self, place: str, path: str, file: File[bytes]) -> str:
        """List a file, and store it unless a recent backup has; return its SHA-256."""
        size, sha256 = targets.digest_file(file)
        entry = FileEntry(place, path, size, sha256)
        if not targets.has_since(self.target, entry.stored_as, size=size, since=self.since):
            self.target.save(entry.stored_as, file)
            self.sent += size
        self.lines.write(entry.line)
        self.files += 1
        self.copied += size
        return sha256


def make_backup(
    target: Storage, *, again: bool = False, report: Callable[[str], None] = lambda line: None
) -> Manifest:
    """Make a backup and return its manifest, which has the problems if it is not complete.

    again: store every file once more, also those that an earlier backup has.

    Raises: NoUsableKey if it cannot be signed; Unusable for the database.
    """
    began_at = timezone.now()
    backup, key = manifests.new_backup_id(began_at), keys.require_signing_key()
    sealing.seal_entries()
    since = began_at - timedelta(days=0 if again else settings.BACKUP_DAYS)
    with storage.make_work_folder() as folder:
        dump, names, list_of_files = folder / "database", folder / "names", folder / "files"
        report(f"Backup {backup}: database")
        with kinds.take_snapshot(dump) as alias:
            migrations, rows = connecting.applied_migrations(alias), count_rows(alias)
            _write_names(names, alias)
        database = _send(target, manifests.name_part(backup, "database"), dump)
        report(f"Backup {backup}: files")
        with list_of_files.open("wb") as lines:
            copying = _Copying(target, since, lines, report)
            for source in _read_names(names):
                _copy(copying, source)
        files = _send(target, manifests.name_part(backup, "files"), list_of_files)
    manifest = Manifest(
        id=backup,
        product_version=settings.VERSION,
        began_at=began_at.isoformat(timespec="seconds"),
        ended_at=timezone.now().isoformat(timespec="seconds"),
        database_kind=kinds.database_kind(),
        migrations=migrations,
        database=database,
        files=files,
        file_count=copying.files,
        file_bytes=copying.copied,
        sent_bytes=copying.sent + database.size + files.size,
        rows=rows,
        kid=key.kid,
        x=key.x,
        keys=[each.kid for each in keys.list_public_keys()],
        problems=copying.problems,
    )
    manifests.write_manifest(target, manifest, key)
    _record(manifest)
    return manifest


def _send(target: Storage, name: str, path: Path) -> BackupPart:
    with path.open("rb") as file:
        part = BackupPart(*targets.digest_file(File(file)))
        target.save(name, File(file))
    return part


def _copy(copying: _Copying, source: NamedFile) -> None:
    """Copy the files of a row; what is missing or differs is a problem of the backup."""
    try:
        paths = [path for path in contents.list_paths(source) if path]
    except _STORAGE_ERRORS as error:
        copying.fail(f"{source.owner}: {source.path} cannot be read: {error}")
        return
    for path in {*source.hashes} - {*paths} | ({source.path} if not paths else set()):
        copying.fail(f"{source.owner}: {path or 'its file'} is not in storage.")
    for path in paths:
        try:
            file = default_storage.open(path)
        except FileNotFoundError:
            copying.fail(f"{source.owner}: {path} is not in storage.")
            continue
        except _STORAGE_ERRORS as error:
            copying.fail(f"{source.owner}: {path} cannot be read: {error}")
            continue
        with file:
            sha256 = copying.store(STORAGE, path, file)
        if (recorded := source.hashes.get(path, sha256)) != sha256:
            copying.fail(
                f"{source.owner}: {path} differs from what was recorded: its SHA-256 is {sha256}, "
                f"not {recorded}."
            )


def _write_names(path: Path, alias: str) -> None:
    """Write down what the rows name: the snapshot is not kept while the files are copied."""
    with path.open("w") as file:
        for source in contents.named_files(alias):
            file.write(json.dumps(asdict(source)) + "\n")


def _read_names(path: Path) -> Iterator[NamedFile]:
    with path.open() as file:
        for line in file:
            yield NamedFile(**json.loads(line))


def _record(manifest: Manifest) -> None:
    problems = f"problems: {len(manifest.problems)}" if manifest.problems else "complete"
    counts = f"{manifest.file_count} files, {manifest.file_bytes} bytes"
    audit.record_event(
        AuditEvent.BACKUP_MADE, by=SERVICE, about=manifest.id, reason=f"{counts}, {problems}"
    )
