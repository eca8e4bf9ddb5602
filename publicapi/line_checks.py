"""Checks of a single line: a transmittal sheet, or a loan."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from filing.edits import engine
from filing.edits.edit import Edit, Kind, Level, Need
from filing.edits.facts import Facts
from filing.lar import parse
from filing.lar.errors import LineErrors
from filing.lar.fields import LAR, TRANSMITTAL_SHEET, Field
from filing.lar.nested import to_nested
from filing.lar.parse import Record
from filing.lar.period import Period
from filing.reference_data import registry

_KINDS = (Kind.SYNTACTICAL, Kind.VALIDITY, Kind.QUALITY)


@dataclass(frozen=True, slots=True)
class Line:
    """One of the two kinds of lines. key: its name in a request."""

    key: str
    level: Level
    fields: tuple[Field, ...]
    _read: Callable[[bytes], Record | LineErrors]

    def read(self, text: str) -> Record | LineErrors:
        """Return the record of a line, or its formatting errors."""
        return self._read(text.encode())

    def nested(self, record: Record) -> dict[str, Any]:
        """Return a record as nested JSON."""
        return to_nested(record.values, self.fields)

    def failing(
        self, record: Record, period: Period, edits: Iterable[Edit]
    ) -> tuple[list[Edit], dict[str, str]]:
        """Return the edits of a period that a record triggers, and why others were not run.

        Edits of the other kind of line, or that compare with it, are left out.
        """
        is_sheet = self.level is Level.TS
        facts = Facts(
            period,
            record.values if is_sheet else None,
            census=registry.census_also_without_database(period.year),
        )
        of_line = [
            edit
            for edit in edits
            if edit.level is self.level and (is_sheet or Need.TS not in edit.needs)
        ]
        ready, unrun = engine.ready(of_line, facts)
        run = engine.check_transmittal_sheet if is_sheet else engine.failures
        failing = sorted(run(record.frame, ready, facts), key=lambda edit: edit.code)
        return failing, {edit.code: reason for edit, reason in unrun.items()}


SHEET = Line("ts", Level.TS, TRANSMITTAL_SHEET, parse.transmittal_sheet)
LOAN = Line("lar", Level.LAR, LAR, parse.loan)


def by_kind(edits: list[Edit]) -> dict[str, Any]:
    """Return edits as JSON: a list for each kind, which may be empty."""
    return {
        kind.value: {
            "errors": [
                {"edit": edit.code, "description": edit.text} for edit in edits if edit.kind is kind
            ]
        }
        for kind in _KINDS
    }
