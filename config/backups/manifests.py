"""The manifest of a backup: what it is, what it consists of, and whether it is complete.

It is written last: a folder without one is no backup. The manifest itself is never encrypted, so
that backups can be listed without the key; with a key, it has a code that only the key can make.
The files are in a list of their own, one JSON object a line, which may be long.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

from config.backups import sealing
from config.backups.archives import Archive, Part
from config.backups.sealing import Damaged

FOLDER = "backups"
_MANIFEST = "manifest.json"
STORAGE, DATA = "storage", "data"  # where a file belongs: in the storage, or in DATA_DIR
_FORM = 1  # of manifest, list and parts


@dataclass(frozen=True, kw_only=True)
class Manifest:
    """A backup.

    database_kind: `sqlite` or `postgresql`. files: the list of files. rows: the number of rows of
    the most important tables. key: the name of the key; blank if it is not encrypted. problems:
    what is missing or wrong; blank for a complete backup.
    """

    id: str
    product_version: str
    began_at: str
    ended_at: str
    database_kind: str
    migrations: list[str]
    database: Part
    files: Part
    file_count: int
    file_bytes: int
    sent_bytes: int
    rows: dict[str, int]
    key: str
    problems: list[str] = field(default_factory=list)

    @property
    def is_complete(self) -> bool:
        return not self.problems


@dataclass(frozen=True, slots=True)
class FileEntry:
    """A file of a backup. place: STORAGE or DATA."""

    place: str
    path: str
    size: int
    sha256: str

    @property
    def line(self) -> bytes:
        return json.dumps(asdict(self)).encode() + b"\n"


def new_id(now: datetime) -> str:
    """Return the id of a backup that begins at a time, in UTC."""
    return f"{now:%Y%m%dT%H%M%S}Z"


def part_of(backup: str, name: str) -> str:
    """Return the name of a part of a backup."""
    return f"{FOLDER}/{backup}/{name}"


def write(archive: Archive, manifest: Manifest) -> None:
    """Write the manifest of a backup, which completes it."""
    content = {"form": _FORM, **asdict(manifest)}
    code = _code(archive.key, content)
    text = json.dumps({**content, "code": code}, indent=1)
    archive.target.write(part_of(manifest.id, _MANIFEST), [text.encode() + b"\n"])


def read(archive: Archive, backup: str, *, check: bool = True) -> Manifest:
    """Return the manifest of a backup. check: whether the key must have made it.

    Raises: Damaged if there is none, or it is not what was written, or it needs another key.
    """
    try:
        content: dict[str, Any] = json.loads(
            b"".join(archive.target.read(part_of(backup, _MANIFEST)))
        )
    except FileNotFoundError as error:
        raise Damaged(f"There is no backup {backup}, or it was never finished.") from error
    except ValueError as error:
        raise Damaged(f"The manifest of backup {backup} cannot be read: {error}") from error
    code, form = content.pop("code", ""), content.get("form")
    if form != _FORM:
        raise Damaged(f"Backup {backup} has the form {form!r}; this version reads {_FORM}.")
    if check:
        _require_key(archive.key, content)
        if code != _code(archive.key, content) or content["id"] != backup:
            raise Damaged(f"The manifest of backup {backup} was changed.")
    del content["form"]
    content |= {name: Part(**content[name]) for name in ("database", "files")}
    return Manifest(**content)


def ids(archive: Archive) -> list[str]:
    """Return the ids of all backups at the target, also of unfinished ones, the oldest first."""
    return sorted({name.split("/")[1] for name in archive.target.names(FOLDER)})


def finished(archive: Archive, *, check: bool = True) -> Iterator[Manifest]:
    """Yield the manifests of the backups that have one, the oldest first. Raises: Damaged."""
    for backup in ids(archive):
        if archive.target.size(part_of(backup, _MANIFEST)) is not None:
            yield read(archive, backup, check=check)


def remove(archive: Archive, backup: str) -> None:
    """Delete the parts of a backup, the manifest first. Shared files stay."""
    manifest = part_of(backup, _MANIFEST)
    archive.target.delete(manifest)
    for name in [*archive.target.names(f"{FOLDER}/{backup}")]:
        archive.target.delete(name)


def entries(archive: Archive, manifest: Manifest) -> Iterator[FileEntry]:
    """Yield the files of a backup. Raises: Damaged."""
    rest = b""
    for chunk in archive.read(manifest.files):
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            yield FileEntry(**json.loads(line))


def _require_key(key: bytes, content: dict[str, Any]) -> None:
    needed, ours = content["key"], sealing.key_name(key)
    if needed == ours:
        return
    backup = content["id"]
    if not needed:
        raise Damaged(f"Backup {backup} is not encrypted; unset BACKUP_KEY to use it.")
    if not ours:
        raise Damaged(f"Backup {backup} is encrypted. Set BACKUP_KEY or BACKUP_KEY_FILE.")
    raise Damaged(f"Backup {backup} was encrypted with the key {needed}, not with {ours}.")


def _code(key: bytes, content: dict[str, Any]) -> str:
    if not key:
        return ""
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return sealing.authentication(key, "manifest", text.encode())
