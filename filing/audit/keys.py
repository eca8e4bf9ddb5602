"""The Ed25519 keys that sign receipts, seals and backups.

Private keys are PEM files under `RECEIPT_KEY_DIR`, or there is one in `RECEIPT_SIGNING_KEY`. The
last file by name signs; the first is made when it is first needed. Public keys are in the database
for good, so that a receipt stays genuine after its key was replaced or lost. A key of the database
counts if the service has endorsed it, which nobody can do who can only write to the tables.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)
from django.conf import settings
from django.db import OperationalError, ProgrammingError, connection, transaction

from filing import audit
from filing.access import Caller
from filing.files import local_files
from filing.models import AuditEvent, KeyEndorsement, ReceiptKey
from filing.models.columns import is_authentic_row
from filing.receipts import proofs

SUFFIX = ".pem"
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


class NoUsableKey(Exception):
    """There is no key to sign with; the message says why, and what to do."""


@dataclass(frozen=True)
class SigningKey:
    """A private key. origin: where it comes from, as operators call it."""

    private: Ed25519PrivateKey
    origin: str

    @cached_property
    def x(self) -> str:
        """The public key, base64url (RFC 8037, section 2)."""
        raw = self.private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
        return proofs.encode_base64url(raw)

    @cached_property
    def kid(self) -> str:
        """The key ID."""
        return key_id(self.x)


def require_signing_key() -> SigningKey:
    """Return the key that signs now; it is made if there is none. Raises: NoUsableKey."""
    if settings.RECEIPT_SIGNING_KEY:
        return _from_setting()
    if not _paths():
        with suppress(FileExistsError):  # another process was first: its key counts
            _add_file(first=True)
    paths = _paths()
    if not paths:
        raise NoUsableKey(f"{_folder()} has no key, and none can be made there.")
    return _read(paths[0])


def examine_signing_key() -> SigningKey | None:
    """Return the key that would sign, without making one; none if one would be made.

    Raises: NoUsableKey.
    """
    if settings.RECEIPT_SIGNING_KEY:
        return _from_setting()
    if paths := _paths():
        return _read(paths[0])
    place = next(path for path in (_folder(), *_folder().parents) if path.exists())
    if not os.access(place, os.W_OK | os.X_OK):
        raise NoUsableKey(f"No key can be made: {place} is not writable by the service's user.")
    return None


def record_key(key: SigningKey, *, by: Caller | None = None, reason: str = "") -> ReceiptKey:
    """Return the row of a key, written with an entry in the audit log at its first use."""
    row = ReceiptKey.objects.filter(kid=key.kid).first()
    if row is not None:
        return row
    with transaction.atomic():
        row, is_new = ReceiptKey.objects.get_or_create(kid=key.kid, defaults={"x": key.x})
        if is_new:
            KeyEndorsement.objects.create(kid=row.kid, x=row.x)
            reason = reason or f"First used; from {key.origin}."
            audit.record_event(AuditEvent.RECEIPT_KEY_ADDED, by=by, about=key.kid, reason=reason)
    return row


def endorse_keys(kids: Collection[str] | None = None) -> list[str]:
    """Endorse keys of the database and return their IDs. kids: default, all.

    Call this only where it is certain that they are keys of this service.
    """
    rows = ReceiptKey.objects.order_by("pk")
    if kids is not None:
        rows = rows.filter(kid__in=kids)
    for row in rows:
        KeyEndorsement.objects.create(kid=row.kid, x=row.x)
    return [row.kid for row in rows]


def renew_endorsements() -> None:
    """Endorse the keys of this service again if there is a former SECRET_KEY, which then may go."""
    if settings.SECRET_KEY_FALLBACKS:
        endorse_keys([row.kid for row in list_public_keys()])


def rotate_key(*, by: Caller | None = None) -> ReceiptKey:
    """Make a key that signs from now on, and return its row. Older receipts stay genuine.

    Raises: NoUsableKey, also if a setting gives the key.
    """
    if settings.RECEIPT_SIGNING_KEY:
        raise NoUsableKey(
            "RECEIPT_SIGNING_KEY gives the key. Set it to a new key and restart the service; "
            "`openssl genpkey -algorithm ed25519` makes one."
        )
    _paths()  # an unsuitable folder is refused before a key is written to it
    try:
        path = _add_file()
    except FileExistsError as error:
        raise NoUsableKey("Another process has just made a key. Look, and try again.") from error
    return record_key(_read(path), by=by, reason=f"Rotated; from {path}.")


def key_id(x: str) -> str:
    """Return the ID of a public key: the thumbprint of RFC 7638."""
    members = {"crv": "Ed25519", "kty": "OKP", "x": x}
    text = json.dumps(members, separators=(",", ":"), sort_keys=True)
    return proofs.encode_base64url(hashlib.sha256(text.encode()).digest())


def decode_public_key(x: str) -> Ed25519PublicKey:
    """Return a public key from its base64url form. Raises: ValueError."""
    return Ed25519PublicKey.from_public_bytes(proofs.decode_base64url(x))


def find_public_key(kid: str) -> Ed25519PublicKey | None:
    """Return the public key of that ID, if it is or was one of this service."""
    try:
        row = ReceiptKey.objects.filter(kid=kid).first()
        if row is not None and (row.kid, row.x) in _find_endorsed(kid=kid):
            return decode_public_key(row.x)
    except (OperationalError, ProgrammingError):
        if connection.introspection.table_names():
            raise
        # The database is empty: a backup is about to be restored.
    # After a restore, this machine may have keys that the older database does not know.
    return next((key.private.public_key() for key in _own() if key.kid == kid), None)


def _find_endorsed(**which: str) -> set[tuple[str, str]]:
    """Return the IDs and values of the keys that the service has endorsed, or of some of them."""
    endorsements = KeyEndorsement.objects.filter(**which)
    return {(each.kid, each.x) for each in endorsements if is_authentic_row(each)}


def list_public_keys() -> list[ReceiptKey]:
    """Return all public keys of this service, the oldest first."""
    known = _find_endorsed() | {(key.kid, key.x) for key in _own()}
    return [row for row in ReceiptKey.objects.order_by("pk") if (row.kid, row.x) in known]


def generate_private_key() -> bytes:
    """Return a new private key in PEM form."""
    return Ed25519PrivateKey.generate().private_bytes(
        Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()
    )


def _own() -> list[SigningKey]:
    """Return the usable keys of this machine; none if they cannot be read."""
    with suppress(NoUsableKey):
        if settings.RECEIPT_SIGNING_KEY:
            return [_from_setting()]
        return [_read(path) for path in _paths()]
    return []


def _folder() -> Path:
    return Path(settings.RECEIPT_KEY_DIR)


def _paths() -> list[Path]:
    """Return the key files, that of the signing key first.

    Raises: NoUsableKey for a folder that cannot be read, or that other users can read.
    """
    folder = _folder()
    if folder == Path(settings.IDENTITY_KEY_DIR):
        raise NoUsableKey(
            f"{folder} is the folder of the token keys, which a restore replaces. Set "
            "RECEIPT_KEY_DIR to another folder."
        )
    try:
        _require_private(folder)
        return sorted((path for path in folder.iterdir() if path.suffix == SUFFIX), reverse=True)
    except FileNotFoundError:
        return []
    except OSError as error:
        raise NoUsableKey(f"{folder} cannot be read: {error.strerror}.") from error


def _add_file(*, first: bool = False) -> Path:
    """Write a new key, and return its path.

    Raises: FileExistsError if another process was first; NoUsableKey.
    """
    try:
        return local_files.add_numbered_file(
            _folder(), generate_private_key(), suffix=SUFFIX, first=first
        )
    except FileExistsError:
        raise
    except OSError as error:
        raise NoUsableKey(
            f"No key can be written to {_folder()}: {error.strerror}. Make the folder writable "
            "for the service's user only."
        ) from error


def _read(path: Path) -> SigningKey:
    try:
        _require_private(path)
        return SigningKey(_private_key(path.read_text()), str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise NoUsableKey(f"{path} cannot be read: {error}.") from error
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise NoUsableKey(
            f"{path} is not an Ed25519 private key in PEM form. Remove the file; the next one, or "
            "a new key, then signs."
        ) from error


def _require_private(path: Path) -> None:
    """Refuse a file or folder that other users of the machine can read or change.

    Raises: NoUsableKey, OSError.
    """
    if mode := path.stat().st_mode & _OTHERS:
        raise NoUsableKey(
            f"Other users may open {path} (their rights: {mode:03o}). Run `chmod go= {path}`; if "
            "others may have read a key, rotate it."
        )


def _from_setting() -> SigningKey:
    try:
        return SigningKey(_private_key(settings.RECEIPT_SIGNING_KEY), "RECEIPT_SIGNING_KEY")
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:  # without its text: a secret
        raise NoUsableKey(
            "RECEIPT_SIGNING_KEY is not an Ed25519 private key in PEM form; "
            "`openssl genpkey -algorithm ed25519` makes one."
        ) from error


@lru_cache(maxsize=8)
def _private_key(pem: str) -> Ed25519PrivateKey:
    key = load_pem_private_key(pem.encode(), password=None)
    if not isinstance(key, Ed25519PrivateKey):
        raise TypeError("The key is of another kind.")
    return key
