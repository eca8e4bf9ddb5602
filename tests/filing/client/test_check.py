"""`hmda check` finds what `manage.py check_lar` finds, in the same words."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from io import StringIO
from itertools import cycle
from pathlib import Path

import pytest
from django.core.management import call_command

from filing.client.command import main
from filing.demo import census as demo_census
from filing.demo.files import LarRecipe, make_lar_file
from filing.lar.years import Period
from filing.spreadsheets import written_files
from tests.conversions_here import conversions_here  # noqa: F401 -- a fixture
from tests.filing.client.test_converting import WRONG_DATE
from tests.flow.test_samples import PRESENT, Sample, write_census_with_samples
from tests.publicapi.lar_tool.calls import YEAR, as_csv, pipe_file

pytestmark = pytest.mark.django_db


FORMS = ([], ["--json"], ["--csv"])


def compare(
    path: Path,
    period: Period,
    capsys: pytest.CaptureFixture[str],
    *more: str,
    forms: Sequence[list[str]] = FORMS,
) -> int:
    """Check a file by both commands, in some forms, and return how they end."""
    words = [str(path), "--year", str(period.year), *more]
    words += ["--quarter", period.quarter_name] if period.is_quarterly else []
    codes = set()
    for form in forms:
        codes.add(main(["check", *words, *form]))
        text, code = StringIO(), 0
        try:
            call_command("check_lar", *words, *form, stdout=text)
        except SystemExit as ended:
            code = int(str(ended.code))
        codes.add(code)
        assert capsys.readouterr().out == text.getvalue() != ""
    (code,) = codes
    return code


# The JSON has all that was found. How it is written, one file of each ending shows.
WRITTEN_IN_EACH_FORM = {sample.rests: sample for sample in PRESENT}


@pytest.mark.parametrize("sample", PRESENT, ids=str)
def test_a_real_file(sample: Sample, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    period = Period.parse(sample.period)
    tracts = write_census_with_samples(tmp_path / "census.txt", str(period.year))
    forms = FORMS if sample == WRITTEN_IN_EACH_FORM[sample.rests] else FORMS[1:2]
    code = compare(sample.path, period, capsys, "--census", str(tracts), forms=forms)
    assert code == {5: 12, 9: 11, 13: 10}[sample.rests]


@pytest.mark.parametrize("period", [Period(2025), Period(2024, 1)], ids=str)
@pytest.mark.parametrize(("fails", "ending"), [({}, 0), ({"Q613": 2}, 10), ({"V617": 1}, 11)])
def test_a_file_of_our_own(
    period: Period,
    fails: dict[str, int],
    ending: int,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    recipe = LarRecipe(period=period, lei="529900TESTBANK000042", rows=40, fails=fails)
    path = tmp_path / "lar.txt"
    path.write_bytes(
        b"".join(make_lar_file(recipe, demo_census.make_census_rows(period.year)["census_tract"]))
    )
    assert compare(path, period, capsys) == ending


# In a spreadsheet the total number of entries is counted.
READABLE = [sample for sample in PRESENT if not sample.errors and not {"S304"} & set(sample.edits)]
# Each takes seconds, and two of them have most of what a file can have.
SPREADSHEETS = [
    pytest.param(sample, kind, marks=pytest.mark.slow if number > 1 else (), id=f"{sample}-{kind}")
    for number, (sample, kind) in enumerate(zip(READABLE, cycle(["xlsx", "csv"]), strict=False))
]


@pytest.mark.parametrize(("sample", "kind"), SPREADSHEETS)
def test_a_spreadsheet_is_checked_as_the_lar_that_it_was(
    sample: Sample, kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spreadsheet = written_files.write_spreadsheet(
        sample.path, folder=tmp_path, kind=kind, with_sheet=True
    )
    period = Period.parse(sample.period)
    words = ["--year", str(period.year)]
    words += ["--quarter", period.quarter_name] if period.is_quarterly else []
    reports = []
    for path in (sample.path, spreadsheet.path):
        code = main(["check", str(path), *words, "--json"])
        report = json.loads(capsys.readouterr().out)
        assert report.pop("file") == path.name
        assert report.pop("unreadCells", []) == []
        reports.append((code, report))
    assert reports[0] == reports[1]
    assert compare(spreadsheet.path, period, capsys) == reports[0][0]


def test_cells_that_cannot_be_read_come_first(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sample = tmp_path / "lar.txt"
    sample.write_bytes(pipe_file({}, {}))
    path = written_files.write_spreadsheet(
        sample, folder=tmp_path, kind="csv", with_sheet=True
    ).path
    rows = list(csv.reader(StringIO(path.read_text("utf-8-sig"))))
    rows[2][rows[0].index("Action Taken Date")] = WRONG_DATE["action_taken_date"]
    path.write_bytes(as_csv(rows))
    assert compare(path, YEAR, capsys) == 12
    main(["check", str(path)])
    said = capsys.readouterr().out
    assert f"{path}: 2024, 2 records.\n\nCells that cannot be read: 1\n  " in said
    assert "3: Action Taken Date is '21/7/2024': " in said
    main(["check", str(path), "--csv"])
    table = list(csv.reader(StringIO(capsys.readouterr().out)))
    assert (table[1][0], table[1][4]) == ("Cell", "3")


def test_the_rules_of_another_year_are_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recipe = LarRecipe(period=Period(2024), lei="529900TESTBANK000042", rows=3)
    path = tmp_path / "lar.txt"
    path.write_bytes(
        b"".join(make_lar_file(recipe, demo_census.make_census_rows(2024)["census_tract"]))
    )
    assert compare(path, Period(2024), capsys, "--rules", "2025") == 0
    assert main(["check", str(path), "--rules", "2017"]) == 4
