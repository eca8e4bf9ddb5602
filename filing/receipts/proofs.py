"""Receipts by their bytes alone: whether one is written and signed as this service does.

Every byte counts. A receipt file is genuine only if it is, byte for byte, what the service wrote;
a proof only if its header, its encoding and its signature are. Knows no Django: the client checks
receipts with it, too.
"""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Mapping
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from filing.storable_text import decode_json

ALGORITHM = "EdDSA"
TYPE = "hmda-receipt+jwt"
# What the receipt file says in plain view; the claims say the same and more.
FACTS = ("receipt", "lei", "period", "sha256", "records", "signedAt")
PROOF = "proof"

KeyOf = Callable[[str], Ed25519PublicKey | None]

_SAVE_AGAIN = "Use the original file, or download it again from the page of the receipt."


class NotGenuine(Exception):
    """The service did not issue this; the message says how one can see that."""


def make_proof_header(kid: str) -> dict[str, Any]:
    """Return the whole header of a proof."""
    return {"alg": ALGORITHM, "kid": kid, "typ": TYPE}


def join_receipt_file(content: Mapping[str, Any], jws: str) -> bytes:
    """Return the receipt file of claims and their proof."""
    return write_canonical_json({**{name: content[name] for name in FACTS}, PROOF: jws})


def write_canonical_json(content: Mapping[str, Any], *, sort: bool = False) -> bytes:
    """Return values as JSON, in the one way in which receipts are written."""
    return json.dumps(content, separators=(",", ":"), sort_keys=sort).encode("ascii")


def read_receipt_values(body: bytes) -> tuple[dict[str, Any], list[str]]:
    """Return the values of a JSON object, and their names as often as they are there.

    Raises: ValueError with a sentence.
    """
    objects: list[list[tuple[str, Any]]] = []

    def remember_pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        objects.append(pairs)
        return dict(pairs)

    try:
        content = decode_json(body.decode(), pairs=remember_pairs)
    except ValueError:
        raise ValueError("This is not JSON.") from None
    if not isinstance(content, dict):
        raise ValueError("The JSON is not an object.")
    return content, [name for name, _ in objects[-1]]  # the outermost object ends last


def verify_proof(jws: str, key_of: KeyOf) -> dict[str, Any]:
    """Return the claims of a proof. key_of: the public key of a key ID, None if unknown.

    Raises: NotGenuine.
    """
    try:
        encoded_header, encoded_claims, encoded_signature = jws.split(".")
        head = decode_json(decode_base64url(encoded_header))
        content, signature = decode_base64url(encoded_claims), decode_base64url(encoded_signature)
    except ValueError:
        raise NotGenuine("The proof was changed: it is not a signed document.") from None
    kid = _kid(head)
    if encoded_header != encode_base64url(write_canonical_json(make_proof_header(kid), sort=True)):
        raise NotGenuine("The proof was changed: its header is not written as this service does.")
    key = key_of(kid)
    if key is None:
        raise NotGenuine("The proof was signed with a key that is not one of this service.")
    try:
        key.verify(signature, f"{encoded_header}.{encoded_claims}".encode("ascii"))
    except InvalidSignature:
        raise NotGenuine("The receipt was changed: the signature does not fit it.") from None
    claims: dict[str, Any] = json.loads(content)
    return claims


def _kid(head: Any) -> str:
    """Return the key ID of a header that is ours in all but, perhaps, its form.

    Raises: NotGenuine.
    """
    if not isinstance(head, dict) or head.get("alg") != ALGORITHM:
        raise NotGenuine(f"The proof does not use the algorithm {ALGORITHM}, which signs receipts.")
    # A key in the header, such as jwk, x5c or jku, would be the key of whoever wrote it.
    kid = head.get("kid")
    if not isinstance(kid, str) or head != make_proof_header(kid):
        raise NotGenuine("The header of the proof has other entries than alg, kid and typ.")
    return kid


def verify_receipt_file(
    body: bytes, content: dict[str, Any], names: list[str], key_of: KeyOf
) -> dict[str, Any]:
    """Return the claims of a receipt file. Raises: NotGenuine."""
    if len(names) != len(content):
        raise NotGenuine(f"The receipt was changed: it has a value twice. {_SAVE_AGAIN}")
    if set(names) != {*FACTS, PROOF}:
        raise NotGenuine(
            f"The receipt was changed: it must have these values: {', '.join(FACTS)}, {PROOF}."
        )
    jws = content[PROOF]
    if not isinstance(jws, str):
        raise NotGenuine("The receipt has no proof: it is not signed.")
    claims = verify_proof(jws, key_of)
    changed = [name for name in FACTS if not _same(content[name], claims[name])]
    if changed:
        raise NotGenuine(
            f"The receipt was changed: not the values that were signed: {', '.join(changed)}."
        )
    if body != join_receipt_file(claims, jws):
        raise NotGenuine(
            "The file was changed: its values are those that were signed, but it is written in "
            f"another way. {_SAVE_AGAIN}"
        )
    return claims


def _same(value: Any, signed: Any) -> bool:
    return type(value) is type(signed) and value == signed  # 1, 1.0 and true are equal


def encode_base64url(content: bytes) -> str:
    """Return bytes as text."""
    return urlsafe_b64encode(content).rstrip(b"=").decode()


def decode_base64url(text: str) -> bytes:
    """Return the bytes of a text.

    Raises: ValueError for a text that `encode_base64url` does not return: the last character has
    unused bits, so several texts mean the same bytes to other decoders.
    """
    content = urlsafe_b64decode(text.encode("ascii") + b"=" * (-len(text) % 4))
    if encode_base64url(content) != text:
        raise ValueError("The text is not base64url.")
    return content
