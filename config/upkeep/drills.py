"""Restore drills: a backup is restored by the command, into a place that is made for it.

A folder and a database of its own; on PostgreSQL that is a new database on the same server, whose
name was never used. Both are removed at the end. The live data are never written to.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

from django.conf import settings
from django.db import ProgrammingError, connection

from config.backups import manifests
from config.backups.manifests import Manifest
from config.backups.restoring import RestoreRefused
from config.management.backup_targets import open_target

_MOST_SECONDS = 6 * 3600
# What leads to live data, or to other parts of the service.
_LEFT_OUT = (
    *("DATA_DIR", "DATABASE_URL", "STORAGE_URL", "CACHE_URL", "CELERY_BROKER_URL"),
    *("RECEIPT_KEY_DIR", "IDENTITY_KEY_DIR", "AUDIT_HEADS_URL", "AUDIT_HEADS_EMAIL"),
    *("SENTRY_DSN", "PORT", "EMAIL_URL"),
)


def drill_restore(
    backup: str, *, report: Callable[[str], None], moves: Callable[[], None]
) -> list[str]:
    """Restore a backup in a scratch place, and return what the command says of it.

    report: takes each step. moves: called from time to time.

    Raises: Damaged; RestoreRefused, also where there is no space or no scratch database.
    """
    manifest = manifests.read_signed_manifest(open_target(settings.BACKUP_URL), backup)
    place = Path(settings.FILE_UPLOAD_TEMP_DIR)
    _require_space(place, manifest)
    with (
        tempfile.TemporaryDirectory(dir=place, prefix="drill-") as folder,
        _make_database(manifest) as database_url,
    ):
        environment = _describe_place(os.environ, Path(folder), database_url)
        return _restore(manifest, environment, report=report, moves=moves)


def _require_space(place: Path, manifest: Manifest) -> None:
    needed = manifest.file_bytes + 3 * manifest.database.size
    if shutil.disk_usage(place).free < needed:
        raise RestoreRefused(f"A drill needs {needed:,} free bytes in {place}.")


@contextmanager
def _make_database(manifest: Manifest) -> Iterator[str]:
    """Give the address of a new database; blank for SQLite, whose file is in the folder."""
    if connection.vendor != manifest.database_kind:
        raise RestoreRefused(f"Backup {manifest.id} is of a {manifest.database_kind} database.")
    if connection.vendor == "sqlite":
        yield ""
        return
    name = connection.ops.quote_name(plain := f"hmda_drill_{uuid4().hex}")
    try:
        with connection.cursor() as cursor:
            cursor.execute(f"CREATE DATABASE {name} TEMPLATE template0 ENCODING 'UTF8'")
    except ProgrammingError as error:
        raise RestoreRefused(
            "The database user may not create databases, which a drill needs: "
            f"{str(error).strip()}. Grant CREATEDB, or restore on another machine."
        ) from error
    try:
        parts = urlsplit(settings.DATABASE_URL)
        yield urlunsplit(parts._replace(path=f"/{plain}"))
    finally:
        with connection.cursor() as cursor:
            cursor.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


def _describe_place(
    environment: Mapping[str, str], folder: Path, database_url: str
) -> dict[str, str]:
    """Return the environment of the command: that of this process, without what is live."""
    left_out = {*_LEFT_OUT, *(f"{name}_FILE" for name in (*_LEFT_OUT, "SECRET_KEY", "BACKUP_URL"))}
    place = {name: value for name, value in environment.items() if name not in left_out}
    place |= {"DATA_DIR": str(folder), "SECRET_KEY": settings.SECRET_KEY}
    place["BACKUP_URL"] = settings.BACKUP_URL
    return place | ({"DATABASE_URL": database_url} if database_url else {})


def _restore(
    manifest: Manifest,
    environment: dict[str, str],
    *,
    report: Callable[[str], None],
    moves: Callable[[], None],
) -> list[str]:
    words = [sys.executable, str(Path(settings.BASE_DIR, "manage.py")), "restore", manifest.id]
    lines = []
    with subprocess.Popen(  # noqa: S603 -- our own command, on a backup that we signed
        [*words, f"--trust={manifest.kid}"],
        env=environment,
        cwd=settings.BASE_DIR,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as command:
        limit = threading.Timer(_MOST_SECONDS, command.kill)
        limit.start()
        try:
            for line in command.stdout or ():
                moves()
                lines.append(line.rstrip())
                if line.startswith(("Backup ", "Migrations ")):
                    report(line.rstrip())
        except BaseException:  # nothing is left running
            command.kill()
            raise
        finally:
            limit.cancel()
    if command.returncode:
        raise RestoreRefused(f"The restore failed: {' '.join(lines[-3:])}")
    return [line for line in lines if line]
