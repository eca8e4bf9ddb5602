"""Spreadsheets as people have them: each value is right, or has a finding at its cell."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.filing.spreadsheets.cases import variety
from tests.filing.spreadsheets.cases.making import Case
from tests.filing.spreadsheets.loan_rows import NAMES, Converted, converted, lines

CASES = variety()


def convert(case: Case, folder: Path) -> Converted:
    return converted(
        case.write(folder), options=case.options, sheet=case.sheet, mapping=case.mapping
    )


def silently_wrong(outcome: Converted, case: Case) -> list[tuple[int, str, str, str]]:
    """Return the values that are not right and have no finding: loan, field, value, right one."""
    found = {(one["line"], one["field"]) for one in outcome.findings()}
    return [
        (number, name, record[name], right[name])
        for number, (record, right) in enumerate(zip(outcome.records, case.truth, strict=False))
        for name in NAMES
        if record[name] != right[name] and (number + 2, name) not in found
    ]


def test_there_are_a_hundred() -> None:
    assert len(CASES) >= 100


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_each_value_is_right_or_has_a_finding_at_its_cell(case: Case, tmp_path: Path) -> None:
    outcome = convert(case, tmp_path)
    assert silently_wrong(outcome, case) == []
    reading_or_format = outcome.cells("reading") | outcome.cells("format")
    assert case.doubts <= reading_or_format
    if not case.doubts:
        assert outcome.cells("reading") == set()
        assert outcome.data == lines(case.truth)
        assert outcome.report["canWrite"]
    extra = len(outcome.records) - len(case.truth)
    assert extra in (0, 1)
    if extra:  # a row that is no loan has findings of its own
        assert {one["line"] for one in outcome.findings()} >= {len(case.truth) + 2}
