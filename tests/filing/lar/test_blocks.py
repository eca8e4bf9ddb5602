"""Cutting a file into blocks of whole lines."""

import io
import tracemalloc
from pathlib import Path

import pytest

from filing.lar.blocks import BLOCK_BYTES, MAX_LINE_BYTES, read_blocks

BOM = b"\xef\xbb\xbf"


def lines_of(data: bytes, size: int = BLOCK_BYTES) -> list[tuple[int, bytes]]:
    """Return the offset and the content of every line, and check how the blocks hang together."""
    lines: list[tuple[int, bytes]] = []
    position = 0
    for block in read_blocks(io.BytesIO(data), size=size):
        assert block.row == len(lines)
        assert block.data.endswith(b"\n")
        contents = block.data.split(b"\n")[:-1]
        assert list(map(len, contents)) == block.lengths.tolist()
        lines += zip(block.offsets.tolist(), contents, strict=True)
        assert position < block.position <= len(data)
        position = block.position
    return lines


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"", []), (BOM, []), (b"\n \r\n\t\0\n", []), (b"a", [(0, b"a")]), (b"a\n", [(0, b"a")]),
        (b"a\nb", [(0, b"a"), (2, b"b")]), (b"a\nb\n\n \n", [(0, b"a"), (2, b"b")]),
        (b"a\n\nb", [(0, b"a"), (2, b""), (3, b"b")]), (b"\na", [(0, b""), (1, b"a")]),
        (b" a\t\n", [(0, b" a")]), (BOM + b"a\nb", [(3, b"a"), (5, b"b")]),
        (b"a\r\nb\r\n", [(0, b"a\r"), (3, b"b")]),
        (b"a\rb\rc", [(0, b"a"), (2, b"b"), (4, b"c")]),
        (b"a\rb\nc\rd", [(0, b"a"), (2, b"b\rc"), (6, b"d")]),
        (b"a\nb\rc\n", [(0, b"a"), (2, b"b\rc")]),
        (b"a\r\r\nb", [(0, b"a"), (2, b""), (3, b"\rb")]),
    ],
)  # fmt: skip
def test_lines_and_their_offsets(data: bytes, lines: list[tuple[int, bytes]]) -> None:
    for size in (1, 2, 3, 5, BLOCK_BYTES):
        assert lines_of(data, size) == lines


def test_cr_at_the_end_of_a_read_is_seen_with_the_lf_behind_it() -> None:
    first = b"x" * ((1 << 16) - 1)
    assert [len(line) for _, line in lines_of(first + b"\r\nb")] == [1 << 16, 1]
    assert [len(line) for _, line in lines_of(first + b"\rb")] == [(1 << 16) - 1, 1]


@pytest.mark.parametrize("shift", range(4))
def test_line_that_is_too_long_is_cut_off_between_two_characters(shift: int) -> None:
    text = "x" * shift + "😀" * MAX_LINE_BYTES
    (_, first), (_, second) = lines_of(f"{text}\nb".encode(), 1 << 12)
    assert text.startswith(first.decode())
    assert second == b"b"


def test_line_that_is_too_long_is_cut_off_and_moves_no_offset() -> None:
    long = "é".encode() * 1_500_000
    lines = lines_of(b"a\nxy" + long + b"\nb\nc\n", 1 << 12)
    assert [offset for offset, _ in lines] == [0, 2, 3_000_005, 3_000_007]
    assert [line for _, line in lines if line != lines[1][1]] == [b"a", b"b", b"c"]
    assert len(lines[1][1]) > MAX_LINE_BYTES
    assert ("xy" + "é" * 1_500_000).startswith(lines[1][1].decode())


def test_endless_line_and_endless_blanks_take_little_memory(tmp_path: Path) -> None:
    file = tmp_path / "endless.txt"
    with file.open("wb") as out:
        out.write(b"a\n")
        for _ in range(30):
            out.write(b"x" * (1 << 20))
        for _ in range(10):
            out.write(b" \n" * (1 << 19))
    tracemalloc.start()
    with file.open("rb") as data:
        found = list(read_blocks(data, size=1 << 18))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert [length for block in found for length in block.lengths] == [1, MAX_LINE_BYTES + 8]
    assert found[-1].position == 2 + (30 << 20)
    assert peak < 4 << 20
