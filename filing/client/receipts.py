"""Receipt files: saved as they came, and checked with the published keys or by the site."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from filing.client.calls import Connection

KEYS = "/.well-known/receipt-keys.json"
CHECK = "/v2/public/receipts/check"


def check_by_site(connection: Connection, path: Path) -> dict[str, Any]:
    """Return the answer of the site about a receipt file. Raises: OSError, Trouble."""
    headers = {"Content-Type": "application/json"}
    return connection.call("POST", CHECK, headers=headers, content=path.read_bytes()).body


def published_keys(connection: Connection) -> dict[str, Any]:
    """Return the keys that a site publishes. Raises: Trouble."""
    return connection.call("GET", KEYS).body


def check_by_keys(path: Path, keys: dict[str, Any]) -> dict[str, Any]:
    """Return whether a receipt file was signed with one of these keys, without any call.

    keys: a JSON Web Key Set, as a site publishes it. The result has the names of the site's answer;
    whether a later file replaced the one of the receipt is known to the site alone.
    Raises: OSError; ValueError for a file or keys that are not JSON as expected.
    """
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    from filing.receipts import base64url, proofs

    known = {
        str(key["kid"]): Ed25519PublicKey.from_public_bytes(base64url.decode(str(key["x"])))
        for key in keys.get("keys", [])
        if key.get("crv") == "Ed25519"
    }
    body = path.read_bytes()
    content, names = proofs.read(body)
    try:
        claims = proofs.verified_file(body, content, names, known.get)
    except proofs.NotGenuine as reason:
        return {"receipt": content.get("receipt"), "genuine": False, "message": str(reason)}
    return {"genuine": True, **{name: claims[name] for name in proofs.FACTS}}


def keys_in(path: Path) -> dict[str, Any]:
    """Return the keys in a file. Raises: OSError, ValueError."""
    keys = json.loads(path.read_text())
    if not isinstance(keys, dict) or not isinstance(keys.get("keys"), list):
        raise ValueError(f"{path} is not a JSON Web Key Set.")
    return keys
