"""Small files of made-up loans, and what the engine finds in them."""

import io
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from filing.edits import engine, examples
from filing.edits.facts import EditFacts
from filing.lar.years import Period
from tests.filing.edits.cases import LEI, Changes, facts


@dataclass(frozen=True)
class Found:
    """A report, and the row numbers of each edit that failed, by code and level."""

    report: engine.CheckReport
    rows: dict[tuple[str, str], list[int]]

    def outcome(self, code: str, level: str = "file") -> engine.EditOutcome:
        (outcome,) = [
            o for o in self.report.outcomes if (o.edit.code, o.edit.level.value) == (code, level)
        ]
        return outcome


def write(path: Path, period: Period, changes: Sequence[Changes], **sheet: str | int) -> EditFacts:
    """Write a file of correct loans with changes, each with its own ULI, and return its facts."""
    loans = [
        examples.correct_loan(period, LEI, uli=examples.numbered_uli(LEI, number)) | change
        for number, change in enumerate(changes)
    ]
    known = facts(period, **({"total_lines": len(loans)} | sheet))
    assert known.transmittal_sheet is not None
    lines = [
        examples.write_record_line(known.transmittal_sheet),
        *map(examples.write_record_line, loans),
    ]
    path.write_text("\n".join(lines) + "\n")
    return known


def run(path: Path, known: EditFacts, **options: int | bool) -> Found:
    findings = io.BytesIO()
    report = engine.run_edits(path, known, findings, **options)
    stored = np.frombuffer(findings.getvalue(), "<u4").tolist()
    assert len(stored) == sum(outcome.listed for outcome in report.outcomes)
    rows = {
        (o.edit.code, o.edit.level.value): stored[o.position : o.position + o.listed]
        for o in report.outcomes
        if o.total
    }
    return Found(report, rows)


def found(tmp_path: Path, period: str, changes: Sequence[Changes], **sheet: str | int) -> Found:
    """Return what the engine finds in a file of correct loans with changes."""
    path = tmp_path / "file.txt"
    return run(path, write(path, Period.parse(period), changes, **sheet))


def without(known: EditFacts, *names: str) -> EditFacts:
    return replace(known, **dict.fromkeys(names))
