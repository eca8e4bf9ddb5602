"""Restores a backup: first the files, then the database, which takes over at once.

Until the database takes over, everything that was there before is as it was: a stored file has a
name that no other file ever gets, so files of the backup are added beside the others. A restore
that was cut short is repeated, and skips the files that are there already.
"""

from __future__ import annotations

import logging
import re
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from botocore.exceptions import BotoCoreError, ClientError
from django.conf import settings
from django.core.files.storage import FileSystemStorage, default_storage
from django.core.management import call_command

from config.backups import data_files, manifests, schema, signed_files, streams
from config.backups.archives import Archive, Part, digest
from config.backups.databases import kinds
from config.backups.databases.connecting import is_in_use, row_counts
from config.backups.manifests import DATA, STORAGE, FileEntry, Manifest
from config.backups.sealing import Damaged
from config.running import data_folder
from databrowser.publication.versions import live_versions
from filing import audit, removals, storage
from filing.access import SERVICE
from filing.models import AuditEvent

log = logging.getLogger(__name__)

_ALIAS = "restored"
_NAMED = 5  # of many, in a message


class Refused(Exception):
    """The backup is not restored; the message says why and what to do."""


@dataclass
class Summary:
    """What a restore did. kept: where what was replaced is. problems: of signed files."""

    manifest: Manifest
    files: int = 0
    skipped: int = 0
    kept: list[str] = field(default_factory=list)
    migrated: int = 0
    rows: dict[str, int] = field(default_factory=dict)
    signatures: int = 0
    published: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def restore(
    archive: Archive,
    backup: str,
    *,
    replace: bool = False,
    incomplete: bool = False,
    report: Callable[[str], None] = lambda line: None,
) -> Summary:
    """Restore a backup and return what was done.

    replace: also over a database or storage with data, which is kept aside. incomplete: also a
    backup with problems.

    Raises: Refused; Damaged for a part of the backup; Unusable for the database; AlreadyRuns.
    """
    manifest = manifests.read(archive, backup)
    _require_readable(manifest, incomplete=incomplete)
    service = data_folder.Service(port=settings.PORT, public_url=settings.PUBLIC_URL)
    with (
        data_folder.claimed(settings.DATA_DIR, service),
        tempfile.TemporaryDirectory(dir=settings.FILE_UPLOAD_TEMP_DIR, prefix="work-") as folder,
    ):
        if not replace:
            _require_empty()
        summary = Summary(manifest)
        report(f"Backup {backup}: files")
        keys = _restore_files(archive, manifest, Path(folder), summary)
        report(f"Backup {backup}: database")
        content = Path(folder, "database")
        streams.write(content, archive.read(manifest.database))
        with kinds.restored(content, backup, _ALIAS) as restored:
            _require_rows(manifest, restored.alias)
            kept = restored.take_over()
        summary.kept += [kept] if kept else []
        _restore_keys(archive, keys, summary)
        summary.migrated = len(schema.missing(manifest.migrations))
        report("Migrations and checks")
        call_command("prepare")
        _finish(summary)
    return summary


def check(
    archive: Archive, backup: str, *, report: Callable[[str], None] = lambda line: None
) -> tuple[Manifest, list[str]]:
    """Read a whole backup without writing anything; return its manifest and what is wrong.

    Raises: Damaged if the manifest or the list of files cannot be read.
    """
    manifest = manifests.read(archive, backup)
    problems = [*manifest.problems]
    report(f"Backup {backup}: database")
    problems += _damage(archive, [manifest.database])
    report(f"Backup {backup}: files")
    for entry in manifests.entries(archive, manifest):
        part = archive.shared(entry.size, entry.sha256)
        problems += [f"{entry.path}: {damage}" for damage in _damage(archive, [part])]
    return manifest, problems


def _damage(archive: Archive, parts: Iterable[Part]) -> list[str]:
    damage = []
    for part in parts:
        try:
            for _ in archive.read(part):
                pass
        except Damaged as error:
            damage.append(str(error))
    return damage


