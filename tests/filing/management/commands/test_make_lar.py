"""The command that makes loan files."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from filing.models import Institution
from filing.reference_data import registry

pytestmark = pytest.mark.django_db

LEI = "529900TESTBANK000042"


def made(path: Path, *options: str) -> list[list[str]]:
    call_command("make_lar", str(path), "--lei", LEI, *options, stdout=StringIO())
    return [line.split("|") for line in path.read_text().splitlines()]


def test_a_file_is_written_and_reported(tmp_path: Path) -> None:
    path, said = tmp_path / "made.txt", StringIO()
    call_command("make_lar", str(path), "--lei", LEI, "--year=2024", "--rows=20", stdout=said)
    sheet, *loans = [line.split("|") for line in path.read_text().splitlines()]
    assert (sheet[2], sheet[3], sheet[11:]) == ("2024", "4", ["9", "20", "12-3456789", LEI])
    assert len(loans) == 20
    assert said.getvalue() == f"{path}: 20 records for 2024, {path.stat().st_size:,} bytes.\n"


def test_standard_output_takes_the_file_and_nothing_else(
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    call_command("make_lar", "-", "--lei", LEI, "--year=2024", "--rows=3")
    lines = capfdbinary.readouterr().out.splitlines()
    assert [line[:2] for line in lines] == [b"1|", b"2|", b"2|", b"2|"]


def test_failures_that_are_asked_for_add_up(tmp_path: Path) -> None:
    asked = ("--fail=V617", "--fail=V617:2", "--fail=S302")
    sheet, *loans = made(tmp_path / "made.txt", "--year=2024", "--rows=20", *asked)
    assert sheet[2] != "2024"
    assert sum(float(loan[9]) < 0 for loan in loans) == 3


def test_macro_edits_go_with_many_failing_rows_in_a_small_file(tmp_path: Path) -> None:
    asked = ("--fail=Q611:25", "--fail=Q637")
    _, *loans = made(tmp_path / "made.txt", "--year=2024", "--rows=60", *asked)
    assert len(loans) == 60
    assert sum(loan[10] == "5" for loan in loans) > 9  # more than 15 percent closed as incomplete


def test_the_panel_and_the_census_that_are_loaded_are_used(
    institution: Institution, tmp_path: Path
) -> None:
    Institution.objects.filter(pk=institution.pk).update(name="Panel Bank", agency=5)
    census = b"header\n2024|35620|36|061|000100|1|1|1|1|1|1|1|1|T|New York\n"
    registry.load_file("census", 2024, census, source="census.txt", by="test")
    sheet, *loans = made(tmp_path / "made.txt", "--year=2024", "--rows=40")
    assert (sheet[1], sheet[11], sheet[13]) == ("Panel Bank", "5", institution.tax_id)
    assert {loan[17] for loan in loans} == {"36061000100", "NA"}


def test_options_win_over_the_panel(institution: Institution, tmp_path: Path) -> None:
    given = ("--name=My Bank", "--tax-id=11-2222222", "--agency=7")
    sheet, *_ = made(tmp_path / "made.txt", "--year=2024", "--rows=1", *given)
    assert (sheet[1], sheet[11], sheet[13]) == ("My Bank", "7", "11-2222222")


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (("--year=2024", "--rows=20", "--fail=X1"), "'X1' is not CODE or CODE:ROWS"),
        (("--year=2024", "--rows=20", "--fail=V999"), "2024 has no edit V999"),
        (("--year=2024", "--rows=0"), "at least one row"),
        (
            ("--year=2024", "--rows=30", "--fail=Q611:25", "--fail=Q637"),
            "38 rows are needed, but only 30 are given: 25 that fail other edits and 13 for Q637",
        ),
        (("--year=2017", "--rows=20"), "2017"),
        (("--year=2024", "--quarter=Q4", "--rows=20"), "Q4"),
        (("--year=2019", "--quarter=Q1", "--rows=20"), "2019-Q1 is not a filing period"),
        (("--year=2024",), "--rows"),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_is_written(
    options: tuple[str, ...], why: str, tmp_path: Path
) -> None:
    with pytest.raises(CommandError, match=why):
        made(tmp_path / "made.txt", *options)
    assert not (tmp_path / "made.txt").exists()


def test_a_place_that_cannot_be_written_to_is_named(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="missing"):
        made(tmp_path / "missing" / "made.txt", "--year=2024", "--rows=1")
