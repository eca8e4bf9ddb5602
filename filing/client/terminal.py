"""Output without control characters: texts of a server, or of a file, give a terminal no orders."""

from __future__ import annotations

import re
from typing import IO, Any

# Control characters but line feeds and tabs, and those that change the direction of a line.
_CONTROLS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)


def replace_controls(text: str) -> str:
    """Return a text in which each control character is a replacement character."""
    return _CONTROLS.sub("\N{REPLACEMENT CHARACTER}", text)


class PlainOutput:
    """An output stream that replaces control characters. stream: the stream behind it."""

    def __init__(self, stream: IO[str]) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
        """Write a text."""
        return self.stream.write(replace_controls(text))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


def stream_behind(out: Any) -> Any:
    """Return the stream of a terminal, for a library that itself writes control characters."""
    return out.stream if isinstance(out, PlainOutput) else out
