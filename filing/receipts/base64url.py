"""Base64url without padding, as JSON Web Signatures have it (RFC 7515, section 2)."""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode


def encode(content: bytes) -> str:
    """Return bytes as text."""
    return urlsafe_b64encode(content).rstrip(b"=").decode()


def decode(text: str) -> bytes:
    """Return the bytes of a text.

    Raises: ValueError for a text that `encode` does not return: the last character has unused bits,
    so several texts mean the same bytes to other decoders.
    """
    content = urlsafe_b64decode(text.encode("ascii") + b"=" * (-len(text) % 4))
    if encode(content) != text:
        raise ValueError("The text is not base64url.")
    return content
