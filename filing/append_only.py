"""Tables whose rows are written once: the database itself refuses to change them."""

from __future__ import annotations

from typing import Any

from django.db import connections

from filing.models import Attempt, Note, Signature, StatusChange, TrailEntry

_TABLES = tuple(
    model._meta.db_table for model in (TrailEntry, StatusChange, Signature, Attempt, Note)
)

_SQLITE = """
CREATE TRIGGER IF NOT EXISTS {table}_is_never_changed BEFORE UPDATE ON {table}
BEGIN SELECT RAISE(ABORT, '{table} is never changed.'); END;
"""
_POSTGRESQL = """
CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION '% is never changed.', TG_TABLE_NAME; END $$;
CREATE OR REPLACE TRIGGER {table}_is_never_changed BEFORE UPDATE ON {table}
FOR EACH ROW EXECUTE FUNCTION refuse_change();
"""
_GUARDS = {"sqlite": _SQLITE, "postgresql": _POSTGRESQL}


def guard(*, using: str = "default", **options: Any) -> None:
    """Make the triggers that refuse changes.

    Called after each migration and not in one: SQLite makes tables anew to alter them, and leaves
    their triggers behind.
    """
    connection = connections[using]
    with connection.cursor() as cursor:
        for table in _TABLES:
            cursor.execute(_GUARDS[connection.vendor].format(table=table))
