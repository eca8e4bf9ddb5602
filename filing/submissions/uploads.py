"""Receives an uploaded file: streams it to disk, computes its hash and checks its content.

A file that is clearly not a LAR (a spreadsheet, an archive, UTF-16) is refused with a hint what to
send instead. Nothing is unpacked or trusted, and a refused file is deleted.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Container, Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from django.conf import settings
from django.core.exceptions import SuspiciousOperation
from django.core.files.uploadhandler import FileUploadHandler, SkipFile, StopUpload
from django.http import HttpRequest, QueryDict, UnreadablePostError
from rest_framework.exceptions import ParseError, UnsupportedMediaType
from rest_framework.request import Request

from filing import idempotency, scanning
from filing.errors import BadInput, Interrupted, InvalidFormat, Refusal, TooLarge
from filing.jobs import queue
from filing.lar import foreign_files
from filing.lar.setting_words import say_setting
from filing.requests import release_connection
from filing.submissions.reception import ReceivedFile

PART = "file"
FORM_BYTES = 64 * 1024  # what the multipart form may add to the file
# While such a file arrives, a worker that sleeps starts: to check this one, or others meanwhile.
_WAKING_BYTES = 1024**2
# The framework raises the last one for too many or too long other parts.
_UNREADABLE = (ParseError, UnsupportedMediaType, SuspiciousOperation)
_NO_NAME = f"the part {PART!r} has no file name; send it as a file."


@dataclass(frozen=True)
class UploadRules:
    """The rules for a file: the maximum and minimum number of bytes, and the suffix of its name.

    way_out: what to do instead of sending a spreadsheet, an archive, or UTF-16; if blank, the kind
    of the file decides. reads_all: whether a refused file is read to its end, for its fingerprint.
    is_filed: whether the file becomes that of a submission, which is scanned when it is received.
    any_kind: whether the content is not checked here, so that a spreadsheet may be sent.
    """

    limit: int
    least: int = 0
    suffix: str = ""
    way_out: str = ""
    reads_all: bool = False
    is_filed: bool = False
    any_kind: bool = False

    def too_large(self) -> TooLarge:
        """Return the refusal of a file over the limit."""
        return TooLarge(f"The file is larger than {self.limit} bytes, the most taken here.")

    def name_fault(self, name: str) -> str:
        """Return why a file name is not accepted, in a sentence; blank if it is."""
        if name.lower().endswith(self.suffix):
            return ""
        return (
            f'the name "{name[:255]}" does not end in {self.suffix}; upload pipe-delimited UTF-8 '
            f"text with a name that ends in {self.suffix}."
        )


class PartUpload(FileUploadHandler):
    """Streams the part named `file` of a multipart body to a file on disk."""

    chunk_size = 1 << 20

    def __init__(self, rules: UploadRules, *, stores: bool = True) -> None:
        """Receive a file by these rules. stores: false for one that only its fingerprint is of."""
        super().__init__()
        self.rules = rules
        self.stores = stores
        self.parts: list[tuple[str, str]] = []  # names and SHA-256 of those that arrived whole
        self.refusal: Refusal | None = None
        self.upload: ReceivedFile | None = None
        self.size = 0
        self.body_length = 0
        self._path: Path | None = None

    def handle_raw_input(
        self,
        input_data: Any,
        META: Any,  # noqa: N803 -- the framework's name
        content_length: int,
        boundary: Any,
        encoding: str | None = None,
    ) -> None:
        self.body_length = content_length

    def new_file(self, *args: Any, **options: Any) -> None:
        super().new_file(*args, **options)
        if self.field_name != PART:
            raise SkipFile
        self._hash = hashlib.sha256()
        if self._path or self.refusal:
            self._refuse(InvalidFormat(f"there is more than one part named {PART!r}."))
        if self.body_length > self.rules.limit + FORM_BYTES:
            self._refuse(self.rules.too_large())
        if not self._is_dropped:
            self._require_scanner()
        if self._is_dropped:
            return
        self.size, self._watch = 0, foreign_files.ArrivingFileCheck(self.rules.way_out)
        handle, name = tempfile.mkstemp(dir=settings.FILE_UPLOAD_TEMP_DIR, prefix="upload-")
        self._file, self._path = os.fdopen(handle, "wb"), Path(name)
        if self.rules.is_filed and self.body_length > _WAKING_BYTES:
            queue.notify_workers("large")

    def _require_scanner(self) -> None:
        """Refuse the file at its first byte if no one can scan it at its last."""
        try:
            scanning.require_scanner()
        except scanning.NotScanned as refusal:
            self._refuse(refusal)

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        if not self._is_dropped:
            self._check(raw_data)
        self.size += len(raw_data)
        if self.size > self.rules.limit:
            self._refuse(self.rules.too_large())
        self._hash.update(raw_data)
        if not self._is_dropped:
            self._file.write(raw_data)

    def _check(self, raw_data: bytes) -> None:
        if not self.rules.any_kind and (fault := self._watch.fault(raw_data)):
            self._refuse(InvalidFormat(fault))
        # Checked after the content: renaming a spreadsheet would not help.
        if not self.size and (fault := self.rules.name_fault(self.file_name or "")):
            self._refuse(InvalidFormat(fault))

    def file_complete(self, file_size: int) -> None:
        self.parts.append(((self.file_name or "")[:255], self._hash.hexdigest()))
        if self._is_dropped or self._path is None:
            return
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        self.upload = ReceivedFile(
            path=self._path,
            name=(self.file_name or "")[:255],
            size=self.size,
            sha256=self._hash.hexdigest(),
        )

    def upload_interrupted(self) -> None:
        self.discard()

    def discard(self) -> None:
        """Remove the file from disk, unless it was moved away."""
        if self._path:
            with suppress(OSError):  # the disk may be full
                self._file.close()
            self._path.unlink(missing_ok=True)

    @property
    def _is_dropped(self) -> bool:
        """Whether what arrives is read for its fingerprint only."""
        return self.refusal is not None or not self.stores

    def _refuse(self, refusal: Refusal) -> None:
        self.refusal = self.refusal or refusal
        if self.rules.reads_all and not isinstance(refusal, TooLarge):
            self.discard()
            return
        raise StopUpload(connection_reset=True)  # answered at once; the rest is dropped afterwards


class ManyFilesUpload(FileUploadHandler):
    """Streams each of many files of a multipart body to a file on disk.

    A file that is refused is read to its end and holds up no other. The limit of one file is also
    that of all together, as a request may have no longer body.
    """

    chunk_size = 1 << 20

    def __init__(self, names: Container[str], *, most: int, stores: bool = True) -> None:
        """Receive files. names: of their parts; most: how many files are taken."""
        super().__init__()
        self.files: list[PartUpload] = []
        self.refusal: Refusal | None = None
        self._names, self._most, self._stores = names, most, stores
        self._rules = make_lar_upload_rules(reads_all=True)

    def require_length(self, length: int) -> None:
        """Refuse a body by its length, before any of it is read. Raises: TooLarge."""
        if length > self._rules.limit + FORM_BYTES:
            raise TooLarge(
                f"Together the files are larger than {self._rules.limit} bytes, the most that is "
                "taken at once. Send them in several parts."
            )

    def new_file(self, *args: Any, **options: Any) -> None:
        super().new_file(*args, **options)
        if self.refusal:
            raise StopUpload(connection_reset=True)
        if self.field_name not in self._names:
            raise SkipFile
        if len(self.files) == self._most:
            self.refusal = refuse_many_files(self._most)
            raise StopUpload(connection_reset=True)
        self.files.append(PartUpload(self._rules, stores=self._stores))
        with suppress(StopUpload):
            self.files[-1].new_file(PART, *args[1:], **options)

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        try:
            self.files[-1].receive_data_chunk(raw_data, start)
        except StopUpload:
            self.files[-1].discard()

    def file_complete(self, file_size: int) -> None:
        self.files[-1].file_complete(file_size)

    def upload_interrupted(self) -> None:
        self.discard()

    def discard(self) -> None:
        """Remove the files from disk, unless they were moved away."""
        for file in self.files:
            file.discard()

    @property
    def parts(self) -> list[tuple[str, str]]:
        """The names and SHA-256 of those that arrived whole."""
        return [part for file in self.files for part in file.parts]


def refuse_many_files(most: int) -> TooLarge:
    """Return the refusal of too many files at once."""
    return TooLarge(f"Choose up to {most} files at once; send the others afterward.")


def make_lar_upload_rules(*, reads_all: bool = False) -> UploadRules:
    """Return the rules for the LAR file of a submission."""
    limit: int = settings.UPLOAD_LIMIT
    return UploadRules(limit, least=1, suffix=".txt", reads_all=reads_all, is_filed=True)


def fingerprint_multipart_body(request: Request, rules: UploadRules) -> str:
    """Return the fingerprint of a multipart body, read to its end; blank if that did not arrive.

    That of a body which was not received yet is taken without storing its file.
    """
    handlers = [each for each in request.upload_handlers if isinstance(each, PartUpload)]
    with nullcontext(handlers[0]) if handlers else handle_body(request, rules, stores=False) as one:
        try:
            fields = cast("QueryDict", request.data)
        except _UNREADABLE:
            return ""
    return idempotency.fingerprint_form(fields, one.parts) if one.parts else ""


@contextmanager
def receive_file(request: Request, rules: UploadRules) -> Iterator[ReceivedFile]:
    """Read the multipart body and give the complete file, which is deleted at the end.

    Raises: BadInput, TooLarge; each message says what is wrong and what is accepted.
    """
    with receive_form(request, rules) as (handler, fields):
        yield find_received_file(request, handler, fields)


@contextmanager
def receive_form(
    request: Request, rules: UploadRules, *others: FileUploadHandler
) -> Iterator[tuple[PartUpload, Any]]:
    """Read the multipart body and give its file, if there is one, and its other parts.

    others: handlers of other parts with a file name, which are dropped otherwise.
    Raises: BadInput, TooLarge.
    """
    with handle_body(request, rules, *others) as handler:
        try:
            fields = request.data
        except _UNREADABLE:
            raise handler.refusal or BadInput(say_setting("file")) from None
        yield handler, fields


@contextmanager
def handle_body(
    request: Request | HttpRequest,
    rules: UploadRules,
    *others: FileUploadHandler,
    stores: bool = True,
) -> Iterator[PartUpload]:
    """Read the body of a request by these rules; its file is deleted at the end.

    others: handlers of other parts with a file name. stores: false for a file that is not kept.
    Raises: TooLarge for a body whose length says so; Interrupted.
    """
    if content_length(request) > rules.limit + FORM_BYTES:  # before any of it is read
        raise rules.too_large()
    release_connection()
    handler = PartUpload(rules, stores=stores)
    request.upload_handlers = [*others, handler]
    try:
        yield handler
    except UnreadablePostError:
        raise Interrupted from None
    finally:
        handler.discard()


@contextmanager
def handle_many_files(
    request: HttpRequest, names: Container[str], *, most: int, stores: bool = True
) -> Iterator[ManyFilesUpload]:
    """Read a body with many files; they are deleted at the end. As `handle_body` does."""
    handler = ManyFilesUpload(names, most=most, stores=stores)
    handler.require_length(content_length(request))
    release_connection()
    request.upload_handlers = [handler]
    try:
        yield handler
    except UnreadablePostError:
        raise Interrupted from None
    finally:
        handler.discard()


def find_received_file(
    request: Request | HttpRequest, handler: PartUpload, fields: Container[str]
) -> ReceivedFile:
    """Return the file of a body that was read. fields: its parts that are not files.

    Raises: BadInput, TooLarge, NotScanned.
    """
    if handler.refusal:
        raise handler.refusal
    if handler.upload is None:
        if PART in fields:
            raise InvalidFormat(_NO_NAME)
        raise BadInput(_cut_off(request, handler) or say_setting("file"))
    if handler.upload.size < handler.rules.least:
        raise InvalidFormat(foreign_files.EMPTY_FILE)
    if not handler.rules.is_filed:
        upload = handler.upload
        with upload.path.open("rb") as file:
            scanning.require_clean_file(
                file, scanning.ScannedFileFacts(upload.name, upload.sha256), by=None
            )
    return handler.upload


def _cut_off(request: Request | HttpRequest, handler: PartUpload) -> str:
    """Return the message for an incomplete upload, which looks like one without a file."""
    if not handler.size:
        return ""
    expected = content_length(request)
    return (
        f"The upload ended after about {handler.size} of {expected} bytes. Upload the file again."
    )


def content_length(request: Request | HttpRequest) -> int:
    """Return the length that a request says its body has; 0 if it says none."""
    length = request.META.get("CONTENT_LENGTH") or "0"
    return int(length) if length.isdecimal() else 0
