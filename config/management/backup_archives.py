"""What the commands `backup` and `restore` share: the target at an address, and refusals."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import unquote, urlsplit, urlunsplit

from botocore.exceptions import BotoCoreError, ClientError
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import CommandError
from django.db import Error

from config import environment
from config.backups.archives import Archive
from config.backups.databases.connecting import Unusable
from config.backups.restoring import Refused
from config.backups.sealing import Damaged
from config.backups.targets import Bucket, Folder, Target
from config.running.data_folder import AlreadyRuns
from filing.removals import AlreadyPaused

_REFUSALS = (AlreadyPaused, AlreadyRuns, Damaged, ImproperlyConfigured, Refused, Unusable)


def archive_of(address: str) -> Archive:
    """Return the backups at an address, with the key of the settings.

    Raises: CommandError without an address, or for one with a password among the words of a
    command, which all users of a machine can see.
    """
    if not address:
        raise CommandError("Set BACKUP_URL, or name a folder.")
    if address != settings.BACKUP_URL and urlsplit(address).password:
        raise CommandError("Put an address with a password into BACKUP_URL, not into a command.")
    return Archive(target_at(address), settings.BACKUP_KEY)


def target_at(address: str) -> Target:
    """Return the target at an address: a path, `file:///folder` or `s3://key:secret@host/bucket`.

    Raises: ImproperlyConfigured for an address that cannot be read.
    """
    parts = urlsplit(address)
    if parts.scheme == "s3" and parts.path.strip("/"):
        bucket, _, prefix = parts.path.strip("/").partition("/")
        url = urlunsplit(parts._replace(path=f"/{bucket}"))
        return Bucket(environment.storage(url), unquote(prefix))
    path = Path(unquote(parts.path) if parts.scheme == "file" else address)
    if parts.scheme not in {"", "file"} or not path.is_absolute():
        raise ImproperlyConfigured(
            "A backup goes to a folder or a bucket; enter /folder, file:///folder or "
            "s3://key:secret@host/bucket/prefix."
        )
    return Folder(path)


@contextmanager
def failures() -> Iterator[None]:
    """Turn what can go wrong into a message on one line, and exit code 1."""
    try:
        yield
    except _REFUSALS as error:
        raise CommandError(str(error)) from error
    except (OSError, BotoCoreError, ClientError) as error:
        raise CommandError(f"A file or the target cannot be used: {error}") from error
    except Error as error:
        raise CommandError(f"The database cannot be used: {error}") from error
