"""The virus scan of uploaded files, where the site has a scanner (`SCAN_URL`).

A file that was not scanned is not clean: it is not accepted, and its sender is told to try again.
So scanning is done while a file is received, before anything of it is stored, and a file that the
scanner refuses is never kept. Whatever goes wrong with clamd, the scanner of ClamAV, has a name of
its own, and none of it is a verdict: a file is only clean if the scanner has read all of it and
said so.

Source: clamd(8) of ClamAV 1.4, the commands PING, VERSION and INSTREAM.
"""

from __future__ import annotations

import hashlib
import logging
import re
import select
import socket
import struct
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from typing import IO, Any, TypeVar

from django import forms
from django.conf import settings
from django.core.files.uploadedfile import UploadedFile

from filing import audit
from filing.access import Caller
from filing.errors import BadInput, Busy, Refusal
from filing.models import AuditEvent

log = logging.getLogger(__name__)

ScannerAddress = tuple[str, int] | str  # of a TCP server, or of a socket in the file system

PIECE_BYTES = 256 * 1024
MOST_ANSWER_BYTES = 1024
CONNECT_SECONDS = 2
_END = b"\0"  # of a command and of an answer
_VERDICT = re.compile(rb"stream: (?:(OK)|([\x21-\x7e]{1,120}) FOUND)")
_OVER_LIMIT = "Heuristics.Limits.Exceeded"  # so clamd calls what it has only scanned in part
RETRY_SECONDS = 60
UP_SECONDS = 2  # in which a scanner that is up says so
SCAN_RESULTS = ("clean", "infected", "not_scanned")
FormT = TypeVar("FormT", bound=forms.Form)


class ScannerFault(Enum):
    """Why there is no verdict on a file."""

    AWAY = "The virus scanner cannot be reached."
    LATE = "The virus scanner did not answer in time."
    CLOSED = "The virus scanner closed the connection."
    TOO_LARGE = "The virus scanner does not accept a file of this size."
    IN_PART = "The virus scanner could only scan a part of it."
    UNKNOWN = "The virus scanner gave an unknown answer."


class NoVerdict(Exception):
    """The scanner has not said whether the file is clean. answer: what it said instead."""

    def __init__(self, trouble: ScannerFault, answer: str = "") -> None:
        super().__init__(f"{trouble.value} {answer}".strip())
        self.trouble = trouble


def find_signature(file: IO[bytes], address: ScannerAddress, *, seconds: float) -> str:
    """Return the name of the signature that fits the file; blank if the whole file is clean.

    seconds: the most that all of it may take.

    Raises: NoVerdict.
    """
    with _connection(address, seconds) as connection:
        connection.send(b"zINSTREAM" + _END)
        is_whole = True
        while piece := file.read(PIECE_BYTES):
            if connection.has_answer():
                is_whole = False
                break
            connection.send(struct.pack("!L", len(piece)), piece)
        if is_whole:
            connection.send(struct.pack("!L", 0))
        return _verdict(connection.answer(), is_whole=is_whole)


def read_scanner_version(address: ScannerAddress, *, seconds: float) -> str:
    """Return the versions of the scanner and its signatures, as it names them.

    Raises: NoVerdict.
    """
    with _connection(address, seconds) as connection:
        connection.send(b"zVERSION" + _END)
        return connection.answer().decode("ascii", "replace")


def ping_scanner(address: ScannerAddress, *, seconds: float) -> None:
    """Require that the scanner answers. Raises: NoVerdict."""
    with _connection(address, seconds) as connection:
        connection.send(b"zPING" + _END)
        if (answer := connection.answer()) != b"PONG":
            raise _unknown(answer)


def _verdict(answer: bytes, *, is_whole: bool) -> str:
    """Return the signature in an answer. is_whole: whether the whole file was sent before it."""
    if answer.startswith(b"INSTREAM size limit exceeded"):
        raise NoVerdict(ScannerFault.TOO_LARGE)
    match = _VERDICT.fullmatch(answer)
    if match is None or (match[1] and not is_whole):
        raise _unknown(answer)
    signature = (match[2] or b"").decode()
    if signature.startswith(_OVER_LIMIT):
        raise NoVerdict(ScannerFault.IN_PART, signature)
    return signature


def _unknown(answer: bytes) -> NoVerdict:
    return NoVerdict(ScannerFault.UNKNOWN, repr(answer[:100]))


class _Connection:
    """A connection whose waits, all together, have a time limit."""

    def __init__(self, own: socket.socket, until: float) -> None:
        self._socket, self._until = own, until

    def send(self, *parts: bytes) -> None:
        """Send bytes; stop without an error where the scanner has said something, or closed."""
        try:
            for part in parts:
                self._socket.settimeout(self._seconds_left())
                self._socket.sendall(part)
        except (BrokenPipeError, ConnectionResetError):
            if not self.has_answer():
                raise NoVerdict(ScannerFault.CLOSED) from None

    def has_answer(self) -> bool:
        """Return whether the scanner has said something, or closed the connection."""
        return bool(select.select([self._socket], [], [], 0)[0])

    def answer(self) -> bytes:
        """Return the answer, without its end."""
        answer = b""
        while not answer.endswith(_END):
            self._socket.settimeout(self._seconds_left())
            received = self._socket.recv(MOST_ANSWER_BYTES)
            if not received:
                raise NoVerdict(ScannerFault.CLOSED)
            answer += received
            if len(answer) > MOST_ANSWER_BYTES:
                raise _unknown(answer)
        return answer.removesuffix(_END)

    def _seconds_left(self) -> float:
        seconds = self._until - time.monotonic()
        if seconds <= 0:
            raise NoVerdict(ScannerFault.LATE)
        return seconds


