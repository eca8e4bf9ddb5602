"""What staff enter of an event, and what it changes: the same lines in preview and report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from typing import Any

from filing.models import InstitutionEvent
from filing.previews import digest_preview


class Part(StrEnum):
    """The parts of a report, in their order."""

    DUTIES = "Who files what"
    RECORDS = "Panel records"
    FILINGS = "Filings"
    PEOPLE = "People and programs"
    KEPT = "Not changed"


@dataclass(frozen=True)
class EventDraft:
    """An event as staff enter it. options: what its kind asks besides the day."""

    kind: InstitutionEvent.Kind
    lei: str
    effective_on: date
    other_lei: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class ReportLine:
    """One thing that an event changes, or leaves as it is. about: a filing, a record, a person."""

    part: str
    about: str
    text: str


@dataclass(frozen=True)
class EventReport:
    """What an event changes. event: none in a preview. emails: how many people get one."""

    kind: InstitutionEvent.Kind
    lines: tuple[ReportLine, ...]
    emails: int
    event: InstitutionEvent | None = None

    @property
    def parts(self) -> list[tuple[str, list[ReportLine]]]:
        """The lines by part, in order."""
        return [
            (str(part), lines)
            for part in Part
            if (lines := [line for line in self.lines if line.part == part])
        ]

    @property
    def counts(self) -> str:
        """How many lines each part has, in words."""
        numbers = Counter(line.part for line in self.lines)
        texts = [f"{part.lower()}: {numbers[part]}" for part in map(str, Part) if numbers[part]]
        text = ", ".join([*texts, f"emails: {self.emails}"])
        return f"{text[:1].upper()}{text[1:]}."

    @property
    def digest(self) -> str:
        """The digest of what the report says, in a preview and afterwards."""
        return digest_preview(self.kind, self.lines, self.emails)
