"""The tables whose entries are evidence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db.models import Model, QuerySet

from filing.models import Attempt, EntryRemoval, Signature, StatusChange, TrailEntry


@dataclass(frozen=True)
class Table:
    """A table of evidence.

    name: as links store it. time: the column that says when an entry was written. submission: the
    path to the submission it is about; blank if it has none.
    """

    name: str
    label: str
    model: type[Model]
    time: str
    submission: str = ""

    @property
    def rows(self) -> QuerySet[Any]:
        """All entries, also for what the table's own manager refuses."""
        return QuerySet(self.model)


TABLES = {
    table.name: table
    for table in (
        Table("log", "audit log entry", TrailEntry, "at"),
        Table("status", "status change", StatusChange, "at", "submission_id"),
        Table("signature", "signature", Signature, "signed_at", "submission_id"),
        Table("attempt", "attempt", Attempt, "ended_at", "job__submission_id"),
        Table("removal", "record of a removal", EntryRemoval, "at"),
    )
}
