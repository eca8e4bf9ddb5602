"""Triggers for tables whose rows are written once: the database refuses to change or remove them.

Where the rows are evidence, it also lists new ones for sealing.

Retention removes rows of `REMOVABLE` tables inside `permit_removal`, in one transaction that
permits it for one table. No permit opens any other table, and none is ever truncated.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.apps import AppConfig, apps
from django.db import connections, transaction
from django.db.models import Model

from filing.models import (
    Attempt,
    RemovalPermit,
    Signature,
    StatusChange,
    TrailEntry,
    UnsealedEntry,
)
from filing.models.audit_log import WrittenOnce

# `WrittenOnce` has many subclasses; the others are listed one by one.
_WRITTEN_ONCE = (WrittenOnce, Attempt, Signature, StatusChange)
# What retention shortens. Nothing else that is written once is ever removed, whoever permits it.
REMOVABLE: tuple[type[Model], ...] = (TrailEntry, Attempt)

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
_NEVER_TRUNCATED = {
    # SQLite neither truncates nor replaces a trigger; any permit opened that of earlier releases.
    "sqlite": "DROP TRIGGER IF EXISTS {table}_is_never_deleted",
    "postgresql": """
CREATE OR REPLACE FUNCTION refuse_removal() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION '% is never deleted.', TG_TABLE_NAME; END $$;
CREATE OR REPLACE TRIGGER {table}_is_never_truncated BEFORE TRUNCATE ON {table}
FOR EACH STATEMENT EXECUTE FUNCTION refuse_removal();
""",
}
_NEVER_DELETED = {
    "sqlite": """
CREATE TRIGGER {table}_is_never_deleted BEFORE DELETE ON {table}
BEGIN SELECT RAISE(ABORT, '{table} is never deleted.'); END;
""",
    "postgresql": """
CREATE OR REPLACE TRIGGER {table}_is_never_deleted BEFORE DELETE ON {table}
FOR EACH ROW EXECUTE FUNCTION refuse_removal();
""",
}
_DELETED_WITH_PERMIT = {
    "sqlite": """
CREATE TRIGGER {table}_is_never_deleted BEFORE DELETE ON {table}
WHEN NOT EXISTS (SELECT 1 FROM {permits} WHERE "table" = '{table}')
BEGIN SELECT RAISE(ABORT, '{table} is never deleted.'); END;
""",
    "postgresql": """
CREATE OR REPLACE FUNCTION refuse_removal_without_permit() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN
    IF EXISTS (SELECT 1 FROM {permits} WHERE "table" = TG_TABLE_NAME) THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION '% is never deleted.', TG_TABLE_NAME;
END $$;
CREATE OR REPLACE TRIGGER {table}_is_never_deleted BEFORE DELETE ON {table}
FOR EACH ROW EXECUTE FUNCTION refuse_removal_without_permit();
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
    with connection.cursor() as cursor:
        for model in sender.get_models():
            if issubclass(model, _WRITTEN_ONCE):
                facts = {"table": model._meta.db_table, "name": getattr(model, "EVIDENCE", "")}
                for statement in _list_statements(model, connection.vendor):
                    cursor.execute(statement.format(**facts, **tables))


def _list_statements(model: type[Model], vendor: str) -> Iterator[str]:
    yield _NEVER_CHANGED[vendor]
    yield _NEVER_TRUNCATED[vendor]
    yield (_DELETED_WITH_PERMIT if issubclass(model, REMOVABLE) else _NEVER_DELETED)[vendor]
    if hasattr(model, "EVIDENCE"):
        yield _LISTED[vendor]


@contextmanager
def permit_removal(*models: type[Model], using: str = "default") -> Iterator[None]:
    """Permit the block to delete from tables that refuse it otherwise, if they are `REMOVABLE`.

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
