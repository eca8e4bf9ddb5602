"""Streamed answers that are followed to their end."""

from __future__ import annotations

from collections.abc import Callable, Iterator


class WatchedStream:
    """The content of a streamed answer. at_end: is called once, with the bytes that were sent."""

    def __init__(self, content: Iterator[bytes], at_end: Callable[[int], None]) -> None:
        self._content, self._at_end = content, at_end
        self._bytes = 0
        self._is_open = True

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        chunk = next(self._content)
        self._bytes += len(chunk)
        return chunk

    def close(self) -> None:
        """Tell the end. The web server calls this however the answer ended, or broke off."""
        if self._is_open:
            self._at_end(self._bytes)
        self._is_open = False
