"""Where backups are: a folder or a bucket, as a storage of Django; and what was changed there."""

from __future__ import annotations

import hashlib
import os
import shutil
import uuid
from datetime import datetime
from pathlib import Path
from typing import Any

from botocore.exceptions import ClientError
from django.core.files import File
from django.core.files.storage import FileSystemStorage, Storage


class Damaged(Exception):
    """A part of a backup is missing, or is not what was written; the message names it."""


class BackupFolder(FileSystemStorage):
    """A folder of this machine or a mounted one, in which a file is complete or not there."""

    def __init__(self, location: str) -> None:
        super().__init__(location, file_permissions_mode=0o600, directory_permissions_mode=0o700)

    def is_name_available(self, name: str, max_length: int | None = None) -> bool:
        """Tell that each name may be written, also once more."""
        return True

    def _save(self, name: str, content: Any) -> str:
        partial, path = f"{name}.partial-{uuid.uuid4().hex}", Path(self.path(name))
        super()._save(partial, content)  # type: ignore[misc]
        with open(self.path(partial), "rb") as file:
            os.fsync(file.fileno())
        Path(self.path(partial)).replace(path)
        return name


def target_name(target: Storage) -> str:
    """Return where a target is, for messages."""
    bucket, location = getattr(target, "bucket_name", ""), getattr(target, "location", "")
    return f"bucket {bucket}/{location}" if bucket else str(location)


def digest_file(file: File[bytes]) -> tuple[int, str]:
    """Return the size and SHA-256 of an open file, read from its beginning."""
    file.seek(0)
    sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    return file.tell(), sha256


def has_since(target: Storage, name: str, *, size: int, since: datetime) -> bool:
    """Tell whether a file was written in full length after a time. Its content is not read."""
    try:
        return target.size(name) == size and target.get_modified_time(name) > since
    except FileNotFoundError:
        return False
    except ClientError as error:  # it was removed just now
        if error.response["ResponseMetadata"]["HTTPStatusCode"] == 404:
            return False
        raise


def verify_file(target: Storage, name: str, *, sha256: str) -> None:
    """Read a file, and raise Damaged if it is missing or has another hash."""
    try:
        with target.open(name) as file:
            _, digest = digest_file(file)
    except FileNotFoundError as error:
        raise Damaged(f"{name} is missing in {target_name(target)}.") from error
    _require_same(target, name, digest, sha256)


def fetch_file(target: Storage, name: str, *, sha256: str, to: Path) -> None:
    """Copy a file to this machine, and raise Damaged if it is missing or has another hash."""
    try:
        with target.open(name) as source, to.open("w+b") as file:
            shutil.copyfileobj(source, file)
            _, digest = digest_file(File(file))
    except FileNotFoundError as error:
        raise Damaged(f"{name} is missing in {target_name(target)}.") from error
    _require_same(target, name, digest, sha256)


def _require_same(target: Storage, name: str, digest: str, sha256: str) -> None:
    if digest != sha256:
        raise Damaged(
            f"{name} in {target_name(target)} was changed: its SHA-256 is {digest}, and the backup "
            f"has {sha256}."
        )
