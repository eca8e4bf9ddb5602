"""Single lines of a file by their stored offsets."""

import io
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from filing.lar.blocks import MAX_LINE_BYTES
from filing.lar.errors import find_line_errors
from filing.lar.lines import Lines
from filing.lar.parser import scan_file

Line = Callable[..., bytes]


@pytest.fixture
def opened(tmp_path: Path) -> Callable[[bytes], Lines]:
    def open_lines(data: bytes) -> Lines:
        raw, offsets = tmp_path / "raw.txt", tmp_path / "offsets"
        raw.write_bytes(data)
        with offsets.open("wb") as out:
            scan_file(raw, out, io.BytesIO())
        return Lines(raw, offsets)

    return open_lines


def test_only_the_beginning_of_a_line_that_is_too_long_is_read(
    opened: Callable[[bytes], Lines],
) -> None:
    data = b"1|a\n" + "é".encode() * 2_000_000 + b"\n" + b"x" * MAX_LINE_BYTES + b"\r\n2|b"
    with opened(data) as file:
        first, long, longest, last = file.read([0, 1, 2, 3])
        assert (first, longest, last) == (b"1|a", b"x" * MAX_LINE_BYTES, b"2|b")
        assert long is not None
        assert MAX_LINE_BYTES < len(long) < MAX_LINE_BYTES + 10
        assert [error.messages[0].field for error in find_line_errors([1, 2], [long, longest])] == [
            "Line Length",
            "Incorrect Number of LAR Fields",
        ]


def test_row_that_the_file_does_not_have_is_an_error(opened: Callable[[bytes], Lines]) -> None:
    with opened(b"1|a\n2|b") as file:
        for row in (2, -1):
            with pytest.raises(IndexError, match=f"no row {row}: it has 2 lines"):
                file.read([0, row])
            with pytest.raises(IndexError):
                file.fields([row], ["lei"])
        with pytest.raises(KeyError):
            file.fields([1], ["tax_id"])


@pytest.mark.parametrize("data", [b"", b"\n \n", b"\xef\xbb\xbf"])
def test_file_without_lines_lacks_its_transmittal_sheet(
    opened: Callable[[bytes], Lines], data: bytes
) -> None:
    with opened(data) as file:
        assert len(file) == 0
        assert file.read([0]) == [None]
        (error,) = find_line_errors([0], file.read([0]))
        assert (error.line, error.messages[0].value) == (1, "0")
        with pytest.raises(IndexError):
            file.read([1])


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
@pytest.mark.parametrize("last", [b"", b"\n \n"])
def test_loans_come_as_a_frame_of_the_values_as_filed(
    opened: Callable[[bytes], Lines], sheet_line: Line, loan_line: Line, end: bytes, last: bytes
) -> None:
    loans = [loan_line(uli=f"LOAN{number}", city=f' "Łódź {number}"|'[:-1]) for number in range(6)]
    rows = np.array([1, 2, 4, 6], np.uint32)
    with opened(end.join([sheet_line(), *loans]) + last) as file:
        frame = file.loans(rows)
        assert frame["row"].to_list() == [1, 2, 4, 6]
        assert frame["uli"].to_list() == ["LOAN0", "LOAN1", "LOAN3", "LOAN5"]
        assert frame["city"].to_list() == [f"Łódź {number}" for number in (0, 1, 3, 5)]
        assert file.loans(rows[:0]).is_empty()
