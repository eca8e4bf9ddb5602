"""The parts of backups at a target, sealed if there is a key, with sizes and hashes.

    backups/<id>/...            parts of one backup
    objects/<2 digits>/<name>   files of all backups, each stored once, named by its content

With a key, the name of a shared file is computed with it: the target does not reveal which files
are in a backup.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from config.backups import sealing
from config.backups.sealing import Damaged
from config.backups.targets import Target

SHARED = "objects"


@dataclass(frozen=True, slots=True)
class Part:
    """A stored stream: its name, and the size and SHA-256 of its content."""

    name: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Archive:
    """The parts of backups at a target. key: blank to store them as they are."""

    target: Target
    key: bytes

    def write(self, name: str, chunks: Iterable[bytes]) -> Part:
        """Store a stream and return its size and hash."""
        count = _Count()
        content = count.through(chunks)
        self.target.write(name, sealing.sealed(content, self.key, name) if self.key else content)
        return Part(name, count.size, count.sha256)

    def read(self, part: Part) -> Iterator[bytes]:
        """Yield the content of a part. Only after the last piece is it known to be right.

        Raises: Damaged.
        """
        count = _Count()
        stored = self.target.read(part.name)
        opened = sealing.opened(stored, self.key, part.name) if self.key else stored
        try:
            yield from count.through(opened)
        except FileNotFoundError as error:
            raise Damaged(f"{part.name} is missing.") from error
        if (count.size, count.sha256) != (part.size, part.sha256):
            raise Damaged(f"{part.name} was changed: its SHA-256 differs from that in the backup.")

    def shared(self, size: int, sha256: str) -> Part:
        """Return the part in which a file with this content is stored."""
        name = sha256
        if self.key:
            name = sealing.authentication(self.key, "name of a file", sha256.encode())
        return Part(f"{SHARED}/{name[:2]}/{name}", size, sha256)

    def has(self, part: Part) -> bool:
        """Tell whether a shared file is stored, in full length. Its content is not read."""
        expected = sealing.sealed_size(part.size) if self.key else part.size
        return self.target.size(part.name) == expected

    def share(self, part: Part, open_chunks: Callable[[], Iterable[bytes]]) -> None:
        """Store a shared file.

        Raises: Damaged if the content is no longer the one of the part.
        """
        written = self.write(part.name, open_chunks())
        if written != part:
            self.target.delete(part.name)
            raise Damaged(f"The content changed while it was copied: {written.sha256}.")


class _Count:
    """The size and SHA-256 of the bytes that went through."""

    def __init__(self) -> None:
        self.size = 0
        self._hash = hashlib.sha256()

    def through(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        for chunk in chunks:
            self.size += len(chunk)
            self._hash.update(chunk)
            yield chunk

    @property
    def sha256(self) -> str:
        return self._hash.hexdigest()


def digest(chunks: Iterable[bytes]) -> tuple[int, str]:
    """Return the size and SHA-256 of a stream."""
    count = _Count()
    for _ in count.through(chunks):
        pass
    return count.size, count.sha256
