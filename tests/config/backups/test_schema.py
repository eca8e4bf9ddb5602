"""Migrations of a database that this version has or lacks."""

from __future__ import annotations

from config.backups import schema


def test_a_migration_of_a_later_version_is_unknown() -> None:
    assert schema.unknown(["filing.0001_initial", "filing.0999_later"]) == ["filing.0999_later"]
    assert "graphs.0001_initial" in schema.missing(["filing.0001_initial"])
