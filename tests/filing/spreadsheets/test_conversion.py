"""Nothing of a file stays behind, whatever becomes of its conversion."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from filing.spreadsheets.back import spreadsheet
from filing.spreadsheets.options import Options
from filing.spreadsheets.refusals import Refusal
from filing.spreadsheets.templates import template
from tests.filing.spreadsheets import books
from tests.filing.spreadsheets.loan_rows import GIVEN, converted, grid, lines, records


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
    template(kind="xlsx", names="label", year=2024)
    assert list(temporary.iterdir()) == []


def test_refusals_leave_nothing(temporary: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.write_bytes(books.xlsx(broken, {"Loans": grid(records())}).read_bytes()[:-400])
    bad_rows = grid(records())
    bad_rows[0][0] = bad_rows[0][9]
    twice = books.xlsx(tmp_path / "twice", {"Loans": bad_rows})
    appended = books.csv_file(tmp_path / "appended", grid(records()))
    for path, options in (
        (broken, Options()),
        (twice, Options()),
        (appended, Options(check_digit="append")),
    ):
        with pytest.raises(Refusal):
            converted(path, options=options)
    with pytest.raises(Refusal):
        converted(appended, year=2023, sheet=GIVEN)
    with tempfile.TemporaryDirectory() as folder, pytest.raises(Refusal):
        spreadsheet(broken, folder=Path(folder), kind="xlsx")
    assert list(temporary.iterdir()) == []


def test_refusals_name_no_values_of_loans(tmp_path: Path) -> None:
    """A message may be logged; a value may not."""
    loans = [record | {"city": "MARKER", "street": "MARKER 21/7/2024"} for record in records()]
    path = books.csv_file(tmp_path / "file", grid(loans))
    for options in (Options(check_digit="append"), Options(header=3)):
        with pytest.raises(Refusal) as refused:
            converted(path, options=options)
        assert "MARKER" not in refused.value.message
