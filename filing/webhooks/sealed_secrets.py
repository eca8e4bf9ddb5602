"""Encrypts the secrets of webhooks for the database, with a key derived from SECRET_KEY.

A copy of the database alone does not reveal them. AES-256-GCM; the key is derived by HKDF
(RFC 5869).
"""

from __future__ import annotations

import os
from base64 import b64decode, b64encode

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings

from filing.errors import NotReady

_NONCE_BYTES = 12
_PURPOSE = b"secrets of webhooks"


class Unreadable(NotReady):
    """The secret was encrypted with another SECRET_KEY."""


def sealed(secret: str) -> str:
    """Return a secret in the form in which it is stored."""
    nonce = os.urandom(_NONCE_BYTES)
    return b64encode(nonce + _cipher().encrypt(nonce, secret.encode(), _PURPOSE)).decode()


def opened(stored: str) -> str:
    """Return a stored secret.

    Raises: Unreadable.
    """
    data = b64decode(stored)
    try:
        return _cipher().decrypt(data[:_NONCE_BYTES], data[_NONCE_BYTES:], _PURPOSE).decode()
    except (InvalidTag, ValueError) as error:
        raise Unreadable(
            "The secret of the webhook cannot be read: the key of the service has changed. Rotate "
            "the secret."
        ) from error


def _cipher() -> AESGCM:
    return AESGCM(HKDF(SHA256(), 32, None, _PURPOSE).derive(settings.SECRET_KEY.encode()))
