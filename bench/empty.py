"""An empty database of the service's own kind, for commands that measure in their own process."""

from __future__ import annotations

import os
import subprocess
import sys
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


@contextmanager
def database(folder: Path) -> Iterator[str]:
    """Set Django up with a new database, and yield its kind.

    It is a file in the folder, or beside the database of DATABASE_URL on its server.
    """
    server, _, _ = os.environ.get("DATABASE_URL", "").rpartition("/")
    name = f"hmda_bench_{uuid.uuid4().hex[:10]}"
    is_server = server.startswith("postgres")
    if is_server:
        _execute(server, f'CREATE DATABASE "{name}"')
    os.environ |= {
        "DATABASE_URL": f"{server}/{name}" if is_server else f"sqlite:///{folder}/bench.sqlite3",
        "DATA_DIR": str(folder),
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "LOG_LEVEL": "error",
    }
    try:
        subprocess.run([sys.executable, str(ROOT / "manage.py"), "migrate", "-v", "0"], check=True)
        import django

        django.setup()
        from django.db import connection

        yield connection.vendor
        connection.close()
    finally:
        if is_server:
            _execute(server, f'DROP DATABASE "{name}" WITH (FORCE)')


def _execute(server: str, statement: str) -> None:
    import psycopg

    with psycopg.connect(f"{server}/postgres", autocommit=True) as connection:
        connection.execute(statement.encode())
