"""The published rule lists: the rule of each edit for a record or a file, by year.

Source: the lists in `rules/`, as published. An entry is a line with code, level, the years of
annual and of quarterly filing and the fields, up to a colon; its rule follows, set off.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path

from bench.yardstick.notation import Node, Notation
from filing.lar.fields import LAR, STATES, TRANSMITTAL_SHEET
from filing.lar.years import Period

LISTS = ("syntactical", "validity", "quality", "macro")
_RULES = Path(__file__).resolve().parent / "rules"
EXEMPTION_TAKEN = _RULES / "exemption_taken.txt"
_ENTRY = re.compile(r"^(\S.*?):\n((?: [^\n]*\n)+)", re.MULTILINE | re.DOTALL)

# Its code is none by the rules for codes, and S306 came in its place.
LEFT_OUT = {"Q600-warning"}
# It lists columns that its rule does not compare, as a validity edit refuses 1111 there; we do.
WIDER = {"Q657"}


@dataclass(frozen=True)
class Rule:
    """One entry of a list. `level` is ts, lar or file; a code may have several entries.

    It runs on after the last year of the lists, as an edit does that no release has changed.
    """

    code: str
    level: str
    kind: str
    annual: tuple[tuple[int, int], ...]
    quarterly: tuple[tuple[int, int], ...]
    fields: tuple[str, ...]
    text: str

    def runs_in(self, period: Period) -> bool:
        years = self.quarterly if period.is_quarterly else self.annual
        year = min(period.year, last_listed_year())
        return any(first <= year <= last for first, last in years)

    @property
    def needs_sheet(self) -> bool:
        """Whether the rule also reads the transmittal sheet."""
        return "ts." in self.text

    @cached_property
    def holds(self) -> Node:
        """The rule as a function that is true if the record passes."""
        return notation().compile(self.text)


def rules(period: Period, *kinds: str) -> list[Rule]:
    """Return the entries that run in a period: all of them, or those of some lists."""
    return [r for r in _all() if r.runs_in(period) and (not kinds or r.kind in kinds)]


def rules_as_run(period: Period, *kinds: str) -> list[Rule]:
    """Return the rules as the service runs them, which differ from the list in a few cases."""
    return [
        replace(rule, text=f"not any({', '.join(f'{name} == 1111' for name in rule.fields)})")
        if rule.code in WIDER
        else rule
        for rule in rules(period, *kinds)
        if rule.code not in LEFT_OUT
    ]


@cache
def last_listed_year() -> int:
    """Return the last year of which the lists know."""
    return max(last for rule in _all() for _, last in (*rule.annual, *rule.quarterly))


@cache
def _all() -> list[Rule]:
    return [rule for kind in LISTS for rule in _entries(kind)]


def _entries(kind: str) -> Iterator[Rule]:
    for head, text in _ENTRY.findall((_RULES / f"{kind}.txt").read_text()):
        code, level, annual, quarterly, *fields = head.split()
        yield Rule(code, level, kind, _years(annual), _years(quarterly), tuple(fields), text)


def _years(text: str) -> tuple[tuple[int, int], ...]:
    """Return the first and last years of `2018-2020,2023-2026`; `-` is none."""
    spans = (span.split("-") for span in text.split(",") if span != "-")
    return tuple((int(first), int(last)) for first, last in spans)


@cache
def notation() -> Notation:
    """Return the notation with the codes, states and columns that rules name."""
    codes = {field.name: frozenset(field.codes) for field in LAR}
    return Notation(
        # The known codes of a group are those of the co-applicant's column if there is one.
        {name: codes.get(f"co_{name}", values) for name, values in codes.items()},
        STATES,
        {"exemption_taken": EXEMPTION_TAKEN.read_text()},
        {f.name: int if f.dtype.is_integer() else str for f in (*LAR, *TRANSMITTAL_SHEET)},
    )
