"""The records that triggered an edit, as tables."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from filing.submissions.findings import EditRow


@dataclass(frozen=True, slots=True)
class RecordTable:
    """Records with the same fields. columns: the labels of the fields."""

    columns: list[str]
    rows: list[EditRow] = field(default_factory=list)


def tables(rows: Iterable[EditRow]) -> list[RecordTable]:
    """Return the records in their order; the transmittal sheet has other columns than a loan."""
    found: list[RecordTable] = []
    for row in rows:
        columns = [label for label, _ in row.fields]
        if not found or found[-1].columns != columns:
            found.append(RecordTable(columns))
        found[-1].rows.append(row)
    return found
