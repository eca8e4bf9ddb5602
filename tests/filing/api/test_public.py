"""What the addresses that anyone may use share: uploaded lists, their answers and refusals."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpRequest
from django.test import RequestFactory

from filing.api import public
from filing.errors import BadInput, TooLarge
from filing.files.line_files import Lines


@pytest.fixture(autouse=True)
def incoming(tmp_path: Path, settings: Any) -> Path:
    settings.FILE_UPLOAD_TEMP_DIR = tmp_path / "incoming"
    settings.FILE_UPLOAD_TEMP_DIR.mkdir()
    return settings.FILE_UPLOAD_TEMP_DIR


def sent(content: bytes) -> HttpRequest:
    return RequestFactory().post("/", {"file": SimpleUploadedFile("list.txt", content)})


def joined(lines: Lines) -> Iterator[bytes]:
    for chunk in lines:
        yield "+".join(chunk).encode()


def test_the_answer_is_made_of_the_lines_and_then_nothing_stays(incoming):
    answer = public.answer_list(sent(b"a\nb\n"), joined)
    assert b"".join(answer) == b"a+b"
    assert list(incoming.iterdir()) != []
    answer.close()
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
        public.answer_list(sent(content), joined)
    assert refused.value.message == f"Invalid file format: {message}{way_out}"
    assert list(incoming.iterdir()) == []


@pytest.mark.parametrize("before", [2, 100_000])
def test_a_line_in_another_encoding_is_refused_before_the_answer_begins(incoming, before):
    with pytest.raises(BadInput, match=f"^Line {before + 1} is not UTF-8 text: save the file"):
        public.answer_list(sent(b"a\n" * before + b"\xe9\n"), joined)
    assert list(incoming.iterdir()) == []


def test_a_list_over_the_limit_for_all_is_refused(incoming, settings):
    settings.PUBLIC_UPLOAD_LIMIT = 1_000
    with pytest.raises(TooLarge, match="larger than 1000 bytes"):
        public.answer_list(sent(b"a" * 1_001), joined)
    assert list(incoming.iterdir()) == []
