"""What the commands `backup` and `restore` share: the target at an address, and refusals."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

from botocore.exceptions import BotoCoreError, ClientError
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.files.storage import Storage, storages
from django.core.management.base import CommandError
from django.db import Error

from config import server_addresses
from config.backups.databases.connecting import Unusable
from config.backups.restoring import RestoreRefused
from config.backups.targets import Damaged
from config.running.data_folder import AlreadyRuns
from filing.audit.keys import NoUsableKey

_REFUSALS = (AlreadyRuns, Damaged, ImproperlyConfigured, NoUsableKey, RestoreRefused, Unusable)


def open_target(address: str) -> Storage:
    """Return the storage of backups at an address.

    Raises: CommandError without an address, or for one with a password among the words of a
    command, which all users of a machine can see; ImproperlyConfigured.
    """
    if not address:
        raise CommandError("Set BACKUP_URL, or name a folder.")
    if address != settings.BACKUP_URL and urlsplit(address).password:
        raise CommandError("Put an address with a password into BACKUP_URL, not into a command.")
    folder = "config.backups.targets.BackupFolder"
    return storages.create_storage(server_addresses.target_settings(address, folder=folder))


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
