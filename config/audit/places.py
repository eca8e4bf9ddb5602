"""Write-once places for heads of the audit chain: a folder, or a bucket with object lock.

AUDIT_HEADS_URL=s3://key:secret@host/bucket/prefix    an object that no one can delete in time
AUDIT_HEADS_URL=file:///folder                        a file that is created and never written
                                                      again; the system must refuse the rest
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any, Protocol

from django.conf import settings

from config.backups.targets import Bucket, Folder
from config.management.backup_archives import target_at
from filing.audit.chain.links import Head
from filing.audit.chain.verification import Expectation

_FOLDER = "heads"
RECENT = 30  # heads that the daily verification compares; a full one compares all


class Place(Protocol):
    """A place where what was written once stays as it is."""

    def write_once(self, name: str, content: bytes, *, until: datetime) -> None:
        """Store content under a new name, at least until a time.

        Raises: FileExistsError.
        """

    def names(self, folder: str) -> Iterator[str]:
        """Yield the names in a folder, in order."""

    def read(self, name: str) -> Iterator[bytes]:
        """Yield the content of a name."""


class WriteOnceFolder(Folder):
    """A folder whose files are created read-only."""

    def write_once(self, name: str, content: bytes, *, until: datetime) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("xb") as file:
            file.write(content)
        path.chmod(0o444)


class LockedBucket(Bucket):
    """A bucket that locks its objects for a time, in compliance mode: no user can end it."""

    def write_once(self, name: str, content: bytes, *, until: datetime) -> None:
        self._bucket.Object(self._prefix + name).put(
            Body=content,
            ContentType="application/json",
            ChecksumAlgorithm="SHA256",
            ObjectLockMode="COMPLIANCE",
            ObjectLockRetainUntilDate=until,
        )


def place() -> Place | None:
    """Return the place of the settings, if there is one.

    Raises: ImproperlyConfigured for an address that cannot be read.
    """
    if not settings.AUDIT_HEADS_URL:
        return None
    return target_at(settings.AUDIT_HEADS_URL, folder=WriteOnceFolder, bucket=LockedBucket)


def write(head: Head, at: datetime) -> str:
    """Store a head in the place of the settings; return its name, blank without a place."""
    to = place()
    if to is None:
        return ""
    name = f"{_FOLDER}/{at:%Y-%m-%dT%H%M%S.%fZ}.json"
    content = json.dumps(statement(head, at), indent=1).encode()
    to.write_once(name, content, until=at + timedelta(days=settings.AUDIT_HEADS_DAYS))
    return name


def statement(head: Head, at: datetime) -> dict[str, Any]:
    """Return a head as it is stored and sent."""
    return {
        "site": settings.PUBLIC_URL,
        "at": at.isoformat(timespec="seconds"),
        "entries": head.entries,
        "hash": head.hash,
    }


def heads(*, all_of_them: bool = False) -> Iterator[Expectation]:
    """Yield the heads that were stored in the place of the settings: the recent ones, or all."""
    stored = place()
    if stored is None:
        return
    names = sorted(stored.names(_FOLDER))
    for name in names if all_of_them else names[-RECENT:]:
        content = json.loads(b"".join(stored.read(name)))
        yield Expectation(Head(content["entries"], content["hash"]), f"{name} in {stored}")
