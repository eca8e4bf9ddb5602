"""Answers with a file that is removed before they are sent."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO

from django.http import HttpResponseBase

from filing.files import attachments
from filing.files.streamed_answers import StreamedAnswer

_PIECE_BYTES = 1 << 20


def unlinked(name: str, path: Path, content_type: str) -> HttpResponseBase:
    """Return a file as an answer that goes on when the file is removed: no name leads to it."""
    with ExitStack() as held:
        file = held.enter_context(path.open("rb"))
        answer = StreamedAnswer(lambda: _pieces(file), held)
    return attachments.streamed(name, answer, content_type=content_type)


def _pieces(file: BinaryIO) -> Iterator[bytes]:
    while piece := file.read(_PIECE_BYTES):
        yield piece
