"""Checks of a file with the published rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from bench.yardstick.notation import Record, Scope, Together
from bench.yardstick.reading import LOAN, SHEET
from bench.yardstick.rulebook import Rule, notation, rules
from bench.yardstick.words import Tally
from filing.lar.fields import STATES
from filing.lar.years import Period

Judge = Callable[[Rule, Record], bool]


@dataclass(frozen=True)
class Places:
    """The census data of a year that edits use."""

    tracts: frozenset[str]
    counties: frozenset[str]
    small_counties: frozenset[str] = frozenset()


@dataclass(frozen=True)
class LarFile:
    """A parsed file: the transmittal sheet, if there is one, and the loans, in order."""

    ts: Record | None
    loans: Iterable[Record]

    @classmethod
    def read(cls, text: str) -> LarFile:
        """Return the records of a file in which every row parses.

        Raises: ValueError where a row does not.
        """
        first, *others = text.removeprefix("\ufeff").splitlines()
        return cls(SHEET.record(first.strip()), [LOAN.record(line.strip()) for line in others])


class Check:
    """A check of a file with some rules, record by record.

    Rows count as everywhere: the transmittal sheet is row 0, the first loan row 1. Rules whose
    context is missing (no transmittal sheet) are left out.
    """

    def __init__(
        self,
        rules: Sequence[Rule],
        period: Period,
        places: Places,
        ts: Record | None,
        institution: Record | None,
    ) -> None:
        run = [rule for rule in rules if ts is not None or not rule.needs_sheet]
        self._context = (
            {"institution": institution or {}} | ({"ts": ts} if ts else {}),
            _facts(period, places, institution),
        )
        sheet, self._loan, self._file = (
            _together(tuple((rule.code, rule.text) for rule in run if rule.level == level))
            for level in ("ts", "lar", "file")
        )
        self._tallies = [Tally() for place in self._file.places.values() for _ in place]
        self._failing: list[str] = []
        self._rows: dict[str, list[int]] = {code: [] for code in self._loan.places}
        self.sheet = {code: list[int]() for code in sheet.places}
        if ts is not None:
            sheet.check(ts, (), *self._context, lambda code: self.sheet[code].append(0))

    def add(self, row: int, loan: Record) -> None:
        """Check the next loan."""
        failing, context = self._failing, self._context
        self._loan.check(loan, (), *context, failing.append)
        if failing:
            for code in failing:
                self._rows[code].append(row)
            failing.clear()
        self._file.keep(row, loan, self._tallies, *context)

    @property
    def loans(self) -> dict[str, list[int]]:
        """The rows that trigger each edit of loans."""
        return self._rows

    def file(self) -> Iterator[tuple[str, bool, list[int]]]:
        """Yield each edit of the file, whether it is triggered, and the rows that repeat others."""
        failing: list[str] = []
        self._file.check({}, self._tallies, *self._context, failing.append)
        for code, places in self._file.places.items():
            yield code, code in failing, [r for p in places for r in self._tallies[p].repeated]


def failures(
    file: LarFile,
    period: Period,
    places: Places,
    *kinds: str,
    institution: Record | None = None,
    among: Sequence[Rule] | None = None,
) -> dict[tuple[str, str], list[int]]:
    """Return the rows that trigger each edit, by code and level.

    Edits of the transmittal sheet and of the whole file are found on row 0. among: the rules, if
    not those published for the period.
    """
    held = rules(period, *kinds) if among is None else among
    check = Check(held, period, places, file.ts, institution)
    for row, loan in enumerate(file.loans, start=1):
        check.add(row, loan)
    found = {(code, "ts"): rows for code, rows in check.sheet.items()}
    found |= {(code, "lar"): rows for code, rows in check.loans.items()}
    found |= {(code, "file"): [0] for code, fails, _ in check.file() if fails}
    return {key: rows for key, rows in found.items() if rows}


def judge(period: Period, places: Places, ts: Record, institution: Record) -> Judge:
    """Return a function that tells whether a loan passes a rule on single loans."""
    facts = _facts(period, places, institution)
    others = {"institution": institution, "ts": ts}
    return lambda rule, loan: _passes(rule, Scope(loan, (), others, facts))


def _passes(rule: Rule, scope: Scope) -> bool:
    try:
        return bool(rule.holds(scope))
    except ZeroDivisionError:  # a property value of 0 gives no loan-to-value ratio to compare with
        return True


@cache
def _together(rules: tuple[tuple[str, str], ...]) -> Together:
    return notation().together(dict(rules))


def _facts(period: Period, places: Places, institution: Record | None) -> dict[str, Any]:
    return {
        "STATES": STATES,
        "TRACTS": places.tracts,
        "COUNTIES": places.counties,
        "SMALL_COUNTIES": places.small_counties,
        "filing_year": period.year,
        "filing_quarter": period.quarter,
        "quarter_start": int(f"{period.starts:%Y%m%d}"),
        "quarter_end": int(f"{period.ends:%Y%m%d}"),
        "has_institution": institution is not None,
    }
