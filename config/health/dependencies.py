"""Live checks of what the service depends on: its database, migrations, broker and storage.

Every step that waits for another program has a time limit.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from django.conf import settings
from django.core.checks import CheckMessage, Debug, Error
from django.core.checks import Warning as Concern
from django.core.files.storage import FileSystemStorage, storages
from django.db import Error as DatabaseError
from django.db import connection as database_connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from kombu.exceptions import OperationalError

from config.celery import app
from config.health.live_checks import DOCTOR, LIVE_CHECKS, READINESS
from filing import scanning
from filing.outages import redis_errors

TIMEOUT_SECONDS = 2  # for each step; PostgreSQL's library takes no less for a connection
NAMED = 3  # missing migrations that a message names


@LIVE_CHECKS.register("database", READINESS)
def check_database(**options: Any) -> Iterator[CheckMessage]:
    """Check that the database answers a query."""
    try:
        with connect_for_check() as connection, connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError as error:
        hint = "Start the database, or correct DATABASE_URL. The admin and filing need it."
        yield Error(f"The database does not answer: {first_line(error)}", hint, id="database.away")


@LIVE_CHECKS.register("migrations", READINESS)
def check_migrations(**options: Any) -> Iterator[CheckMessage]:
    """Check that all migrations of this version have been applied."""
    hint = "Run `manage.py prepare`."
    try:
        with connect_for_check() as connection:
            names = read_applied(connection)
    except DatabaseError as error:
        text = f"The applied migrations cannot be read: {first_line(error)}"
        yield Error(text, hint, id="migrations.unreadable")
        return
    if missing := sorted(f"{app_label}.{name}" for app_label, name in _read_known() - names):
        more = f" and {len(missing) - NAMED} more" if len(missing) > NAMED else ""
        text = f"Migrations are not applied: {', '.join(missing[:NAMED])}{more}."
        yield Error(f"{text} Run manage.py prepare.", hint, id="migrations.missing")


@LIVE_CHECKS.register("broker", READINESS, DOCTOR)
def check_broker(**options: Any) -> Iterator[CheckMessage]:
    """Check that the broker, which passes jobs to workers, takes messages."""
    timeouts = dict.fromkeys(("socket_timeout", "socket_connect_timeout"), TIMEOUT_SECONDS)
    folder = settings.CELERY_BROKER_TRANSPORT_OPTIONS.get("data_folder_out")
    try:
        if folder:
            _write_to(Path(folder))
        else:
            with app.connection_for_write(transport_options=timeouts) as connection:
                connection.ensure_connection(max_retries=1, interval_start=0)
    except (OSError, OperationalError) as error:
        yield Error(
            f"The broker does not answer: {first_line(error)}",
            "Start Redis, or correct CELERY_BROKER_URL. Nothing is lost: jobs are in the database.",
            id="broker.away",
        )
    else:
        yield Debug(f"{'The folder of the queue' if folder else 'Redis'} takes messages.")


@LIVE_CHECKS.register("cache", DOCTOR)
def check_cache(**options: Any) -> Iterator[CheckMessage]:
    """Check that the cache answers: requests continue without it, but are not limited."""
    address = settings.CACHE_URL
    faults: tuple[type[Exception], ...] = (OSError, *redis_errors())
    try:
        if address.startswith("file:"):
            _write_to(Path(settings.CACHES["default"]["LOCATION"]))
        else:
            import redis  # not loaded without Redis

            timeouts = dict.fromkeys(("socket_timeout", "socket_connect_timeout"), TIMEOUT_SECONDS)
            with redis.Redis.from_url(address, **timeouts) as client:
                client.ping()
    except faults as error:
        yield Concern(
            f"The cache cannot be used: {first_line(error)}",
            "Start Redis, or correct CACHE_URL. Until then answers are computed again, and "
            "requests are not limited.",
            id="cache.away",
        )
    else:
        yield Debug("The cache answers.")


@LIVE_CHECKS.register("storage", READINESS)
def check_storage(**options: Any) -> Iterator[CheckMessage]:
    """Check that files can be stored or, in a bucket, read."""
    try:
        store = storages.create_storage(settings.STORAGES["default"])
        if isinstance(store, FileSystemStorage):
            _write_to(Path(store.location))
        else:
            name, client = open_bucket(settings.STORAGE_URL)
            client.head_bucket(Bucket=name)
    except (OSError, BotoCoreError, ClientError) as error:
        yield Error(f"The storage cannot be used: {first_line(error)}", id="storage.away")


@LIVE_CHECKS.register("scanner", READINESS)
def check_scanner(**options: Any) -> Iterator[CheckMessage]:
    """Check that uploads can be scanned for viruses."""
    address = scanning.find_scanner()
    try:
        if address:
            scanning.ping_scanner(address, seconds=TIMEOUT_SECONDS)
    except scanning.NoVerdict as reason:
        yield Error(str(reason), id="scanner.away")


@contextmanager
def connect_for_check() -> Iterator[BaseDatabaseWrapper]:
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


def read_applied(connection: BaseDatabaseWrapper) -> set[tuple[str, str]]:
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
def _read_known() -> frozenset[tuple[str, str]]:
    """Return the migrations of this version, read once: they come with the code."""
    return frozenset(MigrationLoader(None).graph.nodes)


@cache
def open_bucket(url: str) -> tuple[str, Any]:
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
