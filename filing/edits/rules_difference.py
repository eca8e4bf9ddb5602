"""What the rules of another year find in a file: the difference, edit by edit.

Edits that are the same in both rules find the same, so only those that differ are run.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path

from filing.edits import catalogue, engine
from filing.edits.edit import Edit, EditKind, EditLevel, EditNeed
from filing.edits.engine import NO_ROWS
from filing.edits.facts import EditFacts
from filing.lar.cutting import Rows

_WITHDRAWN = ", but not all of their edits are run in both years"


class ResultChange(StrEnum):
    """How the result of an edit differs between the rules of two years."""

    NEW = "new"
    GONE = "gone"
    CHANGED = "changed"
    SAME = "same"
    NOT_RUN = "not-run"
    NOT_TRIGGERED = "not-triggered"

    def in_words(self, year: int, other_year: int) -> str:
        """Return what the change means. year: that of the file; other_year: of the other rules."""
        return {
            ResultChange.NEW: f"Triggered only with the rules of {other_year}",
            ResultChange.GONE: f"Triggered only with the rules of {year}",
            ResultChange.CHANGED: "Triggered with both, with another result",
            ResultChange.SAME: "Triggered with both, by as many records",
            ResultChange.NOT_RUN: "Not compared, because they were not run",
            ResultChange.NOT_TRIGGERED: "Not triggered",
        }[self]


@dataclass(frozen=True, slots=True)
class EditTotal:
    """An edit in one of two rules, and how many records trigger it.

    is_of_file: whether it is triggered by the file as a whole, not by records. reason: why it was
    not run, or a blank.
    """

    kind: EditKind
    text: str
    total: int = 0
    is_of_file: bool = False
    reason: str = ""

    def __str__(self) -> str:
        """Return its result in words: `quality, 12 records`."""
        if self.reason:
            return f"{self.kind.value}, not run: {self.reason}"
        if self.is_of_file and self.total:
            return f"{self.kind.value}, whole file"
        return f"{self.kind.value}, {self.total:,} record{'' if self.total == 1 else 's'}"


@dataclass(frozen=True, slots=True)
class EditDifference:
    """An edit that is not the same in two rules; None where one of them has no such edit."""

    code: str
    before: EditTotal | None
    after: EditTotal | None

    @property
    def change(self) -> ResultChange:
        """How its result differs."""
        before, after = self.before, self.after
        if (before and before.reason) or (after and after.reason):
            return ResultChange.NOT_RUN
        was, now = before.total if before else 0, after.total if after else 0
        if not was and not now:
            return ResultChange.NOT_TRIGGERED
        if not was or not now:
            return ResultChange.GONE if was else ResultChange.NEW
        is_same = was == now and before and after and before.kind is after.kind
        return ResultChange.SAME if is_same else ResultChange.CHANGED

    @property
    def text(self) -> str:
        """What the edit requires: in the other rules, if they have it."""
        edit = self.after or self.before
        return edit.text if edit else ""

    @property
    def asks_more(self) -> bool:
        """Whether the other rules trigger it by more records, or as another kind."""
        if self.after is None or not self.after.total or self.change is ResultChange.NOT_RUN:
            return False
        return (
            self.before is None
            or self.after.total > self.before.total
            or self.after.kind is not self.before.kind
        )


@dataclass(frozen=True, slots=True)
class RulesDifference:
    """How the results of a file differ between two rules.

    year, rulebook: the year of the file, and of the released rules that checked it; other_year,
    other_rulebook: those that it is compared with. edits: every one that differs, by code.
    unchanged: how many are the same in both.
    """

    year: int
    rulebook: int
    other_year: int
    other_rulebook: int
    edits: tuple[EditDifference, ...]
    unchanged: int

    @property
    def is_same_rulebook(self) -> bool:
        """Whether both years run the same released rules."""
        return self.rulebook == self.other_rulebook

    @property
    def listed(self) -> list[EditDifference]:
        """The edits that were triggered with either rules, or not run, by code."""
        return [edit for edit in self.edits if edit.change is not ResultChange.NOT_TRIGGERED]

    @property
    def groups(self) -> list[tuple[str, list[EditDifference]]]:
        """The listed edits by their change, which is given in words."""
        by_change = (
            (change, [e for e in self.listed if e.change is change]) for change in ResultChange
        )
        return [
            (change.in_words(self.year, self.other_year), edits)
            for change, edits in by_change
            if edits
        ]

    def __str__(self) -> str:
        """Return how the rules differ, as a sentence."""
        if self.is_same_rulebook:
            older, newer = sorted((self.year, self.other_year))
            same = f"The rules of {newer} are those of {self.rulebook} so far"
            if older != self.rulebook:
                same = f"The rules of {older} and of {newer} are those of {self.rulebook} so far"
            return f"{same}{': no difference' if not self.edits else _WITHDRAWN}."
        number = len(self.edits)
        differ = "1 edit differs" if number == 1 else f"{number:,} edits differ"
        return (
            f"{differ} between the rules of {self.rulebook} and those of {self.other_rulebook}; "
            f"{self.unchanged:,} are the same and find the same."
        )


@dataclass(frozen=True, slots=True)
class RulesResult:
    """What the rules of a year find in a file.

    rulebook: the year of the released rules. reasons: every edit, with why it cannot run or a
    blank. totals: by how many records edits are triggered; those that are left out by none.
    """

    year: int
    rulebook: int
    reasons: Mapping[Edit, str]
    totals: Mapping[Edit, int] = field(default_factory=dict)

    def by_code(self) -> dict[str, dict[Edit, str]]:
        """Return the forms of each code (of sheet, record, file), with their reasons."""
        codes: dict[str, dict[Edit, str]] = {}
        for edit, reason in self.reasons.items():
            codes.setdefault(edit.code, {})[edit] = reason
        return codes

    def total(self, forms: Mapping[Edit, str]) -> EditTotal:
        """Return the result of an edit: of all its forms together."""
        first = next(iter(forms))
        return EditTotal(
            kind=first.kind,
            text=" ".join(edit.text for edit in forms),
            total=sum(self.totals.get(edit, 0) for edit in forms),
            is_of_file=first.level is EditLevel.FILE,
            reason="; ".join(dict.fromkeys(filter(None, forms.values()))),
        )


def compare_rules(
    path: Path, facts: EditFacts, other_year: int, *, unreadable: Rows = NO_ROWS
) -> RulesDifference:
    """Return what the rules of another year find in a file, beside those of its own year.

    It runs the edits that differ, with each of the two rules. unreadable: as in `engine.run_edits`.

    Raises: NoRulebookError for a year without rules, or without those of a quarter.
    """
    other_facts = replace(facts, rules_year=other_year)
    before, after = (
        list_runnable_edits(each, unreadable=unreadable) for each in (facts, other_facts)
    )
    edits, other_edits = find_differing_edits(before, after)
    return compare_results(
        replace(before, totals=count_failing_records(path, facts, edits, unreadable=unreadable)),
        replace(
            after,
            totals=count_failing_records(path, other_facts, other_edits, unreadable=unreadable),
        ),
    )


def list_runnable_edits(facts: EditFacts, *, unreadable: Rows = NO_ROWS) -> RulesResult:
    """Return the edits that these facts have rules for, before they are run."""
    reasons = {
        edit: facts.lacks(edit, whole_file=not unreadable.size) or _lacks_sheet(edit, facts)
        for edit in catalogue.list_edits(facts.rules)
    }
    return RulesResult(facts.rules_year or facts.period.year, facts.rules.year, reasons)


def find_differing_edits(before: RulesResult, after: RulesResult) -> tuple[list[Edit], list[Edit]]:
    """Return the edits of each of two rules that are not the same, or do not run, in the other."""
    codes = _differing_codes(before, after)
    old, new = ([edit for edit in each.reasons if edit.code in codes] for each in (before, after))
    return old, new


def count_failing_records(
    path: Path, facts: EditFacts, edits: Sequence[Edit], *, unreadable: Rows = NO_ROWS
) -> dict[Edit, int]:
    """Return by how many records of a file edits are triggered; those that cannot run by none."""
    runnable, _ = engine.find_ready_edits(edits, facts, whole_file=not unreadable.size)
    if not runnable:
        return {}
    with Path(os.devnull).open("wb") as findings:
        report = engine.run_edits(path, facts, findings, edits=runnable, unreadable=unreadable)
    return {outcome.edit: outcome.total for outcome in report.outcomes}


def compare_results(before: RulesResult, after: RulesResult) -> RulesDifference:
    """Return how two results of a file differ, of which the differing edits were counted."""
    old, new = before.by_code(), after.by_code()
    codes = sorted(_differing_codes(before, after))
    edits = (
        EditDifference(
            code,
            before.total(old[code]) if code in old else None,
            after.total(new[code]) if code in new else None,
        )
        for code in codes
    )
    return RulesDifference(
        year=before.year,
        rulebook=before.rulebook,
        other_year=after.year,
        other_rulebook=after.rulebook,
        edits=tuple(edits),
        unchanged=len(old.keys() - set(codes)),
    )


def _differing_codes(before: RulesResult, after: RulesResult) -> set[str]:
    old, new = before.by_code(), after.by_code()
    return {code for code in old.keys() | new.keys() if old.get(code) != new.get(code)}


def _lacks_sheet(edit: Edit, facts: EditFacts) -> str:
    is_missing = edit.level is EditLevel.TS and facts.transmittal_sheet is None
    return EditNeed.TS.value if is_missing else ""