def _require_readable(manifest: Manifest, *, incomplete: bool) -> None:
    backup = manifest.id
    if manifest.database_kind != kinds.kind():
        raise Refused(
            f"Backup {backup} is of a {manifest.database_kind} database, and DATABASE_URL names a "
            f"{kinds.kind()} database. Set DATABASE_URL to one of the same kind."
        )
    if _numbers(manifest.product_version) > _numbers(settings.VERSION):
        raise Refused(
            f"Backup {backup} was made by version {manifest.product_version}, which is newer than "
            f"this one, {settings.VERSION}. Install that version or a later one."
        )
    if schema.is_too_old(manifest.migrations):
        raise Refused(f"Backup {backup} {schema.TOO_OLD} Restore it with the version that made it.")
    if unknown := schema.unknown(manifest.migrations):
        raise Refused(
            f"Backup {backup} was made by version {manifest.product_version}, which has migrations "
            f"that version {settings.VERSION} does not know: {', '.join(unknown[:_NAMED])}. "
            "Install that version or a later one."
        )
    if manifest.problems and not incomplete:
        raise Refused(
            f"Backup {backup} is incomplete. Problems: {len(manifest.problems)}. "
            f"{' '.join(manifest.problems[:_NAMED])} Restore an earlier one, or add --incomplete."
        )


def _numbers(version: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", version)]


def _require_empty() -> None:
    if is_in_use():
        raise Refused(
            "The database already has data. Restore into an empty one, or add --replace to put "
            "the backup in its place; the database that is there now is kept aside."
        )
    if _has_stored_files():
        raise Refused(
            "The storage already has files. Restore into an empty one, or add --replace; the files "
            "that are there now stay."
        )


def _has_stored_files() -> bool:
    if isinstance(default_storage, FileSystemStorage) and not default_storage.exists(""):
        return False
    return any(default_storage.listdir(""))


def _restore_files(
    archive: Archive, manifest: Manifest, folder: Path, summary: Summary
) -> list[FileEntry]:
    """Put the files into the storage; return the entries of those that belong elsewhere.

    Raises: Damaged, naming the files that could not be restored, after all others were.
    """
    keys, damaged = [], []
    for entry in manifests.entries(archive, manifest):
        if entry.place == DATA:
            keys.append(entry)
            continue
        if entry.place != STORAGE:
            raise Damaged(f"{entry.path} belongs to {entry.place!r}, which is not known.")
        if _is_there(entry):
            summary.skipped += 1
            continue
        arriving = folder / "file"
        try:
            streams.write(arriving, archive.read(archive.shared(entry.size, entry.sha256)))
        except Damaged as error:
            damaged.append(f"{entry.path}: {error}")
            continue
        storage.store(arriving, entry.path)
        summary.files += 1
    if damaged:
        raise Damaged(
            f"{len(damaged)} files of the backup cannot be restored. The database was not changed. "
            + " ".join(damaged[:_NAMED])
        )
    return keys


def _is_there(entry: FileEntry) -> bool:
    try:
        if default_storage.size(entry.path) != entry.size:
            return False
        return digest(streams.stored(entry.path)) == (entry.size, entry.sha256)
    except (OSError, BotoCoreError, ClientError):
        return False


def _require_rows(manifest: Manifest, alias: str) -> None:
    rows = row_counts(alias)
    if rows != manifest.rows:
        raise Damaged(f"The restored database has other rows: {rows}, not {manifest.rows}.")


def _restore_keys(archive: Archive, keys: list[FileEntry], summary: Summary) -> None:
    backup = summary.manifest.id
    for entry in keys:
        content = archive.read(archive.shared(entry.size, entry.sha256))
        if kept := data_files.put(entry.path, content, backup=backup):
            summary.kept.append(kept)
    summary.kept += data_files.put_aside({entry.path for entry in keys}, backup=backup)


def _finish(summary: Summary) -> None:
    """End what was going on when the backup was made, and look at the result."""
    removals.forget_pauses()
    summary.rows = row_counts("default")
    summary.signatures, summary.problems = signed_files.problems()
    summary.published = [row.version.name for row in live_versions.published_versions()]
    reason = f"{summary.signatures} signatures, {len(summary.problems)} of them without their file"
    audit.record(AuditEvent.BACKUP_RESTORED, by=SERVICE, about=summary.manifest.id, reason=reason)
