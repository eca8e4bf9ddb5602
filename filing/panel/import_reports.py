"""What an import of the panel found and did, row by row."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from filing.panel.resource import Change, InstitutionResource, shown
from filing.panel.sheets import Sheet

MOST_CHANGES_KEPT = 500  # in a report, of those that it shows; the history has all of them


@dataclass(frozen=True)
class SkippedRow:
    """A row that was not loaded, by its line in the file, and everything that is wrong with it."""

    row: int
    reasons: tuple[str, ...]

    def __str__(self) -> str:
        return f"row {self.row}: {'; '.join(self.reasons)}"


@dataclass
class ImportReport:
    """What an import found and did. changes: what each row adds or changes."""

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
        """One sentence per row that changes something that is there."""
        return [str(change) for change in self.changes if not change.is_new]

    @property
    def fingerprint(self) -> str:
        """A text that differs whenever a person would be shown something else."""
        changes = [
            [each.row, each.is_new, each.institution.lei, str(each)] for each in self.changes
        ]
        seen = [self.read, self.unchanged, changes, [str(each) for each in self.skipped]]
        return hashlib.sha256(json.dumps(seen).encode()).hexdigest()

    def details(self) -> dict[str, Any]:
        """Return what is kept of the rows: all that were skipped, the first that changed."""
        changing = [change for change in self.changes if not change.is_new]
        return {
            "skipped": [[each.row, list(each.reasons)] for each in self.skipped],
            "changed": _rows_of(changing[:MOST_CHANGES_KEPT]),
            "added": _rows_of([each for each in self.changes if each.is_new][:MOST_CHANGES_KEPT]),
            "ignored_columns": list(self.ignored_columns),
        }


def check(sheet: Sheet) -> ImportReport:
    """Return what a file would do now."""
    resource = InstitutionResource(sheet)
    resource.read()
    added = sum(change.is_new for change in resource.changes)
    return ImportReport(
        read=len(sheet.rows) + len(sheet.faults),
        added=added,
        changed=len(resource.changes) - added,
        unchanged=resource.unchanged,
        skipped=[SkippedRow(row, tuple(why)) for row, why in sorted(resource.skipped.items())],
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
                [name, shown(before), shown(value)]
                for name, (before, value) in change.differences.items()
            ]
            if not change.is_new
            else [],
        }
        for change in changes
    ]
