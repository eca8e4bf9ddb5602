"""The signing keys of the embedded identity provider: RSA key files under `IDENTITY_KEY_DIR`.

The first key is made when it is first needed. There may be several: the last by name signs, all are
published and trusted. To rotate keys, `add` one, and delete the old file once its tokens have
expired; a leaked key is deleted at once. No restart is needed. `manage.py rotate_key` does both.
"""

from __future__ import annotations

import hashlib
import json
import time
from base64 import urlsafe_b64encode
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from filing.files import local_files

BITS = 2048


@dataclass(frozen=True)
class KeyFile:
    """One key of the provider."""

    pem: str
    private: rsa.RSAPrivateKey

    @cached_property
    def public(self) -> rsa.RSAPublicKey:
        return self.private.public_key()

    @cached_property
    def jwk(self) -> dict[str, Any]:
        """The public key as it is published. Its name is the thumbprint of RFC 7638."""
        numbers = self.public.public_numbers()
        members = {"e": _number(numbers.e), "kty": "RSA", "n": _number(numbers.n)}
        digest = hashlib.sha256(json.dumps(members, separators=(",", ":"), sort_keys=True).encode())
        return {"kid": _text(digest.digest()), "alg": "RS256", "use": "sig", **members}

    @property
    def kid(self) -> str:
        return self.jwk["kid"]


def list_keys() -> list[KeyFile]:
    """Return all keys, the signing one first.

    Raises: ImproperlyConfigured, naming the file without an RSA private key.
    """
    return [_read(path, path.stat().st_mtime_ns) for path in _paths()]


def signing_key() -> KeyFile:
    """Return the key that signs, made now if there is none."""
    if not (keys := list_keys()):
        with suppress(FileExistsError):  # another process was first: its key counts
            add_key(first=True)
        keys = list_keys()
    return keys[0]


def add_key(*, first: bool = False) -> Path:
    """Make a key that signs from now on, in a file that only its owner can read.

    first: only if there is no key yet.

    Raises: FileExistsError if another process has just done the same.
    """
    key = rsa.generate_private_key(public_exponent=65537, key_size=BITS)
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    folder = Path(settings.IDENTITY_KEY_DIR)
    return local_files.add_numbered_file(folder, pem, suffix=".pem", first=first)


def drop_key(kid: str) -> None:
    """Delete a key: tokens that it signed are refused from now on.

    Raises: LookupError for an unknown name, ValueError for the only key that is left.
    """
    path = next((path for path in _paths() if _kid(path) == kid), None)
    if path is None:
        raise LookupError(f"There is no key {kid}.")
    if len(_paths()) == 1:
        raise ValueError("This is the only key. Make another key first.")
    path.unlink()


def prune_keys(*, seconds: int) -> list[str]:
    """Delete the keys that stopped signing so long ago, and return their names."""
    paths = _paths()
    # A key signs until the next one is made.
    retired = [
        path for newer, path in pairwise(paths) if newer.stat().st_mtime < time.time() - seconds
    ]
    dropped = [_kid(path) for path in retired]
    for path in retired:
        path.unlink()
    return dropped


def _paths() -> list[Path]:
    """Return the key files, that of the signing key first."""
    return sorted(Path(settings.IDENTITY_KEY_DIR).glob("*.pem"), reverse=True)


def _kid(path: Path) -> str:
    return _read(path, path.stat().st_mtime_ns).kid


@lru_cache(maxsize=32)
def _read(path: Path, changed_at: int) -> KeyFile:
    pem = path.read_text()
    try:
        key = _private_key(pem)
    except (ValueError, TypeError) as error:
        raise ImproperlyConfigured(
            f"{path} contains no private key in PEM form: {error}"
        ) from error
    if not isinstance(key, rsa.RSAPrivateKey):
        raise ImproperlyConfigured(f"{path} contains no RSA key, which RS256 needs to sign tokens.")
    return KeyFile(pem, key)


@lru_cache(maxsize=32)
def _private_key(pem: str) -> PrivateKeyTypes:
    """Return a key, checked once: the check takes longer than to sign with it."""
    return load_pem_private_key(pem.encode(), password=None)


def _number(value: int) -> str:
    return _text(value.to_bytes((value.bit_length() + 7) // 8, "big"))


def _text(value: bytes) -> str:
    return urlsafe_b64encode(value).rstrip(b"=").decode()
