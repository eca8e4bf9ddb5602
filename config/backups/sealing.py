"""Encrypts and decrypts streams of bytes in limited memory, with AES-256-GCM.

A sealed stream is a header with a random salt, then chunks of 1 MiB, each with its tag. Each stream
has a key of its own, derived from the salt, so its nonces can count from 0: no nonce is ever used
twice with one key. A nonce has the number of its chunk and whether it is the last one. The name of
the stream is authenticated as well. So a chunk that was changed, moved, left out, added or taken
from another stream is refused, and so is a stream that was cut off or renamed.

Source: Hoang, Reyhanitabar, Rogaway, Vizár, "Online Authenticated-Encryption and its Nonce-Reuse
Misuse-Resistance" (2015), the construction STREAM; RFC 5869 (HKDF).
"""

from __future__ import annotations

import hashlib
import hmac
import os
from collections.abc import Iterable, Iterator

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

KEY_BYTES = 32
CHUNK = 1 << 20
_MAGIC = b"HMDA-BACKUP-1\n"
_SALT, _TAG = 32, 16
_HEADER = len(_MAGIC) + _SALT


class Damaged(Exception):
    """A part of a backup is missing, or is not what was written; the message names it."""


def sealed(chunks: Iterable[bytes], key: bytes, name: str) -> Iterator[bytes]:
    """Yield the encrypted form of a stream."""
    salt = os.urandom(_SALT)
    cipher = _cipher(key, salt)
    yield _MAGIC + salt
    for number, (piece, is_last) in enumerate(_pieces(chunks, CHUNK)):
        yield cipher.encrypt(_nonce(number, is_last), piece, name.encode())


def opened(chunks: Iterable[bytes], key: bytes, name: str) -> Iterator[bytes]:
    """Yield the stream that was sealed under a name.

    What was yielded before an error is authentic, but not complete.

    Raises: Damaged.
    """
    rest = iter(chunks)
    header = b""
    while len(header) < _HEADER and (chunk := next(rest, None)) is not None:
        header += chunk
    if len(header) < _HEADER or not header.startswith(_MAGIC):
        raise Damaged(f"{name} is not an encrypted part of a backup.")
    cipher = _cipher(key, header[len(_MAGIC) : _HEADER])
    pieces = _pieces(_chain(header[_HEADER:], rest), CHUNK + _TAG)
    for number, (piece, is_last) in enumerate(pieces):
        try:
            yield cipher.decrypt(_nonce(number, is_last), piece, name.encode())
        except InvalidTag as error:
            raise Damaged(f"{name} was changed or cut off, or another key is needed.") from error


def sealed_size(size: int) -> int:
    """Return how many bytes a stream of a size has when it is sealed."""
    return _HEADER + size + _TAG * max(1, -(-size // CHUNK))


def authentication(key: bytes, purpose: str, content: bytes) -> str:
    """Return a code that only a holder of the key can compute for a content."""
    own = _derived(key, b"", f"authentication: {purpose}")
    return hmac.new(own, content, hashlib.sha256).hexdigest()


def key_name(key: bytes) -> str:
    """Return a short name of a key, from which the key cannot be computed; blank for none."""
    return authentication(key, "name of the key", b"")[:16] if key else ""


def _cipher(key: bytes, salt: bytes) -> AESGCM:
    return AESGCM(_derived(key, salt, "stream"))


def _derived(key: bytes, salt: bytes, purpose: str) -> bytes:
    return HKDF(SHA256(), KEY_BYTES, salt, f"backup, {purpose}".encode()).derive(key)


def _nonce(number: int, is_last: bool) -> bytes:
    return number.to_bytes(11, "big") + bytes([is_last])


def _chain(first: bytes, rest: Iterable[bytes]) -> Iterator[bytes]:
    yield first
    yield from rest


def _pieces(chunks: Iterable[bytes], size: int) -> Iterator[tuple[bytes, bool]]:
    """Yield a stream in pieces of one size, and whether each is the last, which may be shorter."""
    buffer = bytearray()
    for chunk in chunks:
        buffer += chunk
        while len(buffer) > size:  # never the last one: something follows
            yield bytes(buffer[:size]), False
            del buffer[:size]
    yield bytes(buffer), True
