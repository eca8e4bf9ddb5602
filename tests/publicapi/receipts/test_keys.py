"""The published keys: with nothing but them, another program verifies a receipt."""

from __future__ import annotations

import json

import jwt
import pytest

from filing.audit import keys

pytestmark = pytest.mark.django_db

ADDRESS = "/.well-known/receipt-keys.json"


def test_all_keys_are_published_without_private_parts(client, signature) -> None:
    rows = [signature.signed_receipt.key, keys.rotate_key()]
    answer = client.get(ADDRESS)
    assert answer["Content-Type"] == "application/jwk-set+json"
    assert answer["Cache-Control"] == "public, max-age=300"
    assert answer.json() == {
        "keys": [
            {
                "kty": "OKP",
                "crv": "Ed25519",
                "alg": "EdDSA",
                "use": "sig",
                "kid": row.kid,
                "x": row.x,
                "created": row.created_at.isoformat(timespec="milliseconds"),
            }
            for row in rows
        ]
    }


def test_a_receipt_is_verified_with_them(client, file) -> None:
    receipt = json.loads(file)
    published = jwt.PyJWKSet.from_dict(client.get(ADDRESS).json())
    key = published[jwt.get_unverified_header(receipt["proof"])["kid"]]
    claims = jwt.decode(receipt["proof"], key, algorithms=["EdDSA"])
    assert {name: claims[name] for name in receipt if name != "proof"}.items() <= receipt.items()
