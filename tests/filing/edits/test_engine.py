"""The engine: failures of some loans, and one pass over a file."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from filing.edits import catalogue, engine, examples
from filing.edits.edit import Edit, EditKind, EditLevel, since
from filing.edits.facts import EditFacts
from filing.edits.sentences import Condition
from filing.edits.trees import column
from filing.edits.vocabulary import one_of
from filing.lar.years import Period
from tests.filing.edits.cases import ALIKE, LEI, facts
from tests.filing.edits.files import found, run, without, write

YEAR = Period(2024)
GARBAGE = ("", "NA", "na", "Exempt", "1e99", "-", "+", ".", "é", "20240231", "\\", "9" * 80)


def test_failures_are_row_numbers_by_edit():
    loans = [examples.correct_loan(YEAR, LEI) for _ in range(5)]
    loans[1]["loan_type"] = 9
    loans[3] |= {"loan_type": 9, "street": ""}
    edits = catalogue.list_edits(YEAR, kind=EditKind.VALIDITY, level=EditLevel.LAR)
    failing = engine.find_failures(examples.make_loan_frame(loans), edits, facts(YEAR))
    assert {edit.code: rows.to_list() for edit, rows in failing.items()} == {
        "V611": [2, 4],
        "V620": [4],
    }
    assert {rows.dtype for rows in failing.values()} == {pl.UInt32}


def test_a_single_loan_is_a_frame_of_one():
    loan = examples.make_loan_frame([examples.correct_loan(YEAR, LEI) | {"loan_amount": "-1"}])
    edits, reasons = engine.find_ready_edits(
        catalogue.list_edits(YEAR, level=EditLevel.LAR), EditFacts(YEAR)
    )
    assert {edit.code for edit in engine.find_failures(loan, edits, EditFacts(YEAR))} == {
        "V617",
        "Q645-1",
    }
    assert {edit.code: reason for edit, reason in reasons.items()} == {
        "S301": "the transmittal sheet is missing",
        **dict.fromkeys(
            ("V625-2", "V626", "V627", "V716", "Q603"),
            "the census tracts of the year are not loaded",
        ),
    }


def test_no_loans_fail_nothing():
    edits = catalogue.list_edits(YEAR, level=EditLevel.LAR)
    assert engine.find_failures(examples.make_loan_frame([]), edits, facts(YEAR)) == {}


@pytest.mark.parametrize("period", ALIKE, ids=str)
def test_every_edit_has_a_verdict_on_every_value(period):
    texts = [
        {
            k: text if isinstance(v, str) else v
            for k, v in examples.correct_loan(period, LEI).items()
        }
        for text in GARBAGE
    ]
    codes = [
        {
            k: v if isinstance(v, str) else code
            for k, v in examples.correct_loan(period, LEI).items()
        }
        for code in (0, -1, 1111, 2**31 - 1, -(2**31))
    ]
    edits = catalogue.list_edits(period, level=EditLevel.LAR)
    failing = engine.find_failures(examples.make_loan_frame(texts + codes), edits, facts(period))
    assert {"V600", "V611", "V620"} <= {edit.code for edit in failing}
    sheets = [
        {name: text if isinstance(value, str) else -1 for name, value in sheet.items()}
        for sheet in [examples.correct_transmittal_sheet(period, LEI, 1)]
        for text in GARBAGE
    ]
    for sheet in sheets:
        edits = catalogue.list_edits(period, level=EditLevel.TS)
        assert engine.check_record(sheet, edits, facts(period))


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


def test_the_transmittal_sheet_is_checked_alone():
    sheet = examples.correct_transmittal_sheet(YEAR, LEI, 0) | {"contact_phone": "none"}
    edits, reasons = engine.find_ready_edits(
        catalogue.list_edits(YEAR, level=EditLevel.TS), EditFacts(YEAR)
    )
    failing = engine.check_record(sheet, edits, EditFacts(YEAR))
    assert [edit.code for edit in failing] == ["V603", "V606"]
    assert [edit.code for edit in reasons] == ["S303"]


def test_a_correct_file_has_an_outcome_for_every_edit_and_no_rows(tmp_path):
    result = found(tmp_path, "2024", [{}] * 3)
    assert result.rows == {}
    assert [outcome.edit for outcome in result.report.outcomes] == list(catalogue.list_edits(YEAR))
    assert all(outcome.run for outcome in result.report.outcomes)
    assert result.report.loans == 3


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


@pytest.mark.parametrize("block_bytes", [1, 1000, 5000, 1 << 24])
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


def test_edits_that_lack_facts_are_not_run_and_say_why(tmp_path):
    path = tmp_path / "file.txt"
    known = write(path, YEAR, [{"census_tract": "99999999999"}], tax_id="99-9999999")
    result = run(path, without(known, "institution", "census"))
    assert result.rows == {}
    not_run = {o.edit.code: o.reason for o in result.report.outcomes if not o.run}
    assert not_run == {
        "S303": "there is no panel record of the institution for the year",
        **dict.fromkeys(
            ("V625-2", "V626", "V627", "V716", "Q603"),
            "the census tracts of the year are not loaded",
        ),
    }


def test_some_edits_alone_can_be_run(tmp_path):
    path = tmp_path / "file.txt"
    known = write(path, YEAR, [{"action_taken": 5, "applicant_age": 1, "loan_type": 9}])
    assert set(run(path, known).rows) >= {("Q614-1", "lar"), ("Q637", "file"), ("V611", "lar")}
    validity = catalogue.list_edits(YEAR, kind=EditKind.VALIDITY)
    result = run(path, known, edits=validity)
    assert ("V611", "lar") in result.rows
    assert tuple(o.edit for o in result.report.outcomes) == validity


def test_progress_is_told_block_by_block(tmp_path):
    path = tmp_path / "file.txt"
    known = write(path, YEAR, [{}] * 9)
    told = []
    run(path, known, block_bytes=1000, progress=lambda *done: told.append(done))
    assert told[-1] == (10, path.stat().st_size - 1)
    assert len(told) > 2
    assert told == sorted(told)


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


def test_rows_with_format_errors_are_left_out_when_they_are_named(tmp_path):
    path = tmp_path / "file.txt"
    known = write(path, YEAR, [{"loan_type": 9}, {}, {"loan_type": 9}, {"applicant_age": 1}])
    lines = path.read_text().splitlines()
    lines[2] = "2|too|short"
    lines[3] = lines[3].replace("|9|", "|nine|", 1)
    path.write_text("\n".join(lines))
    result = run(path, known, unreadable=np.array([2, 3], np.uint32))
    assert result.rows == {("V611", "lar"): [1], ("Q614-1", "lar"): [4]}
    assert {o.edit.level.value for o in result.report.outcomes if not o.run} == {"file"}


def test_edits_of_a_transmittal_sheet_that_cannot_be_read_are_not_run(tmp_path):
    path = tmp_path / "file.txt"
    known = write(path, YEAR, [{"loan_type": 9}])
    nothing_read = without(known, "transmittal_sheet")
    result = run(path, nothing_read, unreadable=np.array([0], np.uint32))
    assert result.rows == {("V611", "lar"): [1]}
    reasons = {o.reason for o in result.report.outcomes if o.edit.level.value == "ts"}
    assert reasons == {"the transmittal sheet is missing"}
