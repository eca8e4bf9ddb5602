"""The published rule lists as an oracle: what each edit says about a file, year by year.

The lists lie beside the project where they are present at all; `needs_published` marks the tests
that cannot run without them. Rows count as everywhere: the transmittal sheet is row 0, the first
loan row 1.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import pytest
import yaml

from filing.lar.period import Period
from tests.edits_notation import Node, Notation, Record, Scope

PUBLISHED = Path(__file__).resolve().parents[2] / "shared" / "edits"
needs_published = pytest.mark.published
LISTS = ("syntactical", "validity", "quality", "macro")
_WHOLE = {"int", "code", "code_or_blank", "agency", "date"}


@dataclass(frozen=True)
class Rule:
    """One entry of a list. `level` is ts, lar or file; a code may have several entries."""

    code: str
    level: str
    kind: str
    annual: tuple[tuple[int, int], ...]
    quarterly: tuple[tuple[int, int], ...]
    fields: tuple[str, ...]
    needs: frozenset[str]
    text: str

    def runs_in(self, period: Period) -> bool:
        years = self.quarterly if period.is_quarterly else self.annual
        return any(first <= period.year <= last for first, last in years)

    @cached_property
    def holds(self) -> Node:
        """The rule as a function: true where the record passes."""
        return _notation().compile(self.text)


Judge = Callable[[Rule, Record], bool]


@dataclass(frozen=True)
class Places:
    """The census of a year, as far as edits look at it."""

    tracts: frozenset[str]
    counties: frozenset[str]
    small_counties: frozenset[str] = frozenset()


@dataclass(frozen=True)
class LarFile:
    """A parsed file: the transmittal sheet, None for loans without one, and the loans."""

    ts: Record | None
    loans: Sequence[Record]

    @classmethod
    def read(cls, text: str) -> LarFile:
        """Return the records of a file in which every row parses.

        Raises: ValueError where a row has the wrong number of columns or no number in a whole
        number's place.
        """
        layout = _load("fields")
        first, *others = text.removeprefix("\ufeff").splitlines()
        loans = [_record(line, layout["lar"]) for line in others]
        for loan in loans:
            loan["lei"] = loan["lei"].upper()
        return cls(_record(first, layout["ts"]), loans)


def rules(period: Period, *kinds: str) -> list[Rule]:
    """Return the entries that run in a period: all of them, or those of some lists."""
    return [r for r in _all() if r.runs_in(period) and (not kinds or r.kind in kinds)]


def failures(
    file: LarFile,
    period: Period,
    places: Places,
    *kinds: str,
    institution: Record | None = None,
) -> dict[tuple[str, str], list[int]]:
    """Return for each (code, level) that does not hold the rows on which it does not.

    Edits of the transmittal sheet and of the whole file are found on row 0. Edits whose context
    is missing (no transmittal sheet) are left out.
    """
    facts = _facts(period, places, institution)
    others = {"institution": institution or {}} | ({"ts": file.ts} if file.ts else {})
    records: dict[str, list[tuple[int, Record]]] = {
        "lar": list(enumerate(file.loans, start=1)),
        "ts": [(0, file.ts)] if file.ts else [],
        "file": [(0, {})],
    }
    found: dict[tuple[str, str], list[int]] = {}
    for rule in rules(period, *kinds):
        if file.ts is None and ("ts" in rule.needs or "ts." in rule.text):
            continue
        failing = [
            row
            for row, record in records[rule.level]
            if not _passes(rule, Scope(record, file.loans, others, facts))
        ]
        if failing:
            found[rule.code, rule.level] = failing
    return found


def judge(period: Period, places: Places, ts: Record, institution: Record) -> Judge:
    """Return a function that tells whether a loan passes a rule that looks at nothing else."""
    facts = _facts(period, places, institution)
    others = {"institution": institution, "ts": ts}
    return lambda rule, loan: _passes(rule, Scope(loan, (), others, facts))


def _passes(rule: Rule, scope: Scope) -> bool:
    try:
        return bool(rule.holds(scope))
    except ZeroDivisionError:  # a property value of 0 gives no loan-to-value ratio to compare with
        return True


def _facts(period: Period, places: Places, institution: Record | None) -> dict[str, Any]:
    return {
        "STATES": _load("fields")["states"],
        "TRACTS": places.tracts,
        "COUNTIES": places.counties,
        "SMALL_COUNTIES": places.small_counties,
        "filing_year": period.year,
        "filing_quarter": period.quarter,
        "quarter_start": int(f"{period.starts:%Y%m%d}"),
        "quarter_end": int(f"{period.ends:%Y%m%d}"),
        "has_institution": institution is not None,
    }


def _record(line: str, layout: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    values = [value.strip() for value in line.strip().split("|")]
    record: dict[str, Any] = {
        column["name"]: int(value or 0) if column["parse"] in _WHOLE else value
        for column, value in zip(layout, values, strict=True)
    }
    return {**record, "row_text": line.strip()}


@cache
def _load(name: str) -> Any:
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return yaml.load((PUBLISHED / f"{name}.yaml").read_text(), Loader=loader)


@cache
def _all() -> list[Rule]:
    return [
        Rule(
            code=entry["code"],
            level=entry["level"],
            kind=kind,
            annual=_ranges(entry["annual"]),
            quarterly=_ranges(entry["quarterly"]),
            fields=tuple(entry["fields"]),
            needs=frozenset(entry["needs"]),
            text=entry["pass"],
        )
        for kind in LISTS
        for entry in _load(kind)
    ]


def _ranges(years: list[Any] | None) -> tuple[tuple[int, int], ...]:
    if years is None:
        return ()
    pairs = years if isinstance(years[0], list) else [years]
    return tuple((first, last) for first, last in pairs)


@cache
def _notation() -> Notation:
    fields = _load("fields")
    codes = {column["name"]: frozenset(column["valid_values"] or ()) for column in fields["lar"]}
    # The known codes of a group are those of the co-applicant's column where there is one.
    known = {name: codes.get(f"co_{name}", values) for name, values in codes.items()}
    return Notation(known, fields["states"], {"exemption_taken": _exemption_taken()})


def _exemption_taken() -> str:
    """The condition that the head of the quality list spells out in its comments."""
    head = (PUBLISHED / "quality.yaml").read_text().split("\n- code", 1)[0]
    found = re.search(r"any\(submission_of_application.*?nmlsr_id\) in X\)", head, re.DOTALL)
    assert found is not None
    text = re.sub(r"\n#", " ", found[0])
    return text.replace("in X", 'in {"exempt", "1111"}')
