"""Format errors of a file, counted by what is wrong, are those that its lines tell of."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from filing.lar import fault_groups, format_errors, parse

Line = Callable[..., bytes]


def test_groups_count_the_errors_of_every_line(
    tmp_path: Path, sheet_line: Line, loan_line: Line
) -> None:
    path = tmp_path / "raw.txt"
    lines = [
        sheet_line(total_lines="x"),
        loan_line(income="x,y", loan_term="z"),
        loan_line(),
        b"2|LEI",
        loan_line(income="y"),
        loan_line(city="x" * 100_000),
    ]
    path.write_bytes(b"\n".join(lines))
    with format_errors.of(path) as errors:
        told = Counter((each.field, each.accepts) for line in errors for each in line.messages)
        groups = errors.scan.groups
    assert {(group.field, group.accepts): group.total for group in groups} == told
    assert {group.field: group.rows.tolist() for group in groups} == {
        "Income": [1, 4],
        "Incorrect Number of LAR Fields": [3],
        "Line Length": [5],
        "Loan Term": [1],
        "Total Number of Entries Contained in Submission": [0],
    }
    assert groups[0].field == "Income"


def test_of_many_lines_the_first_are_kept(
    tmp_path: Path, sheet_line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fault_groups, "MOST_ROWS", 3)
    path = tmp_path / "raw.txt"
    path.write_bytes(b"\n".join([sheet_line(), *[b"2|x"] * 5]))
    (group,) = parse.scan(path, io.BytesIO(), io.BytesIO()).groups
    assert (group.total, group.rows.tolist()) == (5, [1, 2, 3])


def test_a_file_without_lines_lacks_its_sheet(tmp_path: Path) -> None:
    path = tmp_path / "raw.txt"
    path.write_bytes(b"")
    (group,) = parse.scan(path, io.BytesIO(), io.BytesIO()).groups
    assert (group.field, group.total) == ("Incorrect Number of TS Fields", 1)
