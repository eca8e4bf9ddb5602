"""Uploaded lists: the lines that come of them, in chunks, and what is refused."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpRequest
from django.test import RequestFactory

from filing import line_files
from filing.errors import BadInput, TooLarge

LONG = 65_536
LINES = 65_536


@pytest.fixture(autouse=True)
def incoming(tmp_path: Path, settings: Any) -> Path:
    settings.FILE_UPLOAD_TEMP_DIR = tmp_path / "incoming"
    settings.FILE_UPLOAD_TEMP_DIR.mkdir()
    return settings.FILE_UPLOAD_TEMP_DIR


def written(tmp_path: Path, content: bytes) -> Path:
    path = tmp_path / "list.txt"
    path.write_bytes(content)
    return path


def sent(content: bytes) -> HttpRequest:
    return RequestFactory().post("/", {"file": SimpleUploadedFile("list.txt", content)})


def texts(path: Path) -> list[str]:
    return [line for chunk in line_files.lines(path) for line in chunk]


def joined(lines: line_files.Lines) -> Iterator[bytes]:
    for chunk in lines:
        yield "+".join(chunk).encode()


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        (b"", []),
        (b"\n", []),
        (b" \r\n\n", []),
        (b"\xef\xbb\xbf", []),
        (b"a", ["a"]),
        (b"a\nb\n", ["a", "b"]),
        (b"a\r\nb\r\n", ["a", "b"]),
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


def test_chunks_have_some_thousand_lines_and_keep_the_order(tmp_path):
    lines = [f"{number:040d}" for number in range(180_000)]
    chunks = list(line_files.lines(written(tmp_path, "\r\n".join(lines).encode())))
    assert [line for chunk in chunks for line in chunk] == lines
    assert len(chunks) > 3
    assert max(map(len, chunks)) <= LINES


def test_many_blank_lines_come_in_chunks_too(tmp_path):
    chunks = list(line_files.lines(written(tmp_path, b"\n" * 120_000 + b"a")))
    assert max(map(len, chunks)) <= LINES
    assert sum(map(len, chunks)) == 120_001
    assert chunks[-1][-1] == "a"


@pytest.mark.parametrize("size", [LONG + 1, 9_000_000])
def test_of_a_huge_line_only_the_beginning_comes(tmp_path, size):
    first, huge, last = texts(written(tmp_path, b"a\n" + b"x" * size + b"\nb\n"))
    assert (first, last) == ("a", "b")
    assert huge == "x" * len(huge)
    assert LONG <= len(huge) <= LONG + 8


def test_the_answer_is_made_of_the_lines_and_then_nothing_stays(incoming):
    answer = line_files.answer(sent(b"a\nb\n"), joined)
    assert b"".join(answer) == b"a+b"
    assert list(incoming.iterdir()) != []
    answer.close()
    assert list(incoming.iterdir()) == []


def test_nothing_stays_of_an_answer_that_nobody_reads(incoming):
    line_files.answer(sent(b"a\n"), joined).close()
    assert list(incoming.iterdir()) == []


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a\nb".encode("utf-16"), "the file is text in UTF-16 or UTF-32. "),
        (b"PK\x03\x04", "the file is a zip archive. "),
        (b"a\nb\0", "line 2 holds a NUL byte, text has none. "),
    ],
)
def test_what_is_no_text_is_refused_with_the_way_out(incoming, content, message):
    way_out = "Save the list as UTF-8 text, one entry on each line, and upload that."
    with pytest.raises(BadInput) as refused:
        line_files.answer(sent(content), joined)
    assert refused.value.message == f"Invalid file format: {message}{way_out}"
    assert list(incoming.iterdir()) == []


@pytest.mark.parametrize("before", [2, 100_000])
def test_a_line_in_another_encoding_is_refused_before_the_answer_begins(incoming, before):
    with pytest.raises(BadInput, match=f"^Line {before + 1} is not UTF-8 text: save the file"):
        line_files.answer(sent(b"a\n" * before + b"\xe9\n"), joined)
    assert list(incoming.iterdir()) == []


def test_a_list_over_the_limit_for_all_is_refused(incoming, settings):
    settings.PUBLIC_UPLOAD_LIMIT = 1_000
    with pytest.raises(TooLarge, match="larger than 1000 bytes"):
        line_files.answer(sent(b"a" * 1_001), joined)
    assert list(incoming.iterdir()) == []