@contextmanager
def _connection(address: ScannerAddress, seconds: float) -> Iterator[_Connection]:
    """Give a connection, and name what goes wrong with it."""
    until = time.monotonic() + seconds
    try:
        own = _connected(address, min(CONNECT_SECONDS, seconds))
    except OSError as error:
        raise NoVerdict(ScannerFault.AWAY, _first_line(error)) from error
    with own:
        try:
            yield _Connection(own, until)
        except TimeoutError as error:
            raise NoVerdict(ScannerFault.LATE) from error
        except ConnectionError as error:
            raise NoVerdict(ScannerFault.CLOSED, _first_line(error)) from error


def _connected(address: ScannerAddress, seconds: float) -> socket.socket:
    if isinstance(address, tuple):
        return socket.create_connection(address, timeout=seconds)
    own = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        own.settimeout(seconds)
        own.connect(address)
    except BaseException:
        own.close()
        raise
    return own


def _first_line(error: OSError) -> str:
    return error.strerror or str(error) or type(error).__name__


class Infected(BadInput):
    """The scanner knows what is in the file. signature: the name that it gave it."""

    def __init__(self, signature: str) -> None:
        super().__init__(
            f"The virus scan found {signature} in the file, so the file was refused and deleted. "
            "Scan the computer that it comes from, and upload a clean file."
        )
        self.signature = signature


class NotScanned(Busy):
    """No one knows whether the file is clean."""

    def __init__(self, trouble: ScannerFault) -> None:
        super().__init__(
            f"The file was not accepted, because it was not scanned for viruses. {trouble.value} "
            f"Try again in {RETRY_SECONDS} seconds.",
            RETRY_SECONDS,
        )


@dataclass(frozen=True)
class ScannedFileFacts:
    """What the audit log says of a file that is not kept. lei, submission: blank for no filing."""

    name: str
    sha256: str
    lei: str = ""
    submission: str = ""


def _count_nothing(result: str) -> None:
    """Count nothing: this process has no metrics."""


_count: Callable[[str], None] = _count_nothing


def count_scans_by(count: Callable[[str], None]) -> None:
    """Set what counts the results, which are those of `SCAN_RESULTS`."""
    global _count
    _count = count


def find_scanner() -> ScannerAddress | None:
    """Return where the scanner listens; none where this site does not scan uploads."""
    where: ScannerAddress | None = settings.SCAN_ADDRESS
    return where


def require_scanner() -> None:
    """Require that the scanner answers, before a file is received in vain. Raises: NotScanned."""
    if scanner := find_scanner():
        try:
            ping_scanner(scanner, seconds=UP_SECONDS)
        except NoVerdict as reason:
            raise _not_scanned(reason) from reason


def require_clean_file(file: IO[bytes], facts: ScannedFileFacts, *, by: Caller | None) -> None:
    """Require that the scanner has read a whole file and knows nothing bad of it.

    by: who sent it, for the audit log; none where no one is signed in.

    Raises: Infected, after an entry in the audit log; NotScanned.
    """
    scanner = find_scanner()
    if scanner is None:
        return
    try:
        signature = find_signature(file, scanner, seconds=settings.SCAN_SECONDS)
    except NoVerdict as reason:
        raise _not_scanned(reason) from reason
    if signature:
        _count("infected")
        _record(signature, facts, by=by)
        raise Infected(signature)
    _count("clean")


def _record(signature: str, facts: ScannedFileFacts, *, by: Caller | None) -> None:
    about = facts.submission or facts.name
    reason = f"Signature {signature}, SHA-256 {facts.sha256}, file name {facts.name[:255]}."
    log.warning("The virus scan found %s in a file with SHA-256 %s", signature, facts.sha256)
    if by:
        event = AuditEvent.FILE_INFECTED
        audit.record_refusal(event, by=by, lei=facts.lei, about=about, reason=reason)
    else:  # anyone can cause any number of them
        audit.count_refusal(AuditEvent.FILE_INFECTED, about=about[:255], reason=reason)


def _not_scanned(reason: NoVerdict) -> NotScanned:
    log.warning("An upload was not scanned: %s", reason)
    _count("not_scanned")
    return NotScanned(reason.trouble)


class ScannedFileField(forms.FileField):
    """A file that the virus scan lets pass. by: who sends it, for the audit log."""

    by: Caller | None = None

    def clean(self, data: Any, initial: Any = None) -> Any:
        file: UploadedFile | None = super().clean(data, initial)
        if file and find_scanner():
            try:
                require_clean_file(file, _facts(file), by=self.by)
            except Refusal as refusal:
                raise forms.ValidationError(refusal.message) from refusal
            finally:
                file.seek(0)
        return file


def set_sender(form: FormT, by: Caller) -> FormT:
    """Return a form whose files are sent by this caller."""
    for field in form.fields.values():
        if isinstance(field, ScannedFileField):
            field.by = by
    return form


def _facts(file: UploadedFile) -> ScannedFileFacts:
    file.seek(0)
    digest = hashlib.sha256()
    for piece in file.chunks():
        digest.update(piece)
    file.seek(0)
    return ScannedFileFacts(name=file.name or "", sha256=digest.hexdigest())
