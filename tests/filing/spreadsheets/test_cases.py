"""Spreadsheets as people have them: each value is right, or has a finding at its cell."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from filing.spreadsheets.accepted_files import SpreadsheetRefusal
from filing.spreadsheets.options import ConversionOptions
from filing.spreadsheets.written_files import write_spreadsheet, write_template
from tests.filing.spreadsheets import books
from tests.filing.spreadsheets.cases import variety
from tests.filing.spreadsheets.cases.making import Case
from tests.filing.spreadsheets.loan_rows import (
    GIVEN,
    NAMES,
    Converted,
    converted,
    grid,
    lines,
    records,
)

CASES = variety()


def convert(case: Case, folder: Path) -> Converted:
    return converted(
        case.write(folder), options=case.options, sheet=case.sheet, mapping=case.mapping
    )


def silently_wrong(outcome: Converted, case: Case) -> list[tuple[int, str, str, str]]:
    """Return the values that are not right and have no finding: loan, field, value, right one."""
    found = {(one["line"], one["field"]) for one in outcome.findings()}
    found |= {
        (line, one["field"])
        for one in outcome.report["questions"]
        if not one["default"]
        for line in range(2, 2 + len(case.truth))
    }
    return [
        (number, name, record[name], right[name])
        for number, (record, right) in enumerate(zip(outcome.records, case.truth, strict=False))
        for name in NAMES
        if record[name] != right[name] and (number + 2, name) not in found
    ]


def asked_about(outcome: Converted) -> set[str]:
    """Return the cells of questions, which are one finding at the first of them."""
    return {f"{one['column']}{row}" for one in outcome.report["questions"] for row in range(2, 12)}


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_each_value_is_right_or_has_a_finding_at_its_cell(case: Case, tmp_path: Path) -> None:
    outcome = convert(case, tmp_path)
    assert silently_wrong(outcome, case) == []
    reading_or_format = outcome.cells("reading") | outcome.cells("format")
    assert case.doubts - asked_about(outcome) <= reading_or_format
    if not case.doubts:
        assert [one for one in outcome.findings("reading") if one["line"]] == []  # beside hints
        assert outcome.data == lines(case.truth)
        assert outcome.report["canWrite"]
    extra = len(outcome.records) - len(case.truth)
    assert extra in (0, 1)
    if extra:  # a row that is no loan has findings of its own
        assert {one["line"] for one in outcome.findings()} >= {len(case.truth) + 2}


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of its own for all temporary files, of this process and of those it starts."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    monkeypatch.setenv("TMPDIR", str(folder))
    return folder


def test_conversions_leave_nothing(temporary: Path, tmp_path: Path) -> None:
    for path in (
        books.xlsx(tmp_path / "a", {"Loans": grid(records())}),
        books.csv_file(tmp_path / "b", grid(records())),
    ):
        assert converted(path).data == lines(records())
    write_template(kind="xlsx", names="label", year=2024)
    assert list(temporary.iterdir()) == []


def test_refusals_leave_nothing(temporary: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.write_bytes(books.xlsx(broken, {"Loans": grid(records())}).read_bytes()[:-400])
    bad_rows = grid(records())
    bad_rows[0][0] = bad_rows[0][9]
    twice = books.xlsx(tmp_path / "twice", {"Loans": bad_rows})
    for path, options in (
        (broken, ConversionOptions()),
        (twice, ConversionOptions()),
    ):
        with pytest.raises(SpreadsheetRefusal):
            converted(path, options=options)
    with pytest.raises(SpreadsheetRefusal):
        converted(books.csv_file(tmp_path / "year", grid(records())), year=2023, sheet=GIVEN)
    with tempfile.TemporaryDirectory() as folder, pytest.raises(SpreadsheetRefusal):
        write_spreadsheet(broken, folder=Path(folder), kind="xlsx")
    assert list(temporary.iterdir()) == []


def test_refusals_name_no_values_of_loans(tmp_path: Path) -> None:
    """A message may be logged; a value may not."""
    loans = [record | {"city": "MARKER", "street": "MARKER 21/7/2024"} for record in records()]
    path = books.csv_file(tmp_path / "file", grid(loans))
    for options in (ConversionOptions(header=900), ConversionOptions(header=3)):
        with pytest.raises(SpreadsheetRefusal) as refused:
            converted(path, options=options)
        assert "MARKER" not in refused.value.message
