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
class PlainFindings:
    """The findings in a file. bad: the rows with formatting errors, ascending.

    totals: the number of records that trigger an edit, 1 for one of the file. rows: these records.
    The keys are code and level of the edit: `V600 ts`.
    """

    bad: list[int] = field(default_factory=list)
    totals: dict[str, int] = field(default_factory=dict)
    rows: dict[str, list[int]] = field(default_factory=dict)


def check(path: Path, facts: Facts) -> PlainFindings:
    """Return all findings in a file.

    Raises: ValueError when the transmittal sheet cannot be read.
    """
    findings = PlainFindings()
    with path.open(encoding="utf-8", newline="\n") as file:
        held = _check(facts, next(file))
        for row, text in enumerate(file, 1):
            try:
                loan = LOAN.record(text.rstrip("\n"))
            except ValueError:
                findings.bad.append(row)
            else:
                held.add(row, loan)
    for level, failing in (("ts", held.sheet), ("lar", held.loans)):
        for code, rows in failing.items():
            _add(findings, f"{code} {level}", rows, len(rows))
    for code, fails, repeated in held.file():
        _add(findings, f"{code} file", repeated, int(fails))
    return findings


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


def _add(findings: PlainFindings, edit: str, rows: list[int], total: int) -> None:
    findings.rows[edit] = rows
    findings.totals[edit] = total
