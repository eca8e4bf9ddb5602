"""The database: its version, its migrations, its limits, and its clock."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import Error
from django.db.backends.base.base import BaseDatabaseWrapper

from config.backups import schema
from config.doctor.findings import Finding, Options, error, fine, left_out, warning
from config.doctor.parts.site import free_space
from config.health import dependencies

_CLOCK_SECONDS = 5  # that clocks may differ
_WORKER_CONNECTIONS = 2 * 2  # two workers on a machine, each with a child
_OTHER_CONNECTIONS = 3  # beat, a command, and a person who looks


def database(options: Options) -> Iterator[Finding]:
    """Look at the database: reachable, of a supported version, with room for all connections."""
    if reason := dependencies.database():
        yield error(
            reason, "Start the database, or correct DATABASE_URL. The admin and filing need it."
        )
        return
    with dependencies.connected() as connection:
        yield from _version(connection)
        look = _postgresql if connection.vendor == "postgresql" else _sqlite
        yield from look(connection)


def migrations(options: Options) -> Iterator[Finding]:
    """Look for migrations that are missing, unknown, or of before the first release."""
    with dependencies.connected() as connection:
        applied = [".".join(name) for name in dependencies.applied(connection)]
    if schema.is_too_old(applied):
        yield error(f"The database {schema.TOO_OLD}", schema.INSTEAD)
        return
    if reason := dependencies.migrations():
        yield error(reason.removesuffix(" Run manage.py prepare."), "Run `manage.py prepare`.")
    ours = ("databrowser.", "filing.", "graphs.", "limits.", "ratespread.")
    if newer := [name for name in schema.unknown(applied) if name.startswith(ours)]:
        yield warning(
            f"The database has migrations of a newer release: {', '.join(newer[:3])}"
            f"{f' and {len(newer) - 3} more' if len(newer) > 3 else ''}.",
            "Fine during an upgrade, and after a step back to the release before; else install "
            "the newer release. See Upgrades in the operators' guide.",
        )
    if not reason:
        yield fine(f"All of this version are applied ({len(applied)} in the database).")


def clock(options: Options) -> Iterator[Finding]:
    """Compare this machine's clock with the database server's."""
    with dependencies.connected() as connection:
        if connection.vendor != "postgresql":
            yield left_out("SQLite has the clock of this machine.")
            return
        began = time.time()
        (server,) = _row(connection, "SELECT extract(epoch FROM clock_timestamp())")
        here = (began + time.time()) / 2
    yield from difference_of_clocks(float(server) - here, "the database server")


def difference_of_clocks(seconds: float, other: str) -> Iterator[Finding]:
    """Judge how far another clock is ahead of this machine's."""
    text = f"The clock of {other} is {abs(seconds):.1f} seconds "
    text += "ahead of this machine's." if seconds > 0 else "behind this machine's."
    if abs(seconds) > _CLOCK_SECONDS:
        yield error(
            text,
            "Synchronize both with a time server: leases, tokens and deadlines depend on it.",
        )
    else:
        yield fine(text)


def _version(connection: BaseDatabaseWrapper) -> Iterator[Finding]:
    installed = connection.get_database_version()
    least = connection.features.minimum_database_version or ()
    name, text = connection.display_name, ".".join(map(str, installed))
    if installed < least:
        yield error(
            f"{name} is {text}, which is not supported.",
            f"Upgrade it to {'.'.join(map(str, least))} or newer.",
        )
    else:
        yield fine(f"{name} {text} answers.")


def _postgresql(connection: BaseDatabaseWrapper) -> Iterator[Finding]:
    encoding, zone = _row(
        connection, "SELECT current_setting('server_encoding'), current_setting('TimeZone')"
    )
    if encoding != "UTF8":
        yield error(
            f"The encoding of the database is {encoding}.",
            "Create the database again with ENCODING 'UTF8', and restore a backup into it.",
        )
    if zone != settings.TIME_ZONE:
        yield error(
            f"The time zone of connections is {zone}, not {settings.TIME_ZONE}.",
            "Remove the time zone from the options in DATABASE_URL.",
        )
    most, reserved, in_use = _row(
        connection,
        "SELECT current_setting('max_connections')::int,"
        " current_setting('superuser_reserved_connections')::int,"
        " (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend')",
    )
    yield from _connections(int(most) - int(reserved), int(in_use))


def _connections(most: int, in_use: int) -> Iterator[Finding]:
    from config import web_server  # reads the settings of the server

    web = web_server.workers * settings.WEB_THREADS
    needed = web + _WORKER_CONNECTIONS + _OTHER_CONNECTIONS
    text = (
        f"{most} connections are allowed and {in_use} in use; one machine needs up to {needed} "
        f"({web_server.workers} web processes with {settings.WEB_THREADS} threads, and workers), "
        f"and {needed + settings.WEB_THREADS} while one of them is replaced."
    )
    advice = "Raise max_connections, or lower WEB_THREADS."
    if needed > most:
        yield error(text, advice)
    elif needed + settings.WEB_THREADS > most or in_use > 0.9 * most:
        yield warning(text, advice)
    else:
        yield fine(text)


def _sqlite(connection: BaseDatabaseWrapper) -> Iterator[Finding]:
    (mode,) = _row(connection, "PRAGMA journal_mode")
    if mode != "wal":
        yield error(
            f"The journal of the database is {mode}, not wal: readers and writers block each "
            "other.",
            "Put DATA_DIR on a local disk; network drives do not support it.",
        )
    path = Path(str(connection.settings_dict["NAME"]))
    if path.parent.stat().st_dev != settings.DATA_DIR.stat().st_dev:
        yield from free_space(path.parent, "the database")
    yield fine(f"{path.name} has {path.stat().st_size / 1e6:,.1f} MB.")


def _row(connection: BaseDatabaseWrapper, statement: str) -> tuple[Any, ...]:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        row: tuple[Any, ...] | None = cursor.fetchone()
    if row is None:
        raise Error("The database answers without a row.")
    return row
