"""The secrets of webhooks, which sign each message.

Source: Standard Webhooks, https://github.com/standard-webhooks/standard-webhooks, version 1.0.0.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from base64 import b64decode, b64encode
from collections.abc import Iterable

PREFIX = "whsec_"
_SECRET_BYTES = 32


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
