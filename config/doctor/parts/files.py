"""The storage of files, and the backups."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from datetime import datetime
from itertools import chain
from pathlib import Path

from botocore.exceptions import BotoCoreError, ClientError
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.files.base import ContentFile
from django.core.files.storage import FileSystemStorage, storages
from django.core.management.base import CommandError

from config.backups import manifests
from config.doctor.findings import Finding, Options, error, fine, left_out, warning
from config.doctor.parts.ages import in_words, seconds_since
from config.doctor.parts.site import free_space
from config.health import dependencies
from config.management.backup_targets import open_target

_PROBE = b"A probe of `manage.py doctor`, which may be deleted.\n"
_LATE_SECONDS = 36 * 3600  # a daily backup with time to spare
_OLD_SECONDS = 7 * 86_400


def storage(options: Options) -> Iterator[Finding]:
    """Write, read and delete a probe where files are stored."""
    name = f"probe-of-doctor-{uuid.uuid4().hex}"
    store = storages.create_storage(settings.STORAGES["default"])
    try:
        if isinstance(store, FileSystemStorage):
            place = str(store.location)
            kept = store.save(name, ContentFile(_PROBE))
            try:
                with store.open(kept) as file:
                    content = file.read()
            finally:
                store.delete(kept)
        else:
            bucket, client = dependencies.bucket(settings.STORAGE_URL)
            place = f"the bucket {bucket}"
            client.put_object(Bucket=bucket, Key=name, Body=_PROBE)
            try:
                content = client.get_object(Bucket=bucket, Key=name)["Body"].read()
            finally:
                client.delete_object(Bucket=bucket, Key=name)
    except (OSError, BotoCoreError, ClientError) as failure:
        yield error(
            f"A file cannot be written, read and deleted: {dependencies.first_line(failure)}",
            "Free the disk and check its rights, or check the bucket and its key in STORAGE_URL. "
            "Uploads get 503 until then.",
        )
        return
    if content != _PROBE:
        yield error(
            f"What was written to {place} reads differently.", "Check the disk or the bucket."
        )
        return
    yield fine(f"A file was written to {place}, read and deleted.")
    if isinstance(store, FileSystemStorage):
        folder = Path(store.location)
        if folder.stat().st_dev != settings.DATA_DIR.stat().st_dev:
            yield from free_space(folder, "the files")


def backup(options: Options) -> Iterator[Finding]:
    """Look for the newest backup: how old it is, and whether it is complete."""
    if not settings.BACKUP_URL:
        if settings.SECURE:
            yield warning(
                "BACKUP_URL is not set.",
                "Set it and run `manage.py backup` every day; ignore this if you back up "
                "database and files by other means.",
            )
        else:
            yield left_out("BACKUP_URL is not set.")
        return
    try:
        target = open_target(settings.BACKUP_URL)
        newest_first = manifests.read_finished(target)
        last = next(newest_first, None)
        complete = (each for each in chain([last], newest_first) if each and each.is_complete)
        newest = next(complete, None)
    except (OSError, BotoCoreError, ClientError, ImproperlyConfigured, CommandError) as failure:
        yield error(
            f"The backups cannot be read: {dependencies.first_line(failure)}",
            "Check BACKUP_URL and its server.",
        )
        return
    if newest is None:
        yield error(
            "There is no complete backup.", "Run `manage.py backup`, and read its problems."
        )
        return
    seconds = seconds_since(datetime.fromisoformat(newest.began_at))
    text = f"The newest complete backup, {newest.id}, began {in_words(seconds)} ago."
    advice = "Run `manage.py backup`, and look at what should run it every day."
    if seconds > _OLD_SECONDS:
        yield error(text, advice)
    elif seconds > _LATE_SECONDS:
        yield warning(text, advice)
    else:
        yield fine(text)
    if last and last.problems:
        yield warning(
            f"The last backup, {last.id}, is incomplete: {last.problems[0]}",
            "Correct that and run `manage.py backup`.",
        )
