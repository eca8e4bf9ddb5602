"""Format errors of a whole file, grouped by the field and what it accepts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from filing.lar.cutting import Cut, Rows
from filing.lar.errors import LineErrors, misfit
from filing.lar.fields import LAR, LAR_BY_NAME

MOST_ROWS = 10_000  # rows kept for each group, which bounds memory


@dataclass(frozen=True, slots=True)
class FaultGroup:
    """Format errors with the same field and accepted values.

    total: lines with this error. rows: the first of these, ascending, at most `MOST_ROWS`.
    """

    field: str
    accepts: str
    total: int
    rows: Rows


class FaultGroups:
    """Format errors counted while a file is read."""

    def __init__(self) -> None:
        self._totals: dict[tuple[str, str], int] = {}
        self._rows: dict[tuple[str, str], list[Rows]] = {}

    def add_sheet(self, errors: LineErrors) -> None:
        """Add the errors of the transmittal sheet."""
        for message in errors.messages:
            self._add(message.field, message.accepts, np.zeros(1, np.uint32))

    def add(self, lines: Cut, unread: Mapping[str, pl.Series]) -> None:
        """Add the errors of some loans. unread: rows by field, as `unreadable` returns them."""
        for too_long in (False, True):
            rows = lines.misfits.filter(pl.col("too_long") == too_long)["row"]
            message = misfit(LAR, 0, too_long=too_long)
            self._add(message.field, message.accepts, rows.to_numpy())
        for name, rows in unread.items():
            field = LAR_BY_NAME[name]
            self._add(field.error_label, field.accepts, rows.to_numpy())

    def all(self) -> tuple[FaultGroup, ...]:
        """Return the groups, those with the most lines first."""
        groups = (
            FaultGroup(*key, total, np.concatenate(self._rows[key]))
            for key, total in self._totals.items()
        )
        return tuple(sorted(groups, key=lambda group: (-group.total, group.field)))

    def _add(self, field: str, accepts: str, rows: Rows) -> None:
        if not len(rows):
            return
        key = (field, accepts)
        count = self._totals.get(key, 0)
        self._totals[key] = count + len(rows)
        if count < MOST_ROWS:
            # A copy: a view would keep the whole block.
            self._rows.setdefault(key, []).append(rows[: MOST_ROWS - count].copy())
