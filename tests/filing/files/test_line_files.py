"""Uploaded lists: the lines that come of them, in chunks."""

from __future__ import annotations

from pathlib import Path

import pytest

from filing.files import line_files

LONG = 65_536
LINES = 65_536


def written(tmp_path: Path, content: bytes) -> Path:
    path = tmp_path / "list.txt"
    path.write_bytes(content)
    return path


def texts(path: Path) -> list[str]:
    return [line for chunk in line_files.read_lines(path) for line in chunk]


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        (b"", []),
        (b" \r\n\n", []),
        (b"a\r\nb\nc", ["a", "b", "c"]),
        (b"\xef\xbb\xbfa\n", ["a"]),
        (b" a b\t\n\tc \r\n", ["a b", "c"]),
        (b"\na\n\n \nb\n\n\n", ["", "a", "", "", "b"]),
        ('é,"ü"\n\N{NO-BREAK SPACE}x\n'.encode(), ['é,"ü"', "x"]),
        (b"a\x0bb\x0cc\x1ed\n", ["a\x0bb\x0cc\x1ed"]),
        ("a\x85b\u2028c\n".encode(), ["a\x85b\u2028c"]),
    ],
)
def test_lines_come_trimmed_without_what_is_around_them(tmp_path, content, lines):
    assert texts(written(tmp_path, content)) == lines


def test_many_blank_lines_come_in_chunks_too(tmp_path):
    chunks = list(line_files.read_lines(written(tmp_path, b"\n" * 120_000 + b"a")))
    assert max(map(len, chunks)) <= LINES
    assert sum(map(len, chunks)) == 120_001
    assert chunks[-1][-1] == "a"


@pytest.mark.parametrize("size", [LONG + 1, 9_000_000])
def test_of_a_huge_line_only_the_beginning_comes(tmp_path, size):
    first, huge, last = texts(written(tmp_path, b"a\n" + b"x" * size + b"\nb\n"))
    assert (first, last) == ("a", "b")
    assert huge == "x" * len(huge)
    assert LONG <= len(huge) <= LONG + 8
