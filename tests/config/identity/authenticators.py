"""An authenticator app and a security key, as they are outside of this service."""

from __future__ import annotations

import hashlib
import json
import time
from base64 import b32decode
from typing import Any
from urllib.parse import urlsplit

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA1, SHA256
from cryptography.hazmat.primitives.twofactor.totp import TOTP
from fido2.cose import ES256
from fido2.utils import websafe_encode
from fido2.webauthn import (
    Aaguid,
    AttestationObject,
    AttestedCredentialData,
    AuthenticatorData,
    CollectedClientData,
)

from tests.config.identity.client import SITE


def app_code(key: str, later: int = 0) -> str:
    """Return the code that an app shows now, or so many periods later."""
    totp = TOTP(b32decode(key.replace(" ", "")), 6, SHA1(), 30)
    return totp.generate(int(time.time()) + 30 * later).decode()


class SecurityKey:
    """Holds one passkey. What it answers can be wrong in one thing."""

    def __init__(self) -> None:
        self.private = ec.generate_private_key(ec.SECP256R1())
        self.credential_id = b"credential of the key"
        self.counter = 0

    def create(self, options: dict[str, Any], **wrong: Any) -> str:
        public = ES256.from_cryptography_key(self.private.public_key())
        credential = AttestedCredentialData.create(Aaguid(bytes(16)), self.credential_id, public)
        data = self._data(credential, **wrong)
        client = self._client("webauthn.create", options, **wrong)
        attestation = AttestationObject.create("none", data, {})
        return self._answer(client, attestationObject=websafe_encode(attestation))

    def use(self, options: dict[str, Any], **wrong: Any) -> str:
        data, client = self._data(**wrong), self._client("webauthn.get", options, **wrong)
        signed = data + hashlib.sha256(client).digest()
        signature = wrong.get("private", self.private).sign(signed, ec.ECDSA(SHA256()))
        return self._answer(
            client, authenticatorData=websafe_encode(data), signature=websafe_encode(signature)
        )

    def _data(self, credential: bytes = b"", **wrong: Any) -> AuthenticatorData:
        self.counter = wrong.get("counter", self.counter + 1)
        site = hashlib.sha256(str(urlsplit(SITE).hostname).encode()).digest()
        flags = AuthenticatorData.FLAG.UP | (AuthenticatorData.FLAG.AT if credential else 0)
        return AuthenticatorData.create(site, flags, self.counter, credential)

    def _client(self, kind: str, options: dict[str, Any], **wrong: Any) -> CollectedClientData:
        challenge = wrong.get("challenge", options["challenge"])
        return CollectedClientData.create(kind, challenge, wrong.get("origin", SITE))

    def _answer(self, client: bytes, **response: str) -> str:
        identity = websafe_encode(self.credential_id)
        return json.dumps(
            {
                "id": identity,
                "rawId": identity,
                "type": "public-key",
                "clientExtensionResults": {},
                "response": {"clientDataJSON": websafe_encode(client), **response},
            }
        )
