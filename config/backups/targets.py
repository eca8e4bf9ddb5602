"""Where backups are written: a folder, or a bucket of S3-compatible storage.

Both store named streams of bytes, each completely or not at all.
"""

from __future__ import annotations

import io
import os
import time
import uuid
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

from boto3.s3.transfer import TransferConfig
from botocore.exceptions import ClientError
from django.core.files.storage import storages

from config.backups import streams

_PARTIAL = ".partial-"
_PARTIAL_SECONDS = 24 * 3600  # after which an unfinished file is left by a killed process
# S3 takes 10,000 parts: with 64 MiB, a stream of unknown size may have 640 GB.
_PARTS = TransferConfig(multipart_chunksize=64 << 20, use_threads=False)


class Target(Protocol):
    """A place for backups."""

    def write(self, name: str, chunks: Iterable[bytes]) -> None:
        """Store a stream under a name, in place of what had it."""

    def read(self, name: str) -> Iterator[bytes]:
        """Yield a stored stream. Raises: FileNotFoundError."""

    def size(self, name: str) -> int | None:
        """Return the bytes of a stored stream; none if there is none of that name."""

    def names(self, folder: str) -> Iterator[str]:
        """Yield the names in a folder and in those below it, in order."""

    def delete(self, name: str) -> None:
        """Delete a stored stream; a missing one is no error."""


class Folder:
    """A folder of this machine, or one that is mounted."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def __str__(self) -> str:
        return str(self.root)

    def write(self, name: str, chunks: Iterable[bytes]) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_name(f"{_PARTIAL}{uuid.uuid4().hex}")
        try:
            with partial.open("wb") as file:
                file.writelines(chunks)
                file.flush()
                os.fsync(file.fileno())
            partial.replace(path)
        finally:
            partial.unlink(missing_ok=True)

    def read(self, name: str) -> Iterator[bytes]:
        with (self.root / name).open("rb") as file:
            yield from streams.pieces(file)

    def size(self, name: str) -> int | None:
        try:
            return (self.root / name).stat().st_size
        except FileNotFoundError:
            return None

    def names(self, folder: str) -> Iterator[str]:
        for parent, folders, names in os.walk(self.root / folder):
            folders.sort()
            for name in sorted(names):
                path = Path(parent, name)
                if not name.startswith(_PARTIAL):
                    yield str(path.relative_to(self.root))
                elif path.stat().st_mtime < time.time() - _PARTIAL_SECONDS:
                    path.unlink(missing_ok=True)

    def delete(self, name: str) -> None:
        path = self.root / name
        path.unlink(missing_ok=True)
        with suppress(OSError):  # it has other files
            path.parent.rmdir()


class Bucket:
    """A bucket, or what is below a prefix in it."""

    def __init__(self, storage: dict[str, Any], prefix: str) -> None:
        """Open a bucket. storage: its settings, in the form of `STORAGES`."""
        store: Any = storages.create_storage(storage)
        self._bucket = store.bucket
        self._prefix = f"{prefix}/" if prefix else ""

    def __str__(self) -> str:
        return f"s3 bucket {self._bucket.name}, {self._prefix or 'without prefix'}"

    def write(self, name: str, chunks: Iterable[bytes]) -> None:
        self._bucket.upload_fileobj(_Reader(chunks), self._prefix + name, Config=_PARTS)

    def read(self, name: str) -> Iterator[bytes]:
        try:
            body = self._bucket.Object(self._prefix + name).get()["Body"]
        except ClientError as error:
            raise _missing(error) from error
        with body:
            yield from body.iter_chunks(streams.PIECE)

    def size(self, name: str) -> int | None:
        try:
            return int(self._bucket.Object(self._prefix + name).content_length)
        except ClientError as error:
            if isinstance(_missing(error), FileNotFoundError):
                return None
            raise

    def names(self, folder: str) -> Iterator[str]:
        for stored in self._bucket.objects.filter(Prefix=f"{self._prefix}{folder}/"):
            yield stored.key.removeprefix(self._prefix)

    def delete(self, name: str) -> None:
        self._bucket.Object(self._prefix + name).delete()


class _Reader(io.RawIOBase):
    """A file to read that gives the bytes of a stream."""

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self._chunks = iter(chunks)
        self._rest = b""

    def readable(self) -> bool:
        return True

    def read(self, size: int | None = -1) -> bytes:
        pieces, wanted = [self._rest], -1 if size is None else size
        length = len(self._rest)
        while wanted < 0 or length < wanted:
            chunk = next(self._chunks, None)
            if chunk is None:
                break
            pieces.append(chunk)
            length += len(chunk)
        content = b"".join(pieces)
        end = len(content) if wanted < 0 else wanted
        self._rest = content[end:]
        return content[:end]


def _missing(error: ClientError) -> Exception:
    """Return the error of a missing file for the bucket's answer that there is none."""
    if error.response["Error"]["Code"] in {"404", "NoSuchKey", "NotFound"}:
        return FileNotFoundError(str(error))
    return error
