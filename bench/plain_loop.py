"""The work of the service as a plain loop: line by line, field by field, rule by rule.

It is what the columns of the service are measured against: the yardstick of the tests, with the
rules of one year. Each rule runs on its own; a loop written by hand that shares what rules have in
common takes half the time, and a thousand lines more. Files are read as they are made here: LF
ends a line, and nothing has to be cleaned but blanks.
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from bench.yardstick.checking import Check, Places
from bench.yardstick.reading import LOAN, SHEET
from bench.yardstick.rulebook import rules_as_run
from filing.edits.facts import EditFacts

YEAR = 2024


def count_failures(path: Path, facts: EditFacts) -> dict[str, int]:
    """Return how many records of a file fail each edit, by its code and level: `V600 ts`.

    Raises: ValueError when the transmittal sheet cannot be read.
    """
    with path.open(encoding="utf-8", newline="\n") as file:
        checked = _check(facts, next(file))
        for row, text in enumerate(file, 1):
            try:
                loan = LOAN.record(text.rstrip("\n"))
            except ValueError:
                continue  # no edits run on a loan with formatting errors
            checked.add(row, loan)
    totals = {f"{code} ts": len(rows) for code, rows in checked.sheet.items()}
    totals |= {f"{code} lar": len(rows) for code, rows in checked.loans.items()}
    totals |= {f"{code} file": int(fails) for code, fails, _ in checked.file()}
    return totals


def _check(facts: EditFacts, line: str) -> Check:
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
