"""The plain loop of the benchmark and the rulebook find the same."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from bench import agreement, files
from bench.agreement import Agreement
from bench.files import Kind
from bench.plain_loop import YEAR
from bench.stages import EDITS, PARSE, PLAIN_LOOP, measure, peak_memory
from filing.edits import catalogue, examples
from filing.lar.fields import LAR_BY_NAME
from filing.lar.period import Period
from tests.bench.doubtful_loans import doubtful_loans

pytestmark = [pytest.mark.slow, pytest.mark.long]

STAGES = (PARSE, EDITS, PLAIN_LOOP)


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what both sides found in a file in which every edit of loans fails."""
    folder = tmp_path_factory.mktemp("faulty")
    file = folder / "file.txt"
    files.write(file, Kind.FAULTY, rows=files.FAULTY_ROWS, year=YEAR)
    costs = measure(STAGES, file, folder, year=YEAR)
    assert all(cost.wall > 0 and cost.cpu > 0 and cost.memory > 0 for cost in costs.values())
    return folder


def found_by_engine(folder: Path) -> dict[str, int]:
    index = json.loads((folder / f"{agreement.ENGINE}.json").read_text())
    return {edit: total for edit, (total, _, _) in index.items() if total}


# Whatever they refuse is a format error already.
NEVER_FAIL = {f"V{part} lar" for part in ("610-1", "619-1", "657-1", "660-1", "665-1", "679-1")}


def test_both_sides_have_every_edit_and_agree_where_each_fails_somewhere(faulty):
    compared = agreement.compare(faulty)
    assert (compared.differences, compared.only_engine, compared.only_plain) == ([], [], [])
    rulebook = {f"{edit.code} {edit.level.value}" for edit in catalogue.edits(Period(YEAR))}
    assert compared.compared == len(rulebook)
    silent = rulebook - set(found_by_engine(faulty))
    assert {edit for edit in silent if not edit.endswith(" ts")} == NEVER_FAIL


def test_both_sides_agree_on_loans_with_several_faults(tmp_path):
    period, path, lei = Period(YEAR), tmp_path / "file.txt", files.FILER["lei"]
    loans = doubtful_loans(period, lei, 5000)
    sheet = examples.correct_transmittal_sheet(period, lei, len(loans))
    path.write_text("".join(f"{examples.line(record)}\n" for record in (sheet, *loans)))
    measure(STAGES, path, tmp_path, year=YEAR)
    compared = agreement.compare(tmp_path)
    assert compared.differences == []
    assert compared.findings > 5 * len(loans)


def found_in(folder: Path, kind: Kind) -> dict[str, int]:
    """Return what the engine finds in a file of a thousand loans, if the plain loop agrees."""
    file = folder / "file.txt"
    files.write(file, kind, rows=1000, year=YEAR)
    measure(STAGES, file, folder, year=YEAR)
    assert agreement.compare(folder).differences == []
    return found_by_engine(folder)


def test_in_a_clean_file_nothing_is_found(tmp_path):
    assert found_in(tmp_path, Kind.CLEAN) == {}


def test_in_a_dirty_file_nineteen_quality_edits_a_loan_are_found_and_no_others(tmp_path):
    failing = found_in(tmp_path, Kind.DIRTY)
    of_loans = {edit: total for edit, total in failing.items() if edit.endswith(" lar")}
    assert set(failing) - set(of_loans) == {"Q646 file"}
    assert {edit[0] for edit in of_loans} == {"Q"}
    assert 19 <= sum(of_loans.values()) / 1000 < 20
    assert max(of_loans.values()) == 1000


def test_a_wrong_sheet_is_found(tmp_path):
    assert {"V602 ts", "V603 ts", "V607 ts", "V717 ts"} <= set(found_in(tmp_path, Kind.WRONG_SHEET))


DAMAGES = {
    1: ("loan_amount", "1,000"),
    2: ("loan_type", "one"),
    3: ("loan_type", "2147483648"),
    4: ("loan_type", "+1"),
    5: ("action_taken_date", "20240231"),
    6: ("application_date", "na"),
    7: ("income", "12.5"),
    8: ("rate_spread", "1e5"),
    9: ("rate_spread", "1e500"),
    10: ("discount_points", ""),
    11: ("denial_reason_2", ""),
    12: ("denial_reason_1", ""),
    13: ("uli", "A B"),
    14: ("applicant_age", " 40 "),
    15: ("lien_status", "1|1"),
    16: ("interest_rate", "9" * 101),
    17: ("loan_term", "Exempt"),
    18: ("total_units", "1_0"),
}


def test_both_sides_agree_on_what_can_be_read(tmp_path):
    file = tmp_path / "file.txt"
    files.write(file, Kind.CLEAN, rows=30, year=YEAR)
    lines = [line.split("|") for line in file.read_text().splitlines()]
    for row, (name, text) in DAMAGES.items():
        lines[row][LAR_BY_NAME[name].number - 1] = text
    file.write_text("".join("|".join(line) + "\n" for line in lines))
    measure((PARSE, PLAIN_LOOP), file, tmp_path, year=YEAR)
    bad = [agreement.bad_rows_of(tmp_path, side).read_bytes() for side in ("engine", "plain")]
    assert bad[0] == bad[1]
    assert list(memoryview(bad[0]).cast("I")) == [1, 2, 3, 5, 6, 7, 9, 12, 13, 15, 16, 18]


def test_a_difference_is_told_with_the_edit_and_a_row(faulty, tmp_path):
    shutil.copytree(faulty, tmp_path, dirs_exist_ok=True)
    index = json.loads((tmp_path / "plain.json").read_text())
    total, position, listed = index["Q606 lar"]
    index["Q606 lar"] = (total - 1, position, listed - 1)
    index["S304 file"] = (0, 0, 0)
    index["Q999 lar"] = index.pop("V617 lar")
    (tmp_path / "plain.json").write_text(json.dumps(index))
    told = agreement.compare(tmp_path)
    assert [sentence.split(", such as")[0] for sentence in told.differences] == [
        "S304 file: the engine counts 1, the plain loop 0",
        "Q606 lar: 1 found only by the engine",
        f"Q606 lar: the engine counts {total}, the plain loop {total - 1}",
    ]
    assert (told.only_engine, told.only_plain) == (["V617 lar"], ["Q999 lar"])
    assert isinstance(told, Agreement)


def test_the_memory_of_a_process_is_its_own():
    assert peak_memory() > 10
