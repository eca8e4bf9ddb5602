"""The parts of an upload: stored one by one, joined into the whole file, and removed."""

from __future__ import annotations

import hashlib
import logging
import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from django.core.files.storage import default_storage
from django.db import transaction
from django.utils import timezone

from filing import storage
from filing.access import Caller
from filing.errors import LostLease
from filing.jobs.leases import JobLease
from filing.lar import foreign_files
from filing.models import ResumableUpload, UploadPart
from filing.submissions import reception

log = logging.getLogger(__name__)

_PIECE = 1 << 20
# A smaller last part grows by the next bytes: so an upload has few files, however it is sent.
SMALL_PART_BYTES = 256 * 1024


@dataclass
class PartWriter:
    """Writes the bytes of a request to this machine, and from there to storage, part by part."""

    upload: ResumableUpload
    lease: JobLease
    folder: Path
    by: Caller
    files: list[tuple[Path, int]] = field(default_factory=list)  # to be stored, with their sizes
    size: int = 0  # of the last part, which grows
    file: IO[bytes] | None = None
    replaced: UploadPart | None = None  # the stored part with which the first file begins
    has_begun: bool = False

    def write(self, piece: bytes) -> None:
        """Add bytes to the last part."""
        if self.file is None:
            self.file = (self.folder / uuid.uuid4().hex).open("wb")
            if not self.has_begun:
                self._take_up_small_part(self.file)
        self.file.write(piece)
        self.size += len(piece)

    def _take_up_small_part(self, file: IO[bytes]) -> None:
        """Begin with the bytes of the last stored part if it is small."""
        self.has_begun = True
        last = self.upload.parts.order_by("offset").last()
        if last is None or last.size >= SMALL_PART_BYTES:
            return
        with suppress(FileNotFoundError):  # which is found when the parts are joined
            for piece in _pieces(last.stored_as):
                self.size += file.write(piece)
            self.replaced = last

    def begin_another(self) -> None:
        """Write the last part to the disk for good. Bytes that follow are of another one."""
        if self.file is None:
            return
        self.file.flush()
        os.fsync(self.file.fileno())
        self.file.close()
        self.files.append((Path(self.file.name), self.size))
        self.file, self.size = None, 0

    def keep(self, lines: int) -> None:
        """Store the parts and let their bytes count, all at once.

        lines: the line ends up to the last byte. Raises: LostLease when another request has
        continued the upload.
        """
        self.begin_another()
        parts, offset = [], self.replaced.offset if self.replaced else self.upload.offset
        for path, size in self.files:
            name = f"{find_parts_folder(self.upload)}/{offset}-{uuid.uuid4().hex[:12]}"
            with self.lease.renewed():
                storage.store_file(path, name)
            parts.append(UploadPart(upload=self.upload, offset=offset, size=size, stored_as=name))
            offset += size
        self.files.clear()
        if parts:
            self._count(parts, offset, lines)

    def _count(self, parts: list[UploadPart], offset: int, lines: int) -> None:
        columns = {
            "offset": offset,
            "lines": lines,
            "used_at": timezone.now(),
            **self.by.actor_columns,
        }
        as_read = {"outcome": ResumableUpload.Outcome.OPEN, "offset": self.upload.offset}
        with transaction.atomic():
            self.lease.renew()
            row = ResumableUpload.objects.filter(pk=self.upload.pk, **as_read)
            if not row.update(**columns):
                raise LostLease(f"Another request has continued the upload {self.upload.pk}.")
            if self.replaced:
                self.replaced.delete()
            UploadPart.objects.bulk_create(parts)
        for column, value in columns.items():
            setattr(self.upload, column, value)
        if self.replaced:
            _discard_file(self.replaced.stored_as)
            self.replaced = None


@contextmanager
def write_parts(
    upload: ResumableUpload, lease: JobLease, folder: Path, *, by: Caller
) -> Iterator[PartWriter]:
    """Give the writer of the bytes of a request. folder: on this machine, for its files."""
    writer = PartWriter(upload, lease, folder, by)
    try:
        yield writer
    finally:
        if writer.file:
            with suppress(OSError):  # the disk may be full
                writer.file.close()


def join_parts(
    upload: ResumableUpload, lease: JobLease, path: Path
) -> reception.ReceivedFile | str:
    """Return the whole file, on this machine, or why it cannot be a LAR.

    Raises: FileNotFoundError when a part is missing; LostLease.
    """
    watch, digest, size = foreign_files.ArrivingFileCheck(), hashlib.sha256(), 0
    with path.open("wb") as file:
        for part in upload.parts.order_by("offset"):
            lease.require()
            if part.offset != size:
                raise FileNotFoundError(f"{upload.pk}: no part at {size}")
            for piece in _pieces(part.stored_as):
                if fault := watch.fault(piece):
                    return fault
                digest.update(piece)
                file.write(piece)
                size += len(piece)
        file.flush()
        os.fsync(file.fileno())
    if size != upload.length:
        raise FileNotFoundError(f"{upload.pk}: {size} of {upload.length} bytes")
    return reception.ReceivedFile(path, upload.file_name, size, digest.hexdigest())


def _pieces(name: str) -> Iterator[bytes]:
    """Yield a stored part. Raises: FileNotFoundError."""
    with default_storage.open(name) as file:
        while piece := file.read(_PIECE):
            yield piece


def _discard_file(name: str) -> None:
    """Remove a stored part that no row names. What is left goes with the folder of the upload."""
    try:
        default_storage.delete(name)
    except Exception as error:  # the storage may use any library
        log.warning("The part %s could not be removed: %s", name, error)


def discard_parts(upload: ResumableUpload) -> None:
    """Remove the parts from storage. What is left is removed with what has expired."""
    try:
        storage.remove_folder(find_parts_folder(upload))
    except Exception as error:  # the storage may use any library
        log.warning("The parts in %s could not be removed: %s", find_parts_folder(upload), error)


def find_parts_folder(upload: ResumableUpload) -> str:
    return storage.name_folder(upload.submission, "parts", upload.key)
