"""Any bytes are read as LAR: they have format errors, records, or a line that is no text.

The reader works by column; what it finds is compared with a plain one, line by line. That garbage
in single values is judged by the edits, `tests/filing/edits/test_fuzz.py` has.
"""

from __future__ import annotations

import io
from pathlib import Path
from random import Random

import pytest

from bench.yardstick import reading
from filing.demo import census as demo_census
from filing.demo.files import LarRecipe, make_lar_file
from filing.lar import foreign_files, parser
from filing.lar.blocks import KEPT_BYTES, MAX_LINE_BYTES, NotText, read_blocks
from filing.lar.errors import LineErrors
from filing.lar.fields import LAR, TRANSMITTAL_SHEET
from filing.lar.parser import parse_loan, parse_transmittal_sheet
from filing.lar.years import Period
from tests.filing.edits.garbage import mutated
from tests.fuzzing import try_each

pytestmark = pytest.mark.slow

MANY = 10_000  # lines: of more, each is not looked at
SMALL = 20_000  # bytes: of more it takes too long to read a few at a time
ALONE_ONE_IN = 8  # so many inputs are also read line by line


def test_any_bytes_are_read_as_a_plain_reader_reads_them(
    tmp_path: Path, fuzz_inputs: range
) -> None:
    path = tmp_path / "file.txt"

    def attempt(data: bytes, draw: Random) -> str:
        path.write_bytes(data)
        compare_blocks(data, draw)
        if draw.randrange(ALONE_ONE_IN) == 0:
            compare_alone(data)
        return compare(path, data)

    results = try_each(
        fuzz_inputs, [*valid_files()], attempt, name="LAR", changes=[mutated_line, mutated_line]
    )
    assert set(results) == {"read", "format errors", "not text"}


def valid_files() -> list[bytes]:
    tracts = demo_census.make_census_rows(2024)["census_tract"]
    recipe = {"lei": "529900TESTBANK000042"}
    return [
        b"".join(make_lar_file(LarRecipe(period=period, rows=rows, seed=rows, **recipe), tracts))
        for period in (Period(2018), Period(2024), Period(2025, 2))
        for rows in (1, 3, 12)
    ]


def mutated_line(data: bytes, draw: Random) -> bytes:
    lines = data.split(b"\n")
    at = draw.randrange(len(lines))
    if lines[at].count(b"|") + 1 in (len(LAR), len(TRANSMITTAL_SHEET)):
        lines[at] = mutated(lines[at], draw)
    return b"\n".join(lines)


def compare(path: Path, data: bytes) -> str:
    """Hold what the reader finds against what the plain one does; return the kind of result."""
    lines = reading.lines(data)
    no_text = [row for row, line in enumerate(lines) if not reading.is_text(line)]
    cut_off = [row for row in no_text if len(lines[row]) > MAX_LINE_BYTES]  # not all of it is read
    if len(lines) > MANY:
        return compare_counts(path, lines)
    foreign = foreign_files.find_foreign_content(path)
    assert foreign or b"\0" not in data
    row, errors = None, []
    try:
        with parser.read_format_errors(path) as found:
            errors = [*found]
    except NotText as refusal:
        row = refusal.line - 1
    if row is not None:
        assert row in no_text
        assert not [before for before in no_text if before < row and before not in cut_off]
        return "not text"
    assert no_text == cut_off
    faulty = {
        row: reading.faults(row, line) for row, line in enumerate(lines) if row not in cut_off
    }
    expected = {row: faults for row, faults in faulty.items() if faults}
    if not lines:
        expected = {0: [("Incorrect Number of TS Fields", "0")]}
    shown = {
        error.line - 1: [(message.field, message.value) for message in error.messages]
        for error in errors
    }
    assert {row: shown[row] for row in shown if row not in cut_off} == expected
    assert (found.scan.lines, found.scan.bad) == (len(lines), len(errors))
    assert (found.scan.transmittal_sheet is None) == (0 in shown)
    return "format errors" if errors else "read"


def compare_counts(path: Path, lines: list[bytes]) -> str:
    """Compare only what is counted: the lines themselves take too long, and too much memory."""
    row = None
    try:
        with parser.read_format_errors(path) as found:
            assert (found.scan.lines, found.scan.bad) == (len(lines), len(found.rows))
    except NotText as refusal:
        row = refusal.line - 1
    assert row is None or not reading.is_text(lines[row])
    return "not text" if row is not None else "format errors" if found.scan.bad else "read"


def compare_alone(data: bytes) -> None:
    """Compare what is found in the first lines when each is read alone."""
    for row, line in enumerate(reading.lines(data)[:2]):
        try:
            result = parse_loan(line) if row else parse_transmittal_sheet(line)
        except NotText:
            assert not reading.is_text(line)
            continue
        messages = result.messages if isinstance(result, LineErrors) else ()
        if reading.is_text(line):
            assert reading.faults(row, line) == [(each.field, each.value) for each in messages]


def compare_blocks(data: bytes, draw: Random) -> None:
    """Read a file a few bytes at a time: it has the same lines, at the same places."""
    if len(data) > SMALL:
        return
    whole, pieces = (
        lines_of(data, size=size) for size in (1 << 24, draw.randint(1 + len(data) // 200, 3000))
    )
    assert pieces == whole


def lines_of(data: bytes, *, size: int) -> list[tuple[int, bytes]]:
    found = []
    for block in read_blocks(io.BytesIO(data), size=size):
        lines = block.data.split(b"\n")[:-1]
        assert [len(line) for line in lines] == block.lengths.tolist()
        assert block.row == len(found)
        found += zip(block.offsets.tolist(), [line[:KEPT_BYTES] for line in lines], strict=True)
    return found
