"""Restores a backup: first the files, then the database, which has to be empty.

In the end, the file of each signature must be in storage, and be the one that was signed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from botocore.exceptions import BotoCoreError, ClientError
from django.conf import settings
from django.core.files.storage import Storage, default_storage
from django.core.management import call_command

from config.backups import contents, manifests, targets
from config.backups.databases import connecting, kinds
from config.backups.databases.connecting import count_rows
from config.backups.manifests import STORAGE, FileEntry, Manifest, name_part
from config.backups.targets import Damaged
from config.running import data_folder
from databrowser.publication.versions import live_versions
from filing import audit, storage
from filing.access import SERVICE
from filing.audit import keys, sealing
from filing.models import AuditEvent, Signature

_NAMED = 5  # of many, in a message


class RestoreRefused(Exception):
    """The backup is not restored; the message says why and what to do."""


@dataclass
class RestoreSummary:
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


def restore_backup(
    target: Storage,
    backup: str,
    *,
    trusted: str = "",
    incomplete: bool = False,
    report: Callable[[str], None] = lambda line: None,
) -> RestoreSummary:
    """Restore a backup into an empty database, and return what was done.

    trusted: the ID of the key that signed it, if this machine does not know it. incomplete: also a
    backup with problems.

    Raises: RestoreRefused; Damaged for a part of it; Unusable for the database; AlreadyRuns.
    """
    manifest = manifests.read_signed_manifest(target, backup, trusted=trusted)
    _require_readable(manifest, incomplete=incomplete)
    service = data_folder.RunningService(port=settings.PORT, public_url=settings.PUBLIC_URL)
    with (
        data_folder.claim_data_folder(settings.DATA_DIR, service),
        storage.make_work_folder() as folder,
    ):
        kinds.require_empty()
        summary = RestoreSummary(manifest)
        database = folder / "database"
        sha256 = manifest.database.sha256
        targets.fetch_file(target, name_part(backup, "database"), sha256=sha256, to=database)
        report(f"Backup {backup}: files")
        _restore_files(target, folder, summary)
        report(f"Backup {backup}: database")
        kinds.restore_snapshot(database)
        summary.rows = count_rows("default")
        if summary.rows != manifest.rows:
            raise Damaged(
                f"The restored database has other rows: {summary.rows}, not {manifest.rows}."
            )
        summary.migrated = len(connecting.missing_migrations(manifest.migrations))
        summary.kept = contents.set_token_keys_aside(backup=backup)
        report("Migrations and checks")
        call_command("prepare")
        _vouch_for(manifest)
    summary.signatures, summary.problems = find_signature_problems()
    summary.published = [row.version.name for row in live_versions.published_data_sets()]
    reason = f"{summary.signatures} signatures, {len(summary.problems)} of them without their file"
    audit.record_event(AuditEvent.BACKUP_RESTORED, by=SERVICE, about=backup, reason=reason)
    return summary


def check_backup(
    target: Storage,
    backup: str,
    *,
    trusted: str = "",
    report: Callable[[str], None] = lambda line: None,
    progress: Callable[[int, int], None] = lambda files, of: None,
) -> tuple[Manifest, list[str]]:
    """Read a whole backup, restore nothing, and return its manifest and what is wrong.

    progress: takes how many files were read, and how many there are.

    Raises: Damaged if the manifest or the list of files is not what was signed.
    """
    manifest = manifests.read_signed_manifest(target, backup, trusted=trusted)
    problems = [*manifest.problems]
    report(f"Backup {backup}: database")
    problems += _damage(target, name_part(backup, "database"), manifest.database.sha256)
    report(f"Backup {backup}: files")
    with storage.make_work_folder() as folder:
        for number, entry in enumerate(_fetch_entries(target, manifest, folder), start=1):
            progress(number, manifest.file_count)
            damage = _damage(target, entry.stored_as, entry.sha256)
            problems += [f"{entry.path}: {sentence}" for sentence in damage]
    return manifest, problems


def _damage(target: Storage, name: str, sha256: str) -> list[str]:
    try:
        targets.verify_file(target, name, sha256=sha256)
    except Damaged as error:
        return [str(error)]
    return []


def _require_readable(manifest: Manifest, *, incomplete: bool) -> None:
    backup = manifest.id
    if manifest.database_kind != kinds.database_kind():
        raise RestoreRefused(
            f"Backup {backup} is of a {manifest.database_kind} database, and DATABASE_URL names a "
            f"{kinds.database_kind()} database. Set DATABASE_URL to one of the same kind."
        )
    if _numbers(manifest.product_version) > _numbers(settings.VERSION):
        raise RestoreRefused(
            f"Backup {backup} was made by version {manifest.product_version}, which is newer than "
            f"this one, {settings.VERSION}. Install that version or a later one."
        )
    if connecting.is_too_old(manifest.migrations):
        raise RestoreRefused(
            f"Backup {backup} {connecting.TOO_OLD} Restore it with the version that made it."
        )
    if unknown := connecting.unknown_migrations(manifest.migrations):
        raise RestoreRefused(
            f"Backup {backup} was made by version {manifest.product_version}, which has migrations "
            f"that version {settings.VERSION} does not know: {', '.join(unknown[:_NAMED])}. "
            "Install that version or a later one."
        )
    if manifest.problems and not incomplete:
        raise RestoreRefused(
            f"Backup {backup} is incomplete. Problems: {len(manifest.problems)}. "
            f"{' '.join(manifest.problems[:_NAMED])} Restore an earlier one, or add --incomplete."
        )


def _numbers(version: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", version)]


def _restore_files(target: Storage, folder: Path, summary: RestoreSummary) -> None:
    """Put the files into the storage.

    Raises: Damaged, naming the files that could not be restored, after all others were.
    """
    arriving, damaged = folder / "file", []
    for entry in _fetch_entries(target, summary.manifest, folder):
        if entry.place != STORAGE:
            continue
        if _is_there(entry):
            summary.skipped += 1
            continue
        try:
            targets.fetch_file(target, entry.stored_as, sha256=entry.sha256, to=arriving)
        except Damaged as error:
            damaged.append(f"{entry.path}: {error}")
            continue
        storage.store_file(arriving, entry.path)
        summary.files += 1
    if damaged:
        raise Damaged(
            f"{len(damaged)} files of the backup cannot be restored. The database was not changed. "
            + " ".join(damaged[:_NAMED])
        )


def _vouch_for(manifest: Manifest) -> None:
    """Endorse the keys of a backup, and seal its last entries, whatever SECRET_KEY it had.

    The signature of the manifest authenticates both.
    """
    keys.endorse_keys(manifest.keys)
    sealing.adopt_waiting_entries()


def _fetch_entries(target: Storage, manifest: Manifest, folder: Path) -> Iterator[FileEntry]:
    lines = folder / "files"
    sha256 = manifest.files.sha256
    targets.fetch_file(target, name_part(manifest.id, "files"), sha256=sha256, to=lines)
    return manifests.read_entries(lines)


def _is_there(entry: FileEntry) -> bool:
    try:
        if default_storage.size(entry.path) != entry.size:
            return False
        with default_storage.open(entry.path) as file:
            return targets.digest_file(file) == (entry.size, entry.sha256)
    except (OSError, BotoCoreError, ClientError):
        return False


def find_signature_problems() -> tuple[int, list[str]]:
    """Return the number of signatures, and what is wrong with the files of some.

    It reads every signed file.
    """
    signatures = Signature.objects.select_related("submission").order_by("pk")
    count, wrong = 0, []
    for signature in signatures.iterator(chunk_size=2000):
        count += 1
        path = signature.submission.raw_file
        try:
            with default_storage.open(path) as file:
                _, sha256 = targets.digest_file(file)
        except (OSError, ValueError, BotoCoreError, ClientError) as error:
            wrong.append(f"{signature.receipt}: {path or 'its file'} cannot be read: {error}")
            continue
        if sha256 != signature.sha256:
            wrong.append(f"{signature.receipt}: {path} is not the file that was signed.")
    return count, wrong
