"""How secrets are stored: as a hash where one is only compared, else encrypted.

A copy of the database alone, such as a backup or a replica, opens nothing. AES-256-GCM, with a key
derived from SECRET_KEY.
"""

from __future__ import annotations

import hashlib
import os
from base64 import b64decode, b64encode
from contextlib import suppress

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from filing.derived_keys import derive_keys
from filing.errors import NotReady

_NONCE_BYTES = 12
_PURPOSE = b"secrets of webhooks"  # the first ones; it is part of what is stored


class UnreadableSecret(NotReady):
    """The secret was encrypted with another SECRET_KEY."""


def hash_secret(secret: str) -> str:
    """Return the hash that is stored of a random secret."""
    # Neither salted nor slow: what has more than 112 random bits cannot be guessed.
    # Source: NIST SP 800-63B (2017), section 5.1.2.2.
    return hashlib.sha256(secret.encode(errors="replace")).hexdigest()


def encrypt_secret(secret: str) -> str:
    """Return a secret in the form in which it is stored."""
    nonce = os.urandom(_NONCE_BYTES)
    cipher = AESGCM(derive_keys(_PURPOSE)[0])
    return b64encode(nonce + cipher.encrypt(nonce, secret.encode(), _PURPOSE)).decode()


def decrypt_secret(stored: str) -> str:
    """Return a stored secret. Raises: UnreadableSecret."""
    with suppress(ValueError):
        data = b64decode(stored)
        for key in derive_keys(_PURPOSE):
            with suppress(InvalidTag):
                cipher = AESGCM(key)
                return cipher.decrypt(data[:_NONCE_BYTES], data[_NONCE_BYTES:], _PURPOSE).decode()
    raise UnreadableSecret(
        "The stored secret cannot be read: the key of the service has changed. Rotate the secret."
    )
