"""A database with all tables and no rows, made once for all processes of the tests.

To make it anew for each process, and for each service, would take more time than most tests.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest
from django.conf import settings
from django.db import connection
from django.test.utils import setup_databases, teardown_databases
from pytest_django import DjangoDbBlocker

SQLITE = "service.sqlite3"
PARTS = ("", "-wal", "-shm")
KEPT = settings.BASE_DIR / "var" / "empty-databases"


@dataclass(frozen=True, slots=True)
class EmptyDatabase:
    """Where it is. folder: of the files of SQLite; name: of the database of PostgreSQL."""

    folder: Path
    name: str

    def copy_to(self, file: Path) -> None:
        """Copy the files of SQLite."""
        for part in PARTS:
            if (made := self.folder / f"{SQLITE}{part}").exists():
                shutil.copy(made, f"{file}{part}")

    def copy_as(self, server: str, name: str) -> None:
        """Copy the database of PostgreSQL on its server, in the place of one of that name."""
        execute(server, f'DROP DATABASE IF EXISTS "{name}"')
        execute(server, f'CREATE DATABASE "{name}" TEMPLATE "{self.name}"')


def server_of(database_url: str) -> str:
    """Return the address of a database server; blank for SQLite."""
    return database_url.rpartition("/")[0] if database_url.startswith("postgres") else ""


def execute(server: str, statement: str) -> None:
    with psycopg.connect(f"{server}/postgres", autocommit=True) as to_server:
        to_server.execute(statement.encode())


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Let one process of the tests in at a time."""
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@pytest.fixture(scope="session")
def empty_database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmptyDatabase]:
    """The database that others are copied from; it goes with the last process that uses it."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    server = server_of(os.environ.get("DATABASE_URL", ""))
    lock, folder = shared / "empty.lock", shared / "empty"
    name_file = shared / "empty.name"
    with (shared / "empty.users").open("w") as users:
        with locked(lock):
            if not name_file.exists():
                name = f"hmda_empty_{uuid.uuid4().hex[:10]}"
                copy_kept(folder) if not server else migrate(folder, server, name)
                name_file.write_text(name)
            fcntl.flock(users, fcntl.LOCK_SH)
        made = EmptyDatabase(folder, name_file.read_text())
        yield made
        with locked(lock):
            try:
                fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return  # another process uses it still
            name_file.unlink()
            shutil.rmtree(folder)
            if server:
                execute(server, f'DROP DATABASE "{made.name}"')


def copy_kept(folder: Path) -> None:
    """Copy the SQLite database of an earlier run of the same code, or make and keep one."""
    KEPT.mkdir(parents=True, exist_ok=True)
    kept = KEPT / digest_code()
    with locked(KEPT / "lock"):
        if not kept.exists():
            for of_other_code in KEPT.glob("*/"):
                shutil.rmtree(of_other_code)
            made = Path(tempfile.mkdtemp(prefix="hmda-empty-")) / "made"
            migrate(made, "", "")
            shutil.move(made, kept)
        shutil.copytree(kept, folder)


def digest_code() -> str:
    """Return a digest of all code of the service: of whatever may say what lies in its tables."""
    digest = hashlib.sha256()
    apps = {name.partition(".")[0] for name in settings.INSTALLED_APPS} - {"tests"}
    modules = [file for app in apps for file in (settings.BASE_DIR / app).rglob("*.py")]
    for file in sorted([settings.BASE_DIR / "pyproject.toml", *modules]):
        digest.update(f"{file.relative_to(settings.BASE_DIR)}\n".encode() + file.read_bytes())
    return digest.hexdigest()[:20]


def migrate(folder: Path, server: str, name: str) -> None:
    """Make a database with all tables, in a process that ends: what is copied has no readers."""
    folder.mkdir()
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings"}
    environment |= {"DATA_DIR": str(folder)}
    if server:
        execute(server, f'CREATE DATABASE "{name}"')
        environment["DATABASE_URL"] = f"{server}/{name}"
    statements = "import django; django.setup(); from config.management.commands import prepare;"
    command = [sys.executable, "-c", f"{statements} prepare.create_tables()"]
    subprocess.run(command, cwd=settings.BASE_DIR, env=environment, check=True)


@pytest.fixture(scope="session")
def django_db_setup(
    django_test_environment: None,
    django_db_modify_db_settings: None,
    django_db_blocker: DjangoDbBlocker,
    empty_database: EmptyDatabase,
) -> Iterator[None]:
    """The database of the tests in this process."""
    name = str(connection.creation._get_test_db_name())  # type: ignore[attr-defined]
    if server := server_of(os.environ.get("DATABASE_URL", "")):
        empty_database.copy_as(server, name)
    else:
        empty_database.copy_to(Path(name))
    with django_db_blocker.unblock():
        databases = setup_databases(verbosity=0, interactive=False, keepdb=True)
    yield
    with django_db_blocker.unblock():
        teardown_databases(databases, verbosity=0)
