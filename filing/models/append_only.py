"""Triggers for tables whose rows are written once: the database refuses to change or remove them.

Where the rows are evidence, it also lists new ones for sealing.

Retention removes rows inside `permit_removal`, in one transaction that permits it for one table.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.apps import AppConfig, apps
from django.db import connections, transaction
from django.db.models import Model

from filing.models import Attempt, RemovalPermit, Signature, StatusChange, UnsealedEntry
from filing.models.audit_log import WrittenOnce

# `WrittenOnce` has many subclasses; the others are listed one by one.
_WRITTEN_ONCE = (WrittenOnce, Attempt, Signature, StatusChange)

_NEVER_CHANGED = {
    "sqlite": """
CREATE TRIGGER IF NOT EXISTS {table}_is_never_changed BEFORE UPDATE ON {table}
BEGIN SELECT RAISE(ABORT, '{table} is never changed.'); END;
""",
    "postgresql": """
CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION '% is never changed.', TG_TABLE_NAME; END $$;
CREATE OR REPLACE TRIGGER {table}_is_never_changed BEFORE UPDATE ON {table}
FOR EACH ROW EXECUTE FUNCTION refuse_change();
""",
}
_NEVER_DELETED = {
    "sqlite": """
CREATE TRIGGER IF NOT EXISTS {table}_is_never_deleted BEFORE DELETE ON {table}
WHEN NOT EXISTS (SELECT 1 FROM {permits} WHERE "table" = '{table}')
BEGIN SELECT RAISE(ABORT, '{table} is never deleted.'); END;
""",
    "postgresql": """
CREATE OR REPLACE FUNCTION refuse_removal() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN
    IF EXISTS (SELECT 1 FROM {permits} WHERE "table" = TG_TABLE_NAME) THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION '% is never deleted.', TG_TABLE_NAME;
END $$;
CREATE OR REPLACE TRIGGER {table}_is_never_deleted BEFORE DELETE ON {table}
FOR EACH ROW EXECUTE FUNCTION refuse_removal();
CREATE OR REPLACE TRIGGER {table}_is_never_truncated BEFORE TRUNCATE ON {table}
FOR EACH STATEMENT EXECUTE FUNCTION refuse_removal();
""",
}
_LISTED = {
    "sqlite": """
CREATE TRIGGER IF NOT EXISTS {table}_is_listed AFTER INSERT ON {table}
BEGIN INSERT INTO {unsealed} ("table", entry) VALUES ('{name}', NEW.id); END;
""",
    "postgresql": """
CREATE OR REPLACE FUNCTION list_entry() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN INSERT INTO {unsealed} ("table", entry) VALUES (TG_ARGV[0], NEW.id); RETURN NULL; END $$;
CREATE OR REPLACE TRIGGER {table}_is_listed AFTER INSERT ON {table}
FOR EACH ROW EXECUTE FUNCTION list_entry('{name}');
""",
}


def guard_tables(sender: AppConfig, *, using: str = "default", **options: Any) -> None:
    """Create the triggers that protect the tables of an app.

    Called after each migration, not in one: SQLite recreates a table to alter it, and drops its
    triggers.
    """
    connection = connections[using]
    tables = {"permits": RemovalPermit._meta.db_table, "unsealed": UnsealedEntry._meta.db_table}
    statements = _NEVER_CHANGED[connection.vendor], _NEVER_DELETED[connection.vendor]
    with connection.cursor() as cursor:
        for model in sender.get_models():
            if issubclass(model, _WRITTEN_ONCE):
                name = getattr(model, "EVIDENCE", "")
                for statement in (*statements, *([_LISTED[connection.vendor]] if name else [])):
                    facts = {"table": model._meta.db_table, "name": name, **tables}
                    cursor.execute(statement.format(**facts))


@contextmanager
def permit_removal(*models: type[Model], using: str = "default") -> Iterator[None]:
    """Permit the block to delete from the tables of models that refuse it otherwise.

    The block is one transaction, and no other transaction is permitted anything.
    """
    permits = RemovalPermit.objects.using(using)
    with transaction.atomic(using=using):
        new_permits = [permits.create(table=model._meta.db_table) for model in models]
        yield
        permits.filter(pk__in=[permit.pk for permit in new_permits]).delete()


def guarded_models() -> list[type[Model]]:
    """Return all models whose tables are protected."""
    return [model for model in apps.get_models() if issubclass(model, _WRITTEN_ONCE)]
