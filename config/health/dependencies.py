"""Checks of what the service depends on: its database, migrations, broker and storage.

Every step that waits for another program has a time limit. A check returns why its part is not
ready, as a sentence for operators; blank if it is ready.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from django.conf import settings
from django.core.files.storage import FileSystemStorage, storages
from django.db import Error
from django.db import connection as database_connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from kombu.exceptions import OperationalError

from config.celery import app
from filing.scanning import clamd, scans

TIMEOUT_SECONDS = 2  # for each step; PostgreSQL's library takes no less for a connection
NAMED = 3  # missing migrations that a reason names


def database() -> str:
    """Return why the database does not answer a query."""
    try:
        with connected() as connection, connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except Error as error:
        return f"The database does not answer: {first_line(error)}"
    return ""


def migrations() -> str:
    """Return which migrations of this version have not been applied."""
    try:
        with connected() as connection:
            names = applied(connection)
    except Error as error:
        return f"The applied migrations cannot be read: {first_line(error)}"
    missing = sorted(f"{app_label}.{name}" for app_label, name in _known() - names)
    if not missing:
        return ""
    more = f" and {len(missing) - NAMED} more" if len(missing) > NAMED else ""
    return f"Migrations are not applied: {', '.join(missing[:NAMED])}{more}. Run manage.py prepare."


def broker() -> str:
    """Return why the broker does not take messages."""
    timeouts = dict.fromkeys(("socket_timeout", "socket_connect_timeout"), TIMEOUT_SECONDS)
    folder = settings.CELERY_BROKER_TRANSPORT_OPTIONS.get("data_folder_out")
    try:
        if folder:
            _write_to(Path(folder))
        else:
            with app.connection_for_write(transport_options=timeouts) as connection:
                connection.ensure_connection(max_retries=1, interval_start=0)
    except (OSError, OperationalError) as error:
        return f"The broker does not answer: {first_line(error)}"
    return ""


def storage() -> str:
    """Return why files can be neither stored nor read."""
    try:
        store = storages.create_storage(settings.STORAGES["default"])
        if isinstance(store, FileSystemStorage):
            _write_to(Path(store.location))
        else:
            name, client = bucket(settings.STORAGE_URL)
            client.head_bucket(Bucket=name)
    except (OSError, BotoCoreError, ClientError) as error:
        return f"The storage cannot be used: {first_line(error)}"
    return ""


def scanner() -> str:
    """Return why uploads cannot be scanned for viruses."""
    address = scans.address()
    try:
        if address:
            clamd.require_up(address, seconds=TIMEOUT_SECONDS)
    except clamd.NoVerdict as reason:
        return str(reason)
    return ""


PARTS: dict[str, Callable[[], str]] = {
    "database": database,
    "migrations": migrations,
    "broker": broker,
    "storage": storage,
    **({"scanner": scanner} if settings.SCAN_ADDRESS else {}),
}
# Without these the service takes no uploads, but does everything else.
MAY_BE_AWAY = frozenset({"scanner"})


@contextmanager
def connected() -> Iterator[BaseDatabaseWrapper]:
    """Yield a separate connection whose waits have a time limit."""
    connection = database_connection.copy()
    options = connection.settings_dict["OPTIONS"]
    if connection.vendor == "postgresql":
        own = options.get("options", "")
        options["options"] = f"{own} -c statement_timeout={TIMEOUT_SECONDS * 1000}".strip()
        options["connect_timeout"] = TIMEOUT_SECONDS
    else:
        options["timeout"] = TIMEOUT_SECONDS
    try:
        yield connection
    finally:
        connection.close()


def applied(connection: BaseDatabaseWrapper) -> set[tuple[str, str]]:
    """Return the migrations that have been applied.

    The recorder's own query would open the connection of this thread, whose waits have no limit,
    and leave it open when the thread ends.
    """
    if not MigrationRecorder(connection).has_table():
        return set()
    with connection.cursor() as cursor:
        cursor.execute("SELECT app, name FROM django_migrations")
        return {(app_label, name) for app_label, name in cursor.fetchall()}


@cache
def _known() -> frozenset[tuple[str, str]]:
    """Return the migrations of this version, read once: they come with the code."""
    return frozenset(MigrationLoader(None).graph.nodes)


@cache
def bucket(url: str) -> tuple[str, Any]:
    """Return the bucket of the storage and a client for it, which is slow to make."""
    store: Any = storages.create_storage(settings.STORAGES["default"])
    timeouts = Config(
        connect_timeout=TIMEOUT_SECONDS,
        read_timeout=TIMEOUT_SECONDS,
        retries={"total_max_attempts": 1},
    )
    store.client_config = store.client_config.merge(timeouts)
    return store.bucket_name, store.connection.meta.client


def _write_to(folder: Path) -> None:
    """Write to the folder, or the nearest one above it that exists, and leave nothing behind.

    Raises: OSError, also where a disk is full or read-only.
    """
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    with tempfile.TemporaryFile(dir=folder) as file:
        file.write(b"1")


def first_line(error: Exception) -> str:
    """Return the error on one line, without the name of the temporary file."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return (str(error).strip() or type(error).__name__).splitlines()[0]
