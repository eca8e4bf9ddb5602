"""`hmda check` finds what `manage.py check_lar` finds, in the same words."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

from filing.client.command import main
from filing.demo import census as demo_census
from filing.demo.files import Recipe, make
from filing.lar.period import Period
from tests.flow.test_samples import PRESENT, Sample, census

pytestmark = pytest.mark.django_db


def compare(path: Path, period: Period, capsys: pytest.CaptureFixture[str], *more: str) -> int:
    """Check a file by both commands, in each form, and return how they end."""
    words = [str(path), "--year", str(period.year), *more]
    words += ["--quarter", period.quarter_name] if period.is_quarterly else []
    codes = set()
    for form in ([], ["--json"], ["--csv"]):
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


@pytest.mark.parametrize("sample", PRESENT, ids=str)
def test_a_real_file(sample: Sample, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    period = Period.parse(sample.period)
    tracts = census(tmp_path / "census.txt", str(period.year))
    code = compare(sample.path, period, capsys, "--census", str(tracts))
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
    recipe = Recipe(period=period, lei="529900TESTBANK000042", rows=40, fails=fails)
    path = tmp_path / "lar.txt"
    path.write_bytes(b"".join(make(recipe, demo_census.rows(period.year)["census_tract"])))
    assert compare(path, period, capsys) == ending
