"""The engine: failures of some loans, and one pass over a file."""

from dataclasses import replace

import polars as pl
import pytest

from filing.edits import engine, examples
from filing.edits.edit import Edit, EditKind, EditLevel, since
from filing.edits.sentences import Condition
from filing.edits.trees import column
from filing.edits.vocabulary import one_of
from filing.lar.years import Period
from tests.filing.edits.cases import LEI, facts
from tests.filing.edits.files import found, run, write

YEAR = Period(2024)


def test_an_edit_without_a_verdict_is_an_error_and_no_pass():
    unclear = Edit(
        code="V999",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("income",),
        text="Unclear.",
        holds=Condition(column("income"), "it is a text"),
    )
    clear = replace(unclear, code="V998", holds=one_of("income", "NA", "1"))
    loans = examples.make_loan_frame([examples.correct_loan(YEAR, LEI)] * 2)
    for some in (loans, loans[:1]):
        with pytest.raises(ValueError, match="No verdict on some row: V999"):
            engine.find_failures(some, [clear, unclear], facts(YEAR))
        missing = some.with_columns(income=pl.lit(None, pl.String))
        with pytest.raises(ValueError, match="income has no text on some row"):
            engine.find_failures(missing, [clear], facts(YEAR))


def test_rows_of_all_levels_are_found_in_one_pass(tmp_path):
    changes = [{}, {"loan_type": 9}, {"lei": "SHORT"}, {"loan_type": 9}]
    result = found(tmp_path, "2024", changes, total_lines=9, contact_email="none", lei="SHORT")
    assert result.rows == {
        ("S301", "lar"): [1, 2, 4],
        ("S303", "ts"): [0],
        ("S304", "file"): [],
        ("V600", "ts"): [0],
        ("V600", "lar"): [3],
        ("V611", "lar"): [2, 4],
        ("V717", "ts"): [0],
        ("Q600", "file"): [],
        ("Q648", "lar"): [3],
    }
    assert result.outcome("V600", "ts").total == 1
    assert result.outcome("S303", "ts").figures == {
        "expected": {"federal_agency": 9, "tax_id": "12-3456789", "lei": LEI}
    }


@pytest.mark.parametrize("block_bytes", [1000, 5000])
def test_blocks_of_any_size_give_the_same_findings(tmp_path, block_bytes):
    draw = [{}, {"loan_type": 9}, {"action_taken": 4}, {"uli": "TWICE"}, {"street": ""}]
    path = tmp_path / "file.txt"
    known = write(path, YEAR, draw * 6)
    whole, blocked = run(path, known), run(path, known, block_bytes=block_bytes)
    assert blocked.rows == whole.rows
    assert blocked.rows["V611", "lar"] == list(range(2, 31, 5))
    assert [o.figures for o in blocked.report.outcomes] == [
        o.figures for o in whole.report.outcomes
    ]


def test_a_file_without_loans_is_run_all_the_same(tmp_path):
    result = found(tmp_path, "2024", [])
    assert result.report.loans == 0
    assert set(result.rows) == {("V606", "ts"), ("Q638", "file")}


def test_a_file_with_format_errors_is_refused(tmp_path):
    path = tmp_path / "file.txt"
    known = write(path, YEAR, [{}, {}])
    path.write_text(path.read_text() + "2|too|short\n")
    with pytest.raises(ValueError, match="Line 4 has format errors"):
        run(path, known)
