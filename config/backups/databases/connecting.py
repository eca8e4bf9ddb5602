"""Connections to another database of the same kind, for a while; and what both kinds share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.contrib.auth.models import User
from django.db import connection, connections
from django.db.models import Model

from databrowser.models import LiveVersion
from filing.models import Institution, Signature, Submission, TrailEntry

SNAPSHOT = "snapshot"  # the alias of the connection that reads a snapshot

# The tables whose rows are counted in a backup, and again after it was restored.
COUNTED: tuple[type[Model], ...] = (
    User, Institution, Submission, Signature, LiveVersion, TrailEntry,
)  # fmt: skip


class Unusable(Exception):
    """A database cannot be backed up or restored; the message says why and what to do."""


@contextmanager
def connected(name: str) -> Iterator[str]:
    """Connect to the database of a name, with all other settings of the service's own."""
    other = connection.copy(SNAPSHOT)
    other.settings_dict["NAME"] = name
    connections[SNAPSHOT] = other
    try:
        yield SNAPSHOT
    finally:
        other.close()
        del connections[SNAPSHOT]


def row_counts(alias: str) -> dict[str, int]:
    """Return how many rows the counted tables have."""
    return {table._meta.label: table._default_manager.using(alias).count() for table in COUNTED}
