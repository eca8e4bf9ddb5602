"""The work of the service as a plain loop: line by line, field by field, rule by rule.

It is what the columns of the service are measured against, and a second opinion on what they find:
the yardstick of the tests, with the rules of one year. Each rule runs on its own; a loop written
by hand that shares what rules have in common takes half the time, and a thousand lines more. Files
are read as they are made here: LF ends a line, and nothing has to be cleaned but blanks.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path

from bench.yardstick.checking import Check, Places
from bench.yardstick.reading import LOAN, SHEET
from bench.yardstick.rulebook import rules_as_run
from filing.edits.facts import Facts

YEAR = 2024


@dataclass(slots=True)
class Found:
    """What was found in a file: bad are the rows with format errors, ascending.

    totals: how many records fail an edit, 1 for an edit of the file that fails. rows: which ones.
    The keys are code and level of the edit: `V600 ts`.
    """

    bad: list[int] = field(default_factory=list)
    totals: dict[str, int] = field(default_factory=dict)
    rows: dict[str, list[int]] = field(default_factory=dict)


def check(path: Path, facts: Facts) -> Found:
    """Return everything that is wrong with a file.

    Raises: ValueError when the transmittal sheet cannot be read.
    """
    found = Found()
    with path.open(encoding="utf-8", newline="\n") as file:
        held = _check(facts, next(file))
        for row, text in enumerate(file, 1):
            try:
                loan = LOAN.record(text.rstrip("\n"))
            except ValueError:
                found.bad.append(row)
            else:
                held.add(row, loan)
    for level, failing in (("ts", held.sheet), ("lar", held.loans)):
        for code, rows in failing.items():
            _add(found, f"{code} {level}", rows, len(rows))
    for code, fails, repeated in held.file():
        _add(found, f"{code} file", repeated, int(fails))
    return found


def _check(facts: Facts, line: str) -> Check:
    if facts.institution is None or facts.census is None:
        raise ValueError("The plain loop runs all edits, so it needs all facts.")
    census = facts.census
    places = map(frozenset[str], (census.tracts, census.counties, census.small_counties))
    return Check(
        rules_as_run(facts.period),
        facts.period,
        Places(*places),
        SHEET.record(line.rstrip("\n")),
        asdict(facts.institution),
    )


def _add(found: Found, edit: str, rows: list[int], total: int) -> None:
    found.rows[edit] = rows
    found.totals[edit] = total
