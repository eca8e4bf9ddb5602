"""Talks to clamd, the scanner of ClamAV: sends a file in pieces, and reads what it says of it.

Whatever goes wrong has a name of its own, and none of it is a verdict: a file is only clean if the
scanner has read all of it and said so.

Source: clamd(8) of ClamAV 1.4, the commands PING, VERSION and INSTREAM.
"""

from __future__ import annotations

import re
import select
import socket
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from typing import IO

Address = tuple[str, int] | str  # of a TCP server, or of a socket in the file system

PIECE_BYTES = 256 * 1024
MOST_ANSWER_BYTES = 1024
CONNECT_SECONDS = 2
# clamd itself cannot scan a larger file, whatever its settings say.
LARGEST_FILE_BYTES = 2**31 - 3
_END = b"\0"  # of a command and of an answer
_VERDICT = re.compile(rb"stream: (?:(OK)|([\x21-\x7e]{1,120}) FOUND)")
_OVER_LIMIT = "Heuristics.Limits.Exceeded"  # so clamd calls what it has only scanned in part


class Trouble(Enum):
    """Why there is no verdict on a file."""

    AWAY = "The virus scanner cannot be reached."
    LATE = "The virus scanner did not answer in time."
    CLOSED = "The virus scanner closed the connection."
    TOO_LARGE = "The virus scanner does not accept a file of this size."
    IN_PART = "The virus scanner could only scan a part of it."
    UNKNOWN = "The virus scanner gave an unknown answer."


class NoVerdict(Exception):
    """The scanner has not said whether the file is clean. answer: what it said instead."""

    def __init__(self, trouble: Trouble, answer: str = "") -> None:
        super().__init__(f"{trouble.value} {answer}".strip())
        self.trouble = trouble


def signature_in(file: IO[bytes], address: Address, *, seconds: float) -> str:
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


def version(address: Address, *, seconds: float) -> str:
    """Return the versions of the scanner and its signatures, as it names them.

    Raises: NoVerdict.
    """
    with _connection(address, seconds) as connection:
        connection.send(b"zVERSION" + _END)
        return connection.answer().decode("ascii", "replace")


def require_up(address: Address, *, seconds: float) -> None:
    """Require that the scanner answers.

    Raises: NoVerdict.
    """
    with _connection(address, seconds) as connection:
        connection.send(b"zPING" + _END)
        if (answer := connection.answer()) != b"PONG":
            raise _unknown(answer)


def _verdict(answer: bytes, *, is_whole: bool) -> str:
    """Return the signature in an answer. is_whole: whether the whole file was sent before it."""
    if answer.startswith(b"INSTREAM size limit exceeded"):
        raise NoVerdict(Trouble.TOO_LARGE)
    match = _VERDICT.fullmatch(answer)
    if match is None or (match[1] and not is_whole):
        raise _unknown(answer)
    signature = (match[2] or b"").decode()
    if signature.startswith(_OVER_LIMIT):
        raise NoVerdict(Trouble.IN_PART, signature)
    return signature


def _unknown(answer: bytes) -> NoVerdict:
    return NoVerdict(Trouble.UNKNOWN, repr(answer[:100]))


class _Connection:
    """A connection whose waits, all together, have a time limit."""

    def __init__(self, own: socket.socket, until: float) -> None:
        self._socket, self._until = own, until

    def send(self, *parts: bytes) -> None:
        """Send bytes; stop without an error where the scanner has said something, or closed."""
        try:
            for part in parts:
                self._socket.settimeout(self._left())
                self._socket.sendall(part)
        except (BrokenPipeError, ConnectionResetError):
            if not self.has_answer():
                raise NoVerdict(Trouble.CLOSED) from None

    def has_answer(self) -> bool:
        """Return whether the scanner has said something, or closed the connection."""
        return bool(select.select([self._socket], [], [], 0)[0])

    def answer(self) -> bytes:
        """Return the answer, without its end."""
        answer = b""
        while not answer.endswith(_END):
            self._socket.settimeout(self._left())
            read = self._socket.recv(MOST_ANSWER_BYTES)
            if not read:
                raise NoVerdict(Trouble.CLOSED)
            answer += read
            if len(answer) > MOST_ANSWER_BYTES:
                raise _unknown(answer)
        return answer.removesuffix(_END)

    def _left(self) -> float:
        left = self._until - time.monotonic()
        if left <= 0:
            raise NoVerdict(Trouble.LATE)
        return left


@contextmanager
def _connection(address: Address, seconds: float) -> Iterator[_Connection]:
    """Give a connection, and name what goes wrong with it."""
    until = time.monotonic() + seconds
    try:
        own = _connected(address, min(CONNECT_SECONDS, seconds))
    except OSError as error:
        raise NoVerdict(Trouble.AWAY, _first_line(error)) from error
    with own:
        try:
            yield _Connection(own, until)
        except TimeoutError as error:
            raise NoVerdict(Trouble.LATE) from error
        except ConnectionError as error:
            raise NoVerdict(Trouble.CLOSED, _first_line(error)) from error


def _connected(address: Address, seconds: float) -> socket.socket:
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
