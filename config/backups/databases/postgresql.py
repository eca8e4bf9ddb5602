"""PostgreSQL: a snapshot by pg_dump, and back by pg_restore.

The rows are read in the same snapshot as pg_dump reads them. Passwords are in the environment of
the programs, never among their words, which all users of a machine can see.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.db import connection, connections, transaction
from django.db.backends.postgresql.client import DatabaseClient

from config.backups.databases.connecting import LEFT_OUT, Unusable, connect_to

SET_ASIDE = "Rename it, create an empty one with its name and owner"
_WORDS = ("--no-owner", "--no-privileges", "--no-password")
# Newer programs set this for servers that do not know it yet; nothing depends on it.
_HARMLESS = 'unrecognized configuration parameter "transaction_timeout"'


@contextmanager
def take_snapshot(path: Path) -> Iterator[str]:
    """Write a snapshot to a file. Others may go on writing to the database."""
    with connect_to(connection.settings_dict["NAME"]) as alias, transaction.atomic(using=alias):
        with connections[alias].cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            cursor.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
            cursor.execute("SELECT pg_export_snapshot()")
            (name,) = cursor.fetchone()
        empty = (f"--exclude-table-data={table._meta.db_table}" for table in LEFT_OUT)
        words = ("--format=custom", f"--snapshot={name}", f"--file={path}", *empty)
        done = _run("pg_dump", *words)
        if done.returncode:
            raise Unusable(f"pg_dump failed: {done.stderr[-500:]}")
        yield alias


def restore_snapshot(path: Path) -> None:
    """Restore a snapshot. If it fails, the database has to be created again."""
    done = _run("pg_restore", str(path))
    errors = re.findall(r"error: (.*)", done.stderr)
    serious = [error for error in errors if _HARMLESS not in error]
    if serious or (done.returncode and not errors):
        raise Unusable(f"pg_restore failed: {'; '.join(serious[:3]) or done.stderr[-500:]}")


def _run(program: str, *words: str) -> subprocess.CompletedProcess[str]:
    (_, *server, name), variables = DatabaseClient.settings_to_cmd_args_env(
        connection.settings_dict, []
    )
    try:
        return subprocess.run(  # noqa: S603 -- words of our own
            [program, *_WORDS, *server, f"--dbname={name}", *words],
            env={**os.environ, **(variables or {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
    except FileNotFoundError as error:
        raise Unusable(
            f"{program} is not installed. Install the PostgreSQL client programs, of the server's "
            "version or a later one."
        ) from error
