"""The database, its migrations and its clock."""

from __future__ import annotations

from typing import Any

import pytest
from django.conf import settings as site_settings
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from config.doctor.parts import database
from tests.config.doctor.parts.looking import bad, texts


@pytest.mark.django_db(transaction=True)
def test_a_database_as_it_should_be() -> None:
    assert bad(database.database) == []
    assert bad(database.migrations) == []
    assert bad(database.clock) == []


@pytest.mark.django_db(transaction=True)
def test_migrations_that_are_missing_and_those_of_a_newer_release_are_named() -> None:
    recorder = MigrationRecorder(connection)
    recorder.record_unapplied("graphs", "0001_initial")
    recorder.record_applied("filing", "9999_from_the_future")
    recorder.record_applied("not_ours", "0001_initial")
    try:
        missing, newer = bad(database.migrations)
    finally:
        recorder.record_applied("graphs", "0001_initial")
        recorder.record_unapplied("filing", "9999_from_the_future")
        recorder.record_unapplied("not_ours", "0001_initial")
    assert missing == (
        "error: Migrations are not applied: graphs.0001_initial. Run `manage.py prepare`."
    )
    assert "a newer release: filing.9999_from_the_future. Fine during an upgrade" in newer


@pytest.mark.django_db(transaction=True)
def test_a_database_of_before_the_first_release_is_said_to_be_one() -> None:
    recorder = MigrationRecorder(connection)
    recorder.record_applied("filing", "0002_people_and_trail")
    try:
        (finding,) = bad(database.migrations)
    finally:
        recorder.record_unapplied("filing", "0002_people_and_trail")
    assert finding.startswith("error: The database was made before release 1.0.0")


@pytest.mark.parametrize(
    ("seconds", "level", "words"),
    [
        (0.4, "ok", "0.4 seconds ahead"),
        (-4, "ok", "4.0 seconds behind"),
        (90, "error", "90.0 seconds ahead"),
        (-90, "error", "90.0 seconds behind"),
    ],
)
def test_clocks_may_differ_by_seconds(seconds: float, level: str, words: str) -> None:
    (finding,) = database.difference_of_clocks(seconds, "the database server")
    assert finding.level == level
    assert words in finding.text


@pytest.mark.django_db(transaction=True)
def test_connections_must_suffice_for_all_processes(settings: Any) -> None:
    if site_settings.DATABASES["default"]["ENGINE"].endswith("sqlite3"):
        (fits,) = database._connections(most=97, in_use=10)
        (few,) = database._connections(most=50, in_use=10)
        (tight,) = database._connections(most=70, in_use=10)
        assert [fits.level, few.level, tight.level] == ["ok", "error", "warning"]
        assert "needs up to 55" in few.text
    else:
        assert "connections are allowed" in texts(database.database)
        settings.WEB_THREADS = 1_000
        (line,) = bad(database.database)
        assert "Raise max_connections, or lower WEB_THREADS." in line
