"""The command, on a small module of its own: a hole in its tests is reported."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[3]

MODULE = "def is_small(units):\n    return units < 5\n"
TESTS = """\
import pytest

from small.rules import is_small


@pytest.mark.parametrize(("units", "small"), [CASES])
def test_dwellings_of_a_few_units_are_small(units, small):
    assert is_small(units) is small
"""
RUN = """\
import sys
from pathlib import Path

from bench.mutants.__main__ import main
from bench.mutants.targets import Area

root = Path(sys.argv[1])
areas = [Area("small", 1_000, ("small/*.py",), ("tests/small/test_*.py",))]
sys.exit(main(sys.argv[2:], root, areas, root / "equivalents.csv"))
"""
HEAD = "module,scope,original,changed,reason\n"
HOLE = "small/rules.py | is_small | return units < 5 => return units < 6"
CLOSED = "(4, True), (5, False)"
OPEN = "(4, True), (6, False)"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for folder in ("small", "tests/small"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "small" / "rules.py").write_text(MODULE)
    (tmp_path / "equivalents.csv").write_text(HEAD)
    return tmp_path


def run(root: Path, cases: str, *options: str, program: str = RUN) -> tuple[int, list[str]]:
    (root / "tests" / "small" / "test_rules.py").write_text(TESTS.replace("CASES", cases))
    done = subprocess.run(
        [sys.executable, "-c", program, str(root), *options],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )
    assert done.stderr == ""
    return done.returncode, done.stdout.splitlines()


def counts(lines: list[str]) -> list[str]:
    (row,) = [line for line in lines if line.startswith("all ")]
    return row.split()[1:]


def test_changes_that_a_test_notices_are_counted(root):
    code, lines = run(root, CLOSED)
    assert (code, counts(lines)) == (0, ["3", "3", "0", "0"])
    assert (root / "small" / "rules.py").read_text() == MODULE


def test_a_module_that_the_command_itself_uses_is_changed(root):
    program = f"import sys; sys.path.insert(0, sys.argv[1]); import small.rules\n{RUN}"
    code, lines = run(root, CLOSED, program=program)
    assert (code, counts(lines)) == (0, ["3", "3", "0", "0"])


def test_a_hole_in_the_tests_is_reported(root):
    code, lines = run(root, OPEN)
    assert (code, counts(lines)) == (1, ["3", "1", "0", "2"])
    assert f"Unnoticed: {HOLE}" in lines


def test_a_change_that_is_listed_as_equivalent_is_not_made(root):
    other = "small/rules.py,is_small,return units < 5,return units <= 5,A reason of its own.\n"
    stale = "small/rules.py,is_large,return units > 5,return units > 6,A function of old.\n"
    listed = f"{HEAD}{HOLE.replace(' | ', ',').replace(' => ', ',')},A reason.\n{other}{stale}"
    (root / "equivalents.csv").write_text(listed)
    code, lines = run(root, OPEN)
    assert (code, counts(lines)) == (0, ["3", "1", "2", "0"])
    said = "small/rules.py | is_large | return units > 5 | return units > 6"
    assert f"Listed as equivalent, but not in the sample: {said}" in lines


def test_a_resumed_run_makes_only_the_changes_that_were_not_noticed(root):
    results = root / "var" / "mutants.jsonl"
    run(root, OPEN)
    before = results.read_text().splitlines()
    code, lines = run(root, CLOSED, "--resume")
    assert (code, counts(lines)) == (0, ["3", "3", "0", "0"])
    again = [json.loads(line) for line in results.read_text().splitlines()[len(before) :]]
    assert {line["changed"] for line in again} == {"return units <= 5", "return units < 6"}
    assert len(again) == 2
    assert {line["detail"].split("[")[0] for line in again} == {
        "tests/small/test_rules.py::test_dwellings_of_a_few_units_are_small"
    }


def test_tests_that_fail_without_a_change_are_named(root):
    code, lines = run(root, "(5, True)")
    test = "tests/small/test_rules.py::test_dwellings_of_a_few_units_are_small[5-True]"
    assert (code, lines) == (1, ["Without any change these tests fail:", f"  {test}"])
