"""Removes entries under a retention rule; the chain records which."""

from __future__ import annotations

from collections.abc import Collection

from filing.audit.chain.tables import Table
from filing.models import EntryRemoval
from filing.models.append_only import removable


def remove(table: Table, keys: Collection[int], *, rule: str) -> None:
    """Delete entries of a table in one transaction, with a record of it."""
    if not keys:
        return
    with removable(table.model):
        EntryRemoval.objects.create(table=table.name, entries=sorted(keys), rule=rule)
        table.rows.filter(pk__in=keys).delete()
