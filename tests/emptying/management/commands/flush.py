"""In the place of Django's own command: it may empty the tables whose rows are never deleted.

It empties only tables that have rows: most tests write to few of a hundred, and PostgreSQL takes
its time to truncate one. What follows a migration (permissions, groups of roles, years) stays while
it is as it was after the last one, since to make it again takes hundreds of queries.
"""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import Group, Permission
from django.contrib.contenttypes.models import ContentType
from django.core.management.commands import flush
from django.core.management.sql import emit_post_migrate_signal
from django.db import connections

from filing.models import FilingYear
from tests.tampering import unguarded

# What is made after each migration.
_MADE = [model._meta.db_table for model in (ContentType, Permission, Group, FilingYear)]
_MADE.append(Group.permissions.through._meta.db_table)
_made_rows: dict[str, list[Any]] = {}  # of each database, as they were after the last migration


class Command(flush.Command):
    def handle(self, **options: Any) -> None:
        using = options["database"]
        are_kept = _made_rows.get(using) == read_made_rows(using)
        empty_tables(using, kept=_MADE if are_kept else [])
        if not are_kept:
            emit_post_migrate_signal(options["verbosity"], options["interactive"], using)
            _made_rows[using] = read_made_rows(using)


def read_made_rows(using: str) -> list[Any]:
    """Return the rows of the tables that are filled after each migration."""
    with connections[using].cursor() as cursor:
        rows = []
        for table in _MADE:
            cursor.execute(f"SELECT * FROM {table} ORDER BY 1")
            rows.append(cursor.fetchall())
    return rows


def empty_tables(using: str, *, kept: list[str]) -> None:
    """Delete all rows of the tables that have any, but of those to be kept."""
    connection = connections[using]
    tables = {
        *connection.introspection.django_table_names(only_existing=True, include_views=False)
    } - {*kept}
    are_filled = [f"SELECT '{table}' WHERE EXISTS (SELECT 1 FROM {table})" for table in tables]
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(are_filled))
        filled = {table for (table,) in cursor.fetchall()}
    # Foreign keys are checked at the end of the transaction, by SQLite.
    with unguarded(using), connection.cursor() as cursor:
        for table in filled:
            cursor.execute(f"DELETE FROM {table}")
