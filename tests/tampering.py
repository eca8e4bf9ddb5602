"""Changes of rows behind the service's back, as whoever owns the database could make them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection, connections, transaction

from filing.models import Filing, Submission


@contextmanager
def unguarded(using: str = "default") -> Iterator[None]:
    """Switch all triggers of the database off while the block runs, in one transaction."""
    with transaction.atomic(using=using), connections[using].cursor() as cursor:
        if connections[using].vendor == "postgresql":
            cursor.execute("SET LOCAL session_replication_role = 'replica'")
            yield
            cursor.execute("SET LOCAL session_replication_role = 'origin'")
            return
        cursor.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
        triggers = cursor.fetchall()
        for name, _ in triggers:
            cursor.execute(f"DROP TRIGGER {name}")
        yield
        for _, sql in triggers:
            cursor.execute(sql)


def tamper(statement: str, *values: Any) -> int:
    """Run a statement without triggers; return how many rows it touched."""
    with unguarded(), connection.cursor() as cursor:
        cursor.execute(statement, values)
        return int(cursor.rowcount)


def forget_filings() -> None:
    """Delete all filings and their submissions, with the history that stays otherwise."""
    with unguarded():
        Submission.objects.all().delete()
        Filing.objects.all().delete()
