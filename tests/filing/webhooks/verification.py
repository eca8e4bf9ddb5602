"""Verifies a message as a receiver does, from the text of Standard Webhooks 1.0.0 alone."""

from __future__ import annotations

import base64
import hmac
import time
from collections.abc import Mapping

TOLERANCE_SECONDS = 5 * 60


def is_genuine(headers: Mapping[str, str], body: bytes, secret: str) -> bool:
    """Tell whether one of the signatures is of this secret and the message is recent."""
    identifier, at = headers["webhook-id"], headers["webhook-timestamp"]
    if abs(time.time() - int(at)) > TOLERANCE_SECONDS:
        return False
    key = base64.b64decode(secret[len("whsec_") :])
    digest = hmac.digest(key, f"{identifier}.{at}.".encode() + body, "sha256")
    expected = "v1," + base64.b64encode(digest).decode()
    signatures = headers["webhook-signature"].split(" ")
    return any(hmac.compare_digest(expected, each) for each in signatures)
