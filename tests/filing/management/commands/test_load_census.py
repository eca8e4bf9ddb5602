"""The command loads a census and says what it found."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from filing.demo import census as demo_census
from filing.models import ReferenceData
from filing.reference_data import registry

pytestmark = pytest.mark.django_db


def run(*arguments: str) -> str:
    out = StringIO()
    call_command("load_census", *arguments, stdout=out)
    return out.getvalue()


def test_a_file_is_loaded_replaced_and_left_alone(tmp_path):
    path = tmp_path / "census.txt"
    path.write_text(demo_census.write_census(2024))
    first = run("2024", str(path), "--by", "ann").splitlines()
    sha256 = ReferenceData.objects.get().sha256
    assert first == [
        "census 2024 from census.txt: 612 rows, 612 tracts, 153 counties, 51 small counties.",
        f"SHA-256 {sha256}",
        "loaded; the first file of this kind and year.",
    ]
    assert ReferenceData.objects.get().loaded_by == "ann"
    assert run("2024", str(path)).splitlines()[2] == "unchanged: this file is already loaded."
    path.write_text(demo_census.write_census(2024).replace("|S|", "|T|"))
    again = run("2024", str(path))
    assert "612 tracts, 153 counties, 0 small counties" in again
    assert "loaded; replaced census.txt of " in again
    assert f"(612 rows, SHA-256 {sha256[:12]})" in again


def test_lines_without_an_msa_md_are_counted_and_lie_outside_of_any(tmp_path):
    path = tmp_path / "census.txt"
    path.write_text(demo_census.write_census(2024).replace("|99999|", "||"))
    outside = "204 lines with a blank MSA/MD (read as 99999, outside of any MSA/MD)."
    assert run("2024", str(path)).splitlines()[0].endswith(f"51 small counties, {outside}")
    assert outside in run("2024", str(path))  # also of the very file that is loaded already
    file = registry.find_active_file("census", 2024)
    assert file is not None
    rows = registry.read_rows_of_file(file)
    assert rows.equals(demo_census.make_census_rows(2024))


def test_the_made_up_census_is_loaded_without_a_file():
    assert "census 2025 from made-up demo census: 612 rows" in run("2025", "--demo")
    assert ReferenceData.objects.get().year == 2025


def test_every_bad_line_is_reported_and_nothing_is_loaded(tmp_path):
    path = tmp_path / "census.txt"
    path.write_text(demo_census.write_census(2024))
    with pytest.raises(CommandError) as refused:
        run("2025", str(path))
    lines = str(refused.value).splitlines()
    assert lines[0] == "line 2: collection year is '2024'; expected 2025"
    assert lines[-1] == "Nothing was loaded: 612 lines have errors."
    assert len(lines) == 613
    assert not ReferenceData.objects.exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["2024"], "one of the arguments FILE --demo is required"),
        (["2024", "census.txt", "--demo"], "not allowed with argument"),
        (["2017", "--demo"], "invalid choice: 2017"),
        (["2024", "no-such-file.txt"], "The file cannot be read"),
    ],
)
def test_a_wrong_call_is_explained(arguments, message):
    with pytest.raises(CommandError, match=message):
        run(*arguments)
