"""Live checks of where files are stored, of the virus scanner and of the backups."""

from __future__ import annotations

import io
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import chain
from pathlib import Path
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError
from django.conf import settings
from django.core.checks import DEBUG, ERROR, INFO, WARNING, CheckMessage, Debug, Error, Info
from django.core.checks import Warning as Concern
from django.core.exceptions import ImproperlyConfigured
from django.core.files.base import ContentFile
from django.core.files.storage import FileSystemStorage, storages
from django.core.management.base import CommandError

from config.backups import manifests
from config.doctor.site import check_free_space, describe_age, seconds_since
from config.health.dependencies import first_line, open_bucket
from config.health.live_checks import DOCTOR, LIVE_CHECKS
from config.management.backup_targets import open_target
from filing import scanning

_PROBE = b"A probe of `manage.py doctor`, which may be deleted.\n"
# In two parts: in one, a scanner would take this file for what every scanner is tested with.
EICAR = (r"X5O!P%@AP[4\PZX54(P^)7CC)7}$EICAR-STANDARD" + "-ANTIVIRUS-TEST-FILE!$H+H*").encode()
_SCAN_SECONDS = 10
_OLD_SIGNATURES = timedelta(days=7)
_LATE_SECONDS = manifests.LATE_AFTER.total_seconds()
_OLD_SECONDS = 7 * 86_400


@LIVE_CHECKS.register("storage", DOCTOR)
def check_storage(**options: Any) -> Iterator[CheckMessage]:
    """Write, read and delete a probe where files are stored."""
    name = f"probe-of-doctor-{uuid.uuid4().hex}"
    store = storages.create_storage(settings.STORAGES["default"])
    try:
        if isinstance(store, FileSystemStorage):
            place = str(store.location)
            stored = store.save(name, ContentFile(_PROBE))
            try:
                with store.open(stored) as file:
                    content = file.read()
            finally:
                store.delete(stored)
        else:
            bucket, client = open_bucket(settings.STORAGE_URL)
            place = f"the bucket {bucket}"
            client.put_object(Bucket=bucket, Key=name, Body=_PROBE)
            try:
                content = client.get_object(Bucket=bucket, Key=name)["Body"].read()
            finally:
                client.delete_object(Bucket=bucket, Key=name)
    except (OSError, BotoCoreError, ClientError) as failure:
        yield Error(
            f"A file cannot be written, read and deleted: {first_line(failure)}",
            "Free the disk and check its rights, or check the bucket and its key in STORAGE_URL. "
            "Uploads get 503 until then.",
            id="storage.away",
        )
        return
    if content != _PROBE:
        text = f"What was written to {place} reads differently."
        yield Error(text, "Check the disk or the bucket.", id="storage.differs")
        return
    yield Debug(f"A file was written to {place}, read and deleted.")
    if isinstance(store, FileSystemStorage):
        folder = Path(store.location)
        if folder.stat().st_dev != settings.DATA_DIR.stat().st_dev:
            yield check_free_space(folder, "the files")


@LIVE_CHECKS.register("virus scan", DOCTOR)
def check_scanner(**options: Any) -> Iterator[CheckMessage]:
    """Ask the scanner for its version, and send it the file that every scanner is tested with."""
    if settings.SCAN_ADDRESS is None:
        yield Info("SCAN_URL is not set: uploads are not scanned for viruses.")
        return
    try:
        version = scanning.read_scanner_version(settings.SCAN_ADDRESS, seconds=_SCAN_SECONDS)
        yield _check_signatures(version)
        test_file = io.BytesIO(EICAR)
        signature = scanning.find_signature(test_file, settings.SCAN_ADDRESS, seconds=_SCAN_SECONDS)
    except scanning.NoVerdict as reason:
        hint = "Start clamd, or correct SCAN_URL. Uploads in parts wait for it; others get 503."
        yield Error(f"No upload is accepted: {reason}", hint, id="scanner.away")
        return
    if signature:
        yield Debug(f"It finds the EICAR test file ({signature}).")
    else:
        text = "It takes the EICAR test file for clean."
        yield Error(text, "Load the signatures of ClamAV: freshclam.", id="scanner.blind")


def _check_signatures(version: str) -> CheckMessage:
    """Return a message about `ClamAV 1.4.3/27800/Tue Nov 24 09:24:27 2026`."""
    program, _, rest = version.partition("/")
    text = f"{program} answers; files of up to {settings.SCAN_LIMIT:,} bytes are scanned."
    hint = "Let freshclam update them."
    try:
        day = datetime.strptime(rest.partition("/")[2], "%a %b %d %H:%M:%S %Y").replace(tzinfo=UTC)
    except ValueError:
        text = f"{text} It does not say how old its signatures are."
        return Concern(text, hint, id="scanner.unknown_age")
    return CheckMessage(
        WARNING if day < datetime.now(UTC) - _OLD_SIGNATURES else DEBUG,
        f"{text} Its signatures are of {day:%B %-d, %Y}.",
        hint,
        id="scanner.old",
    )


@LIVE_CHECKS.register("backup", DOCTOR)
def check_backup(**options: Any) -> Iterator[CheckMessage]:
    """Look for the newest backup: how old it is, and whether it is complete."""
    if not settings.BACKUP_URL:
        yield CheckMessage(
            WARNING if settings.SECURE else INFO,
            "BACKUP_URL is not set.",
            "Set it and run `manage.py backup` every day; ignore this if you back up "
            "database and files by other means.",
            id="backup.unset",
        )
        return
    try:
        newest_first = manifests.read_finished_manifests(open_target(settings.BACKUP_URL))
        last = next(newest_first, None)
        complete = (each for each in chain([last], newest_first) if each and each.is_complete)
        newest = next(complete, None)
    except (OSError, BotoCoreError, ClientError, ImproperlyConfigured, CommandError) as failure:
        text = f"The backups cannot be read: {first_line(failure)}"
        yield Error(text, "Check BACKUP_URL and its server.", id="backup.unreadable")
        return
    if newest is None:
        hint = "Run `manage.py backup`, and read its problems."
        yield Error("There is no complete backup.", hint, id="backup.missing")
        return
    seconds = seconds_since(datetime.fromisoformat(newest.began_at))
    yield CheckMessage(
        ERROR if seconds > _OLD_SECONDS else WARNING if seconds > _LATE_SECONDS else DEBUG,
        f"The newest complete backup, {newest.id}, began {describe_age(seconds)} ago.",
        "Run `manage.py backup`, and look at what should run it every day.",
        id="backup.late",
    )
    if last and last.problems:
        text = f"The last backup, {last.id}, is incomplete: {last.problems[0]}"
        yield Concern(text, "Correct that and run `manage.py backup`.", id="backup.incomplete")
