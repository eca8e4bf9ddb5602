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
from filing.errors import TooLarge
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


def test_a_list_over_the_limit_for_all_is_refused(incoming, settings):
    settings.PUBLIC_UPLOAD_LIMIT = 1_000
    with pytest.raises(TooLarge, match="larger than 1000 bytes"):
        public.answer_list(sent(b"a" * 1_001), joined)
    assert list(incoming.iterdir()) == []
