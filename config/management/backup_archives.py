"""What the commands `backup` and `restore` share: the target at an address, and refusals."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar
from urllib.parse import unquote, urlsplit, urlunsplit

from botocore.exceptions import BotoCoreError, ClientError
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import CommandError
from django.db import Error

from config import server_addresses
from config.backups.archives import Archive
from config.backups.databases.connecting import Unusable
from config.backups.restoring import Refused
from config.backups.sealing import Damaged
from config.backups.targets import Bucket, Folder
from config.running.data_folder import AlreadyRuns
from filing.removals import AlreadyPaused

AnyFolder = TypeVar("AnyFolder", bound=Folder)
AnyBucket = TypeVar("AnyBucket", bound=Bucket)
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
    return Archive(target_at(address, Folder, Bucket), settings.BACKUP_KEY)


def target_at(
    address: str, folder: type[AnyFolder], bucket: type[AnyBucket]
) -> AnyFolder | AnyBucket:
    """Return the target at an address: a path, `file:///folder` or `s3://key:secret@host/bucket`.

    folder, bucket: the classes of targets.

    Raises: ImproperlyConfigured for an address that cannot be read.
    """
    parts = urlsplit(address)
    if parts.scheme == "s3" and parts.path.strip("/"):
        name, _, prefix = parts.path.strip("/").partition("/")
        url = urlunsplit(parts._replace(path=f"/{name}"))
        return bucket(server_addresses.storage(url), unquote(prefix))
    path = Path(unquote(parts.path) if parts.scheme == "file" else address)
    if parts.scheme not in {"", "file"} or not path.is_absolute():
        raise ImproperlyConfigured(
            "Files go to a folder or a bucket; enter /folder, file:///folder or "
            "s3://key:secret@host/bucket/prefix."
        )
    return folder(path)


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
