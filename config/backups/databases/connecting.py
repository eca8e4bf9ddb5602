"""Connections to another database of the same kind, for a while; and what both kinds share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import connection, connections
from django.db.models import Model

from databrowser.models import LiveVersion
from filing.models import Institution, Signature, Submission, TrailEntry

# The tables whose rows are counted in a backup, and again after it was restored.
COUNTED: tuple[type[Model], ...] = (
    User, Institution, Submission, Signature, LiveVersion, TrailEntry,
)  # fmt: skip


class Unusable(Exception):
    """A database cannot be backed up or restored; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The state of a database at one moment.

    alias: of the connection that reads it. chunks: gives it in the form that is stored.
    """

    alias: str
    chunks: Callable[[], Iterator[bytes]]


@dataclass(frozen=True, slots=True)
class Restored:
    """A restored database in a fresh place.

    alias: of the connection that reads it. take_over: puts it in the place of the service's own and
    returns where that is kept; blank if there was none.
    """

    alias: str
    take_over: Callable[[], str]


@contextmanager
def connected(name: str, alias: str) -> Iterator[str]:
    """Connect to the database of a name, with all other settings of the service's own."""
    other = connection.copy(alias)
    other.settings_dict["NAME"] = name
    connections[alias] = other
    try:
        yield alias
    finally:
        other.close()
        del connections[alias]


def row_counts(alias: str) -> dict[str, int]:
    """Return how many rows the counted tables have."""
    return {table._meta.label: table._default_manager.using(alias).count() for table in COUNTED}


def is_in_use() -> bool:
    """Tell whether the service's database has data, more than the tables of a first start."""
    tables = connection.introspection.table_names()
    return any(
        table._default_manager.exists()
        for table in (User, Institution, Submission)
        if table._meta.db_table in tables
    )
