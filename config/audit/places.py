"""Write-once places for heads of the audit chain: a folder, or a bucket with object lock.

AUDIT_HEADS_URL=s3://key:secret@host/bucket/prefix    an object that no one can delete in time
AUDIT_HEADS_URL=file:///folder                        a file that is created and never written
                                                      again; the system must refuse the rest
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import Storage, storages

from config import server_addresses
from config.backups.targets import describe
from filing.audit.chain.links import Head
from filing.audit.chain.verification import Expectation

_FOLDER = "heads"
RECENT = 30  # heads that the daily verification compares; a full one compares all


def store_head(head: Head, at: datetime) -> str:
    """Store a head in the place of the settings; return its name, blank without a place.

    Raises: ImproperlyConfigured for an address that cannot be read.
    """
    place = _open_place(until=at + timedelta(days=settings.AUDIT_HEADS_DAYS))
    if place is None:
        return ""
    name = f"{_FOLDER}/{at:%Y-%m-%dT%H%M%S.%fZ}.json"
    return place.save(name, ContentFile(json.dumps(statement(head, at), indent=1).encode()))


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
    place = _open_place()
    if place is None:
        return
    try:
        names = sorted(place.listdir(_FOLDER)[1])
    except FileNotFoundError:
        return
    for name in names if all_of_them else names[-RECENT:]:
        with place.open(f"{_FOLDER}/{name}") as file:
            content = json.load(file)
        source = f"{_FOLDER}/{name} in {describe(place)}"
        yield Expectation(Head(content["entries"], content["hash"]), source)


def _open_place(*, until: datetime | None = None) -> Storage | None:
    """Return the place of the settings, if there is one.

    until: new objects of a bucket are locked as long.
    """
    if not settings.AUDIT_HEADS_URL:
        return None
    folder = "django.core.files.storage.FileSystemStorage"
    definition = server_addresses.target(settings.AUDIT_HEADS_URL, folder=folder)
    if definition["BACKEND"] == folder:
        definition["OPTIONS"]["file_permissions_mode"] = 0o444
    elif until:  # in compliance mode: no user can end the lock
        definition["OPTIONS"]["object_parameters"] = {
            "ChecksumAlgorithm": "SHA256",
            "ObjectLockMode": "COMPLIANCE",
            "ObjectLockRetainUntilDate": until,
        }
    return storages.create_storage(definition)
