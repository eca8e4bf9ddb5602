"""The result of a panel import, row by row, or its preview."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from filing.panel.resource import Change, InstitutionResource, cell_text
from filing.panel.sheets import Sheet

MOST_CHANGES_STORED = 500  # in a report; the history has all changes


@dataclass(frozen=True)
class SkippedRow:
    """A row that was not imported, with everything that is wrong with it."""

    row: int
    reasons: tuple[str, ...]

    def __str__(self) -> str:
        return f"row {self.row}: {'; '.join(self.reasons)}"


@dataclass
class ImportReport:
    """The result of an import, or its preview. changes: what each row adds or changes."""

    read: int = 0
    added: int = 0
    changed: int = 0
    unchanged: int = 0
    skipped: list[SkippedRow] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    ignored_columns: tuple[str, ...] = ()
    loaded: bool = False

    def __str__(self) -> str:
        return (
            f"{self.read:,} rows read: {self.added:,} added, {self.changed:,} changed, "
            f"{self.unchanged:,} unchanged, {len(self.skipped):,} skipped."
        )

    @property
    def differences(self) -> list[str]:
        """One line for each row that changes an existing institution."""
        return [str(change) for change in self.changes if not change.is_new]

    @property
    def fingerprint(self) -> str:
        """A hash of the report as people read it: any difference changes the hash."""
        changes = [
            [change.row, change.is_new, change.institution.lei, str(change)]
            for change in self.changes
        ]
        content = [self.read, self.unchanged, changes, [str(row) for row in self.skipped]]
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()

    def details(self) -> dict[str, Any]:
        """Return the rows to store: all that were skipped, and the first that changed."""
        added = [change for change in self.changes if change.is_new]
        changed = [change for change in self.changes if not change.is_new]
        return {
            "skipped": [[row.row, list(row.reasons)] for row in self.skipped],
            "changed": _rows_of(changed[:MOST_CHANGES_STORED]),
            "added": _rows_of(added[:MOST_CHANGES_STORED]),
            "ignored_columns": list(self.ignored_columns),
        }


def check(sheet: Sheet) -> ImportReport:
    """Return what importing a file would do now."""
    resource = InstitutionResource(sheet)
    resource.read()
    added = sum(change.is_new for change in resource.changes)
    return ImportReport(
        read=len(sheet.rows) + len(sheet.faults),
        added=added,
        changed=len(resource.changes) - added,
        unchanged=resource.unchanged,
        skipped=[
            SkippedRow(row, tuple(reasons)) for row, reasons in sorted(resource.skipped.items())
        ],
        changes=resource.changes,
        ignored_columns=sheet.ignored_columns,
    )


def _rows_of(changes: Sequence[Change]) -> list[dict[str, Any]]:
    return [
        {
            "row": change.row,
            "lei": change.institution.lei,
            "year": change.institution.activity_year,
            "name": change.institution.name,
            "fields": [
                [name, cell_text(before), cell_text(value)]
                for name, (before, value) in change.differences.items()
            ]
            if not change.is_new
            else [],
        }
        for change in changes
    ]
