"""The secrets of webhooks: encrypted in the database, they sign each message.

A copy of the database alone does not reveal them. AES-256-GCM, with a key derived from SECRET_KEY.

Source: Standard Webhooks, https://github.com/standard-webhooks/standard-webhooks, version 1.0.0.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from base64 import b64decode, b64encode
from collections.abc import Iterable
from contextlib import suppress

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from filing.derived_keys import derive_keys
from filing.errors import NotReady

PREFIX = "whsec_"
_SECRET_BYTES = 32
_NONCE_BYTES = 12
_PURPOSE = b"secrets of webhooks"


def new_secret() -> str:
    """Return a new secret."""
    return PREFIX + b64encode(secrets.token_bytes(_SECRET_BYTES)).decode()


def sign_headers(message_id: str, body: str, *, at: int, keys: Iterable[str]) -> dict[str, str]:
    """Return the headers of a message, with a signature for each secret.

    Units: at in seconds since 1970.
    """
    signatures = (sign_message(message_id, body, at=at, secret=key) for key in keys)
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(at),
        "webhook-signature": " ".join(signatures),
    }


def sign_message(message_id: str, body: str, *, at: int, secret: str) -> str:
    """Return the signature of a message with one secret."""
    key = b64decode(secret.removeprefix(PREFIX))
    content = f"{message_id}.{at}.{body}".encode()
    return f"v1,{b64encode(hmac.new(key, content, hashlib.sha256).digest()).decode()}"


class UnreadableSecret(NotReady):
    """The secret was encrypted with another SECRET_KEY."""


def encrypt_secret(secret: str) -> str:
    """Return a secret in the form in which it is stored."""
    nonce = os.urandom(_NONCE_BYTES)
    cipher = AESGCM(derive_keys(_PURPOSE)[0])
    return b64encode(nonce + cipher.encrypt(nonce, secret.encode(), _PURPOSE)).decode()


def decrypt_secret(stored: str) -> str:
    """Return a stored secret. Raises: UnreadableSecret."""
    data = b64decode(stored)
    for key in derive_keys(_PURPOSE):
        with suppress(InvalidTag, ValueError):
            cipher = AESGCM(key)
            return cipher.decrypt(data[:_NONCE_BYTES], data[_NONCE_BYTES:], _PURPOSE).decode()
    raise UnreadableSecret(
        "The secret of the webhook cannot be read: the key of the service has changed. Rotate the "
        "secret."
    )
