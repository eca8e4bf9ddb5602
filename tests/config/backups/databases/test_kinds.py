"""Snapshots and restored databases, the same on SQLite and PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.db import connection, connections

from config.backups import schema
from config.backups.databases import kinds, postgresql
from config.backups.databases.connecting import Unusable, connected, is_in_use, row_counts
from filing.models import Institution
from tests.empty_database import PARTS

pytestmark = pytest.mark.django_db(transaction=True)
ONE, TWO = (f"SNAPSHOT{number:012d}" for number in range(2))


def add(lei: str) -> None:
    Institution.objects.create(activity_year=2024, lei=lei, name="Bank", agency=9)


def leis(alias: str = "default") -> list[str]:
    return sorted(Institution.objects.using(alias).values_list("lei", flat=True))


@pytest.fixture
def content(tmp_path: Path) -> Path:
    """A stored snapshot that has the first institution; the second one came during it."""
    add(ONE)
    stored = tmp_path / "content"
    with kinds.snapshot(tmp_path, "snapshot") as snapshot, stored.open("wb") as file:
        add(TWO)
        assert (leis(snapshot.alias), leis()) == ([ONE], [ONE, TWO])
        assert row_counts(snapshot.alias)["filing.Institution"] == 1
        assert schema.unknown(schema.applied(snapshot.alias)) == []
        assert schema.missing(schema.applied(snapshot.alias)) == []
        file.writelines(snapshot.chunks())
    assert "snapshot" not in [each.alias for each in connections.all(initialized_only=True)]
    return stored


def test_a_restored_database_is_beside_the_own_one_until_it_takes_over(content: Path) -> None:
    with kinds.restored(content, "1", "restored") as restored:
        assert (leis(restored.alias), leis()) == ([ONE], [ONE, TWO])
    assert leis() == [ONE, TWO]
    with kinds.restored(content, "1", "restored") as restored:
        kept = restored.take_over()
    try:
        assert leis() == [ONE]
        with connected(kept.removeprefix("database "), "kept") as alias:
            assert leis(alias) == [ONE, TWO]
    finally:
        remove(kept)


def remove(kept: str) -> None:
    if kinds.kind() == "sqlite":
        for part in PARTS:
            Path(f"{kept}{part}").unlink(missing_ok=True)
        return
    with connected("postgres", "server") as alias, connections[alias].cursor() as cursor:
        cursor.execute(f'DROP DATABASE "{kept.removeprefix("database ")}"')


def test_what_is_no_snapshot_is_refused_and_leaves_everything_as_it_was(tmp_path: Path) -> None:
    add(ONE)
    damaged = tmp_path / "content"
    damaged.write_bytes(b"PGDMP or SQLite it is not" * 1000)
    with pytest.raises(Unusable), kinds.restored(damaged, "2", "restored"):
        pass
    assert leis() == [ONE]
    if kinds.kind() == "sqlite":
        own = Path(connection.settings_dict["NAME"])
        assert not [*own.parent.glob("*.restored-2*")]


def test_a_database_with_tables_alone_is_not_in_use() -> None:
    assert not is_in_use()
    add(ONE)
    assert is_in_use()


def test_a_password_is_in_the_environment_of_the_programs(settings: Any) -> None:
    before = dict(connection.settings_dict)
    try:
        connection.settings_dict |= {"PASSWORD": "s3cret", "HOST": "db", "PORT": 5433}
        environment = postgresql._environment()
    finally:
        connection.settings_dict |= before
    assert (environment["PGPASSWORD"], environment["PGHOST"]) == ("s3cret", "db")


if kinds.kind() == "postgresql":  # SQLite needs no programs

    @pytest.fixture
    def program(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[str], None]:
        """Put a program in the place of pg_dump; none for a blank text."""
        monkeypatch.setenv("PATH", str(tmp_path))

        def put(text: str) -> None:
            if text:
                (tmp_path / "pg_dump").write_text(f"#!/bin/sh\necho '{text}'\n")
                (tmp_path / "pg_dump").chmod(0o700)

        return put

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("", "pg_dump is not installed. Install the PostgreSQL client programs, version"),
            ("pg_dump (PostgreSQL) 9.6.24", "has version 9, the server"),
            ("something else", "does not give a version"),
        ],
    )
    def test_a_program_that_is_missing_or_too_old_is_named(
        program: Callable[[str], None], tmp_path: Path, text: str, message: str
    ) -> None:
        program(text)
        with pytest.raises(Unusable, match=message), kinds.snapshot(tmp_path, "snapshot"):
            pass
