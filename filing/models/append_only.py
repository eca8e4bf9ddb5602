"""Triggers for tables whose rows are written once: the database refuses to change them."""

from __future__ import annotations

from typing import Any

from django.apps import AppConfig
from django.db import connections

from filing.models import Attempt, Signature, StatusChange
from filing.models.audit_log import WrittenOnce

# `WrittenOnce` has many subclasses; the others are listed one by one.
_WRITTEN_ONCE = (WrittenOnce, Attempt, Signature, StatusChange)

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
_TRIGGERS = {"sqlite": _SQLITE, "postgresql": _POSTGRESQL}


def guard(sender: AppConfig, *, using: str = "default", **options: Any) -> None:
    """Create the triggers that refuse changes to tables of an app.

    Called after each migration, not in one: SQLite recreates a table to alter it, and drops its
    triggers.
    """
    connection = connections[using]
    with connection.cursor() as cursor:
        for model in sender.get_models():
            if issubclass(model, _WRITTEN_ONCE):
                statements = _TRIGGERS[connection.vendor].format(table=model._meta.db_table)
                cursor.execute(statements)
