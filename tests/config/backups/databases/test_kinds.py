"""Snapshots and restored databases, the same on SQLite and PostgreSQL."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.db import connection, connections
from django.test import Client
from oauth2_provider.models import DeviceGrant

from config.backups.databases import connecting, kinds
from config.backups.databases.connecting import Unusable, count_rows
from config.identity import device_grant
from filing.models import Institution
from tests import make
from tests.empty_database import execute, server_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.servers]
ONE, TWO = (f"SNAPSHOT{number:012d}" for number in range(2))


def add(lei: str) -> None:
    make.institution(lei)


def leis(alias: str = "default") -> list[str]:
    return sorted(Institution.objects.using(alias).values_list("lei", flat=True))


@pytest.fixture
def content(tmp_path: Path) -> Path:
    """A snapshot that has the first institution; the second one came during it."""
    add(ONE)
    path = tmp_path / "content"
    with kinds.take_snapshot(path) as alias:
        add(TWO)
        assert (leis(alias), leis()) == ([ONE], [ONE, TWO])
        assert count_rows(alias)["filing.Institution"] == 1
        assert connecting.unknown_migrations(connecting.applied_migrations(alias)) == []
        assert connecting.missing_migrations(connecting.applied_migrations(alias)) == []
    assert "snapshot" not in [each.alias for each in connections.all(initialized_only=True)]
    return path


@contextmanager
def empty_database(tmp_path: Path) -> Iterator[None]:
    """Let the service have an empty database for a while."""
    own, name = connection.settings_dict["NAME"], str(tmp_path / "empty.sqlite3")
    if server := server_of(os.environ.get("DATABASE_URL", "")):
        name = f"hmda_empty_{uuid.uuid4().hex[:10]}"
        execute(server, f'CREATE DATABASE "{name}"')
    connection.close()
    connection.settings_dict["NAME"] = name
    try:
        yield
    finally:
        connection.close()
        connection.settings_dict["NAME"] = own
        if server:
            execute(server, f'DROP DATABASE "{name}"')


def test_a_snapshot_is_restored_into_an_empty_database(content: Path, tmp_path: Path) -> None:
    with empty_database(tmp_path):
        kinds.require_empty()
        kinds.restore_snapshot(content)
        assert leis() == [ONE]
        with pytest.raises(Unusable, match="has tables"):
            kinds.require_empty()
    assert leis() == [ONE, TWO]


def test_a_snapshot_has_no_session_and_no_code_of_a_sign_in(client: Client, tmp_path: Path) -> None:
    client.force_login(make.user())
    code = "code-that-a-program-waits-with"
    device_grant.begin_device_grant(
        device_grant.CLIENT_ID,
        {"device_code": code, "user_code": "ABCDEFGH", "interval": 5, "expires_in": 600},
    )
    row = Session.objects.get()
    path = tmp_path / "content"
    with kinds.take_snapshot(path) as alias:
        if kinds.database_kind() == "sqlite":  # of PostgreSQL, it reads the database itself
            assert not Session.objects.using(alias).exists()
            assert row.session_data.encode() not in path.read_bytes()
    with empty_database(tmp_path):
        kinds.restore_snapshot(path)
        assert User.objects.count() == 1
        assert not Session.objects.exists()
        assert not DeviceGrant.objects.exists()
    assert Session.objects.get() == row
    assert DeviceGrant.objects.get().device_code != code


def test_what_is_no_snapshot_is_refused(tmp_path: Path) -> None:
    damaged = tmp_path / "content"
    damaged.write_bytes(b"PGDMP or SQLite it is not" * 1000)
    with empty_database(tmp_path):
        with pytest.raises(Unusable):
            kinds.restore_snapshot(damaged)
        assert not connection.introspection.table_names()


if kinds.database_kind() == "postgresql":  # SQLite needs no programs

    def test_a_program_that_is_missing_is_named(
        monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.setenv("PATH", str(tmp_path))
        message = "pg_dump is not installed. Install the PostgreSQL client programs"
        with pytest.raises(Unusable, match=message), kinds.take_snapshot(tmp_path / "content"):
            pass

    def test_a_program_that_fails_says_why(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        (tmp_path / "pg_dump").write_text("#!/bin/sh\necho 'server version mismatch' >&2\nexit 1\n")
        (tmp_path / "pg_dump").chmod(0o700)
        monkeypatch.setenv("PATH", str(tmp_path))
        message = "pg_dump failed: server version mismatch"
        with pytest.raises(Unusable, match=message), kinds.take_snapshot(tmp_path / "content"):
            pass
