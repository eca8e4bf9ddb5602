"""PostgreSQL: a snapshot by pg_dump, and a restored database that takes the name of another.

The rows are read in the same snapshot as pg_dump reads them. Passwords are in the environment of
the programs, never among their words, which all users of a machine can see.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.db import Error, connection, connections, transaction

from config.backups import streams
from config.backups.databases.connecting import Restored, Snapshot, Unusable, connected

_LONGEST_NAME = 63  # of a database
_SERVER = "server"  # alias of a connection that is in no database of ours
_VARIABLES = {"HOST": "PGHOST", "PORT": "PGPORT", "USER": "PGUSER", "PASSWORD": "PGPASSWORD"}
_OPTION_VARIABLES = {
    "connect_timeout": "PGCONNECT_TIMEOUT",
    "options": "PGOPTIONS",
    "passfile": "PGPASSFILE",
    "service": "PGSERVICE",
    "sslcert": "PGSSLCERT",
    "sslkey": "PGSSLKEY",
    "sslmode": "PGSSLMODE",
    "sslrootcert": "PGSSLROOTCERT",
    "target_session_attrs": "PGTARGETSESSIONATTRS",
}
_DUMP = ("--format=custom", "--no-owner", "--no-privileges", "--no-password")
# Newer programs set this for servers that do not know it yet; nothing depends on it.
_HARMLESS = 'unrecognized configuration parameter "transaction_timeout"'


@contextmanager
def snapshot(folder: Path, alias: str) -> Iterator[Snapshot]:
    """Take a snapshot. Others may go on writing to the database. The folder is not needed."""
    program = _program("pg_dump")
    name = str(connection.settings_dict["NAME"])
    with connected(name, alias), transaction.atomic(using=alias):
        with connections[alias].cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            cursor.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
            cursor.execute("SELECT pg_export_snapshot()")
            (snapshot_name,) = cursor.fetchone()
        words = [program, *_DUMP, f"--snapshot={snapshot_name}", f"--dbname={name}"]
        yield Snapshot(alias, lambda: _output(words))


@contextmanager
def restored(content: Path, backup: str, alias: str) -> Iterator[Restored]:
    """Put a stored snapshot into a new database beside the service's own.

    A role that may not create databases can only restore into an empty one.
    """
    program = _program("pg_restore")
    own = str(connection.settings_dict["NAME"])
    fresh = _named_after(own, f"restored_{backup}")
    if not _may_create_databases():
        if connection.introspection.table_names():
            raise Unusable(
                f"The role of DATABASE_URL may not create databases, and {own} has tables. Create "
                "an empty database, set DATABASE_URL to it, and try again."
            )
        _load(program, content, own)
        with connected(own, alias):
            yield Restored(alias, lambda: "")
        return
    with connected("postgres", _SERVER):
        try:
            _create_like(own, fresh)
            _load(program, content, fresh)
            with connected(fresh, alias):
                yield Restored(alias, lambda: _take_over(fresh, own, backup, alias))
        finally:
            _run(f"DROP DATABASE IF EXISTS {_quoted(fresh)}")


def _take_over(fresh: str, own: str, backup: str, alias: str) -> str:
    kept = _named_after(own, f"before_{backup}")
    for name in (alias, "default"):
        connections[name].close()
    try:
        _run(f"DROP DATABASE IF EXISTS {_quoted(kept)}")
        with transaction.atomic(using=_SERVER):  # both or none
            _run(f"ALTER DATABASE {_quoted(own)} RENAME TO {_quoted(kept)}")
            _run(f"ALTER DATABASE {_quoted(fresh)} RENAME TO {_quoted(own)}")
    except Error as error:
        raise Unusable(
            f"The database {own} could not be replaced: {error}. Stop all parts of the service, "
            "then try again."
        ) from error
    return f"database {kept}"


def _load(program: str, content: Path, name: str) -> None:
    words = [program, "--no-owner", "--no-privileges", "--no-password", f"--dbname={name}"]
    done = subprocess.run(  # noqa: S603 -- words of our own
        [*words, str(content)],
        env=_environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    errors = re.findall(r"error: (.*)", done.stderr)
    serious = [error for error in errors if _HARMLESS not in error]
    if serious or (done.returncode and not errors):
        raise Unusable(f"pg_restore failed: {'; '.join(serious[:3]) or done.stderr[-500:]}")


def _output(words: list[str]) -> Iterator[bytes]:
    """Yield what a program writes. Raises: Unusable if it fails."""
    with (
        tempfile.TemporaryFile() as errors,
        subprocess.Popen(  # noqa: S603 -- words of our own
            words,
            env=_environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
        ) as process,
    ):
        assert process.stdout is not None
        try:
            yield from streams.pieces(process.stdout)
        except GeneratorExit:
            process.kill()
            raise
        if process.wait():
            errors.seek(0)
            raise Unusable(f"pg_dump failed: {errors.read()[-500:].decode(errors='replace')}")


def _program(name: str) -> str:
    """Return the path of a client program that knows the server's version. Raises: Unusable."""
    with connection.cursor():
        server = int(connection.pg_version) // 10_000  # type: ignore[attr-defined]
    needed = f"the PostgreSQL client programs, version {server} or later"
    path = shutil.which(name)
    if path is None:
        raise Unusable(f"{name} is not installed. Install {needed}.")
    answer = subprocess.run([path, "--version"], capture_output=True, text=True, check=False)  # noqa: S603
    version = re.search(r"\(PostgreSQL\) (\d+)", answer.stdout)
    if version is None:
        raise Unusable(f"{path} --version does not give a version. Install {needed}.")
    if int(version[1]) < server:
        raise Unusable(f"{path} has version {version[1]}, the server {server}. Install {needed}.")
    return path


def _environment() -> dict[str, str]:
    settings: dict[str, Any] = connection.settings_dict
    values = {variable: settings.get(name) for name, variable in _VARIABLES.items()}
    options = settings["OPTIONS"]
    values |= {variable: options.get(name) for name, variable in _OPTION_VARIABLES.items()}
    return {**os.environ, **{name: str(value) for name, value in values.items() if value}}


def _may_create_databases() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT rolcreatedb OR rolsuper FROM pg_roles WHERE rolname = current_user")
        return bool(cursor.fetchone()[0])


def _create_like(own: str, fresh: str) -> None:
    """Create an empty database with the owner, encoding and sort order of another."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_get_userbyid(datdba), datcollate, datctype FROM pg_database"
            " WHERE datname = current_database()"
        )
        owner, order, characters = cursor.fetchone()
    _run(f"DROP DATABASE IF EXISTS {_quoted(fresh)}")
    _run(
        f"CREATE DATABASE {_quoted(fresh)} TEMPLATE template0 ENCODING 'UTF8' "
        f"OWNER {_quoted(owner)} LC_COLLATE {_text(order)} LC_CTYPE {_text(characters)}"
    )


def _run(statement: str) -> None:
    with connections[_SERVER].cursor() as cursor:
        cursor.execute(statement)


def _named_after(own: str, ending: str) -> str:
    return f"{own[: _LONGEST_NAME - len(ending) - 1]}_{ending}"


def _quoted(name: str) -> str:
    return str(connection.ops.quote_name(name.replace('"', "")))


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
