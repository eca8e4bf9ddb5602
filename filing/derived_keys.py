"""Keys for one purpose each, derived from SECRET_KEY by HKDF (RFC 5869)."""

from __future__ import annotations

from functools import lru_cache

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings

_LENGTH = 32  # bytes


def derive_keys(purpose: bytes) -> list[bytes]:
    """Return the key that writes now, and those of `SECRET_KEY_FALLBACKS`, which only read."""
    secrets = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    return [_derive_key(str(secret), purpose) for secret in secrets]


@lru_cache(maxsize=16)
def _derive_key(secret: str, purpose: bytes) -> bytes:
    return HKDF(SHA256(), _LENGTH, None, purpose).derive(secret.encode())
