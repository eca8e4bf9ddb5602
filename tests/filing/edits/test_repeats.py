"""Loans of a file that say again what an earlier one said: S305, S306 and Q600."""

import pytest

from filing.lar.years import Period
from tests.filing.edits.files import found, run, write

pytestmark = pytest.mark.slow

YEAR = Period(2024)


def test_identical_lines_are_all_listed_one_loan_after_the_other(tmp_path):
    one, other = {"uli": "ONE"}, {"uli": "OTHER"}
    result = found(tmp_path, "2024", [other, one, {}, one, other, {"uli": "one"}, other])
    assert result.rows["S305", "file"] == [1, 5, 7, 2, 4]
    assert result.outcome("S305").figures == {"copies": 3}
    assert result.outcome("S305").total == 1


def test_lines_that_differ_as_typed_are_not_identical(tmp_path):
    path = tmp_path / "file.txt"
    known = write(path, YEAR, [{"uli": "ONE"}] * 5)
    sheet, *lines = path.read_bytes().splitlines()
    typed = [
        lines[0],
        lines[0].replace(b"|1|", b"|01|", 1),
        lines[0].replace(b"Main", b'"Main"'),
        b" \t" + lines[0] + b"  ",
        lines[0].replace(b"Los", b"L\ros"),
    ]
    path.write_bytes(b"\r\n".join([sheet, *typed]))
    result = run(path, known)
    assert result.rows["S305", "file"] == [1, 4]
    assert result.rows["S306", "file"] == result.rows["Q600", "file"] == [1, 2, 3, 4, 5]


def test_lines_of_a_file_that_ends_them_in_cr_are_compared_as_well(tmp_path):
    path = tmp_path / "file.txt"
    known = write(path, YEAR, [{"uli": "ONE"}, {}, {"uli": "ONE"}])
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r") + b"  \r\n")
    assert run(path, known).rows["S305", "file"] == [1, 3]


def test_originated_loans_may_share_their_uli_with_other_loans_only(tmp_path):
    shared = [
        {"uli": "Twice", "action_taken": 6},
        {"uli": "TWICE"},
        {"uli": "TWICE", "action_taken": 3},
    ]
    result = found(tmp_path, "2024", shared)
    assert ("S306", "file") not in result.rows
    assert result.rows["Q600", "file"] == [1, 2, 3]
    assert found(tmp_path, "2024", [*shared, {"uli": "tWICE"}]).rows["S306", "file"] == [2, 4]


def test_originated_loans_could_share_their_uli_before_2020(tmp_path):
    result = found(tmp_path, "2019", [{"uli": "A"}, {"uli": "a"}])
    assert set(result.rows) == {("Q600", "file")}


def test_distinct_ulis_are_compared_with_the_number_on_the_transmittal_sheet(tmp_path):
    result = found(tmp_path, "2024", [{}, {}], total_lines=3)
    assert result.rows["Q600", "file"] == []
    assert result.outcome("Q600").figures == {"reported": 3, "loans": 2, "copies": 0}
    assert result.outcome("S304").figures == {"reported": 3, "found": 2}


def test_many_copies_are_read_some_at_a_time(tmp_path):
    changes = [{"uli": f"LOAN{number % 3}"} for number in range(45_000)]
    result = found(tmp_path, "2024", changes)
    expected = [row for first in (1, 2, 3) for row in range(first, 45_001, 3)]
    assert result.rows["S305", "file"] == expected
    assert result.rows["S306", "file"] == expected


def test_many_loans_without_a_uli_are_told_apart_by_their_lines(tmp_path):
    changes = [{"uli": "", "income": str(number)} for number in range(21_000)]
    result = found(tmp_path, "2024", [*changes, {"uli": "", "income": "7"}])
    assert result.rows["S305", "file"] == [8, 21_001]
    assert result.rows["Q600", "file"] == list(range(1, 21_002))
