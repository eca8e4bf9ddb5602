"""Streams of bytes in pieces, so that files of any size need little memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO

from django.core.files.storage import default_storage

PIECE = 1 << 20


def pieces(file: IO[bytes]) -> Iterator[bytes]:
    """Yield an open file from where it is."""
    while piece := file.read(PIECE):
        yield piece


def stored(path: str) -> Iterator[bytes]:
    """Yield a file of the storage."""
    with default_storage.open(path) as file:
        yield from file.chunks(PIECE)


def write(path: Path, stream: Iterable[bytes]) -> None:
    """Write a stream to a file of this machine."""
    with path.open("wb") as file:
        file.writelines(stream)
