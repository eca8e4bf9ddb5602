"""The manifest of a backup: what it is, what it consists of, and whether it is complete.

It is signed with the key that signs receipts, and written last: a folder without one is no backup.
It has the hash of the list of files, which has those of the files, so the signature holds for all.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from django.core.exceptions import SuspiciousFileOperation
from django.core.files.base import ContentFile
from django.core.files.storage import Storage
from django.core.files.utils import validate_file_name

from config.backups.targets import Damaged, target_name
from filing.audit import keys
from filing.audit.keys import SigningKey

_FOLDER = "backups"
_MANIFEST, _SIGNATURE = "manifest.json", "manifest.sig"
STORAGE = "storage"  # where a file belongs; release 1.0.0 also had keys of DATA_DIR
_FORM = 2  # of manifest, list and parts; 1 had archives of its own, often encrypted
# A daily backup with time to spare: after it, the newest one is overdue.
LATE_AFTER = timedelta(hours=36)
_ID = re.compile(r"\d{8}T\d{6}(\.\d{6})?Z")


@dataclass(frozen=True, slots=True)
class BackupPart:
    """The size and SHA-256 of the database or of the list of files."""

    size: int
    sha256: str


@dataclass(frozen=True, kw_only=True)
class Manifest:
    """A backup.

    database_kind: `sqlite` or `postgresql`. files: the list of files. rows: the number of rows of
    the most important tables. kid, x: the ID and the value of the public key that signed it. keys:
    the IDs of the receipt keys of the service.
    problems: what is missing or wrong; blank for a complete backup.
    """

    id: str
    product_version: str
    began_at: str
    ended_at: str
    database_kind: str
    migrations: list[str]
    database: BackupPart
    files: BackupPart
    file_count: int
    file_bytes: int
    sent_bytes: int
    rows: dict[str, int]
    kid: str
    x: str
    keys: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    @property
    def is_complete(self) -> bool:
        return not self.problems


@dataclass(frozen=True, slots=True)
class FileEntry:
    """A file of a backup. place: STORAGE; others are not restored."""

    place: str
    path: str
    size: int
    sha256: str

    @property
    def line(self) -> bytes:
        return json.dumps(asdict(self)).encode() + b"\n"

    @property
    def stored_as(self) -> str:
        """The name of its content at the target, the same for all backups."""
        return f"files/{self.sha256[:2]}/{self.sha256}"


def new_backup_id(now: datetime) -> str:
    """Return the id of a backup that begins at a time, in UTC."""
    return f"{now:%Y%m%dT%H%M%S.%f}Z"


def is_backup_id(text: str) -> bool:
    """Return whether a text has the form of the ID of a backup."""
    return _ID.fullmatch(text) is not None


def name_part(backup: str, name: str) -> str:
    """Return the name of a part of a backup."""
    return f"{_FOLDER}/{backup}/{name}"


def write_manifest(target: Storage, manifest: Manifest, key: SigningKey) -> None:
    """Sign and write the manifest of a backup, which completes it."""
    content = json.dumps({"form": _FORM, **asdict(manifest)}, indent=1).encode() + b"\n"
    signature = key.private.sign(content)
    target.save(name_part(manifest.id, _SIGNATURE), ContentFile(signature))
    target.save(name_part(manifest.id, _MANIFEST), ContentFile(content))


def read_manifest(target: Storage, backup: str) -> Manifest:
    """Return what the manifest of a backup says, whoever wrote it. Raises: Damaged."""
    return _parsed(_content(target, backup), backup)


def read_signed_manifest(target: Storage, backup: str, *, trusted: str = "") -> Manifest:
    """Return the manifest of a backup that this service has signed.

    trusted: the ID of a key that this machine and its database need not know.

    Raises: Damaged, also for a manifest that was changed or signed by someone else.
    """
    content = _content(target, backup)
    manifest = _parsed(content, backup)
    place = f"{name_part(backup, _MANIFEST)} in {target_name(target)}"
    key = _public_key(manifest, trusted)
    if key is None:
        raise Damaged(
            f"{place} was signed with the key {manifest.kid}, which this service does not know. "
            f"If your receipts or the output of `backup` name that key, add --trust={manifest.kid}."
        )
    try:
        with target.open(name_part(backup, _SIGNATURE)) as file:
            key.verify(file.read(), content)
    except (FileNotFoundError, InvalidSignature) as error:
        raise Damaged(
            f"{place} was changed: the signature in {_SIGNATURE} with the key {manifest.kid} does "
            "not fit it. Use another backup, and find out who changed this one."
        ) from error
    return manifest


def list_backup_ids(target: Storage) -> list[str]:
    """Return the ids of all backups at the target, also of unfinished ones, the oldest first."""
    try:
        return sorted(filter(is_backup_id, target.listdir(_FOLDER)[0]))
    except FileNotFoundError:
        return []


def read_finished_manifests(target: Storage) -> Iterator[Manifest]:
    """Yield the manifests that can be read, whoever wrote them, the newest first."""
    for backup in reversed(list_backup_ids(target)):
        with suppress(Damaged):
            yield read_manifest(target, backup)


def read_entries(path: Path) -> Iterator[FileEntry]:
    """Yield the files in a list that was fetched. Raises: Damaged."""
    with path.open("rb") as lines:
        for line in lines:
            entry = FileEntry(**json.loads(line))
            try:
                validate_file_name(entry.path, allow_relative_path=True)
            except SuspiciousFileOperation as error:
                raise Damaged(f"{entry.path!r} in the list of files leads elsewhere.") from error
            yield entry


def _content(target: Storage, backup: str) -> bytes:
    if is_backup_id(backup):
        try:
            with target.open(name_part(backup, _MANIFEST)) as file:
                return bytes(file.read())
        except FileNotFoundError:
            pass
    raise Damaged(
        f"There is no backup {backup} in {target_name(target)}, or it was never finished."
    )


def _parsed(content: bytes, backup: str) -> Manifest:
    try:
        values: dict[str, Any] = json.loads(content)
        form = values.pop("form")
        if form == _FORM:
            values |= {name: BackupPart(**values[name]) for name in ("database", "files")}
            manifest = Manifest(**values)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise Damaged(f"The manifest of backup {backup} cannot be read: {error}") from error
    if form != _FORM:
        raise Damaged(
            f"Backup {backup} has the form {form!r}, and this version reads {_FORM} alone. Restore "
            "it with the version that made it."
        )
    if manifest.id != backup:
        raise Damaged(f"The manifest of backup {backup} is that of backup {manifest.id}.")
    return manifest


def _public_key(manifest: Manifest, trusted: str) -> Ed25519PublicKey | None:
    """Return the key that signed a manifest, if it is one of this service or a trusted one."""
    if trusted and trusted == manifest.kid == keys.key_id(manifest.x):
        return keys.decode_public_key(manifest.x)
    return keys.find_public_key(manifest.kid)
