"""The connection to the database of a request that waits for its caller."""

from __future__ import annotations

from django.db import connection


def release_connection() -> None:
    """Give up the connection, which a request that waits for minutes need not keep from others."""
    if not connection.in_atomic_block:
        connection.close()
