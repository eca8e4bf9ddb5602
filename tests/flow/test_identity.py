"""Another OpenID provider than the embedded one: one setting, and its tokens are the ones taken."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from tests.flow.conftest import Service

pytestmark = [pytest.mark.any_database, pytest.mark.slow]

LEI = "FLOWTEST000000000001"


class Provider:
    """An OpenID provider as far as a resource server sees it: discovery, keys, signed tokens."""

    def __init__(self) -> None:
        self.key = ec.generate_private_key(ec.SECP256R1())
        provider = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                body = json.dumps(provider.document(self.path)).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *args: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.issuer = f"http://127.0.0.1:{self.server.server_port}/realms/other"
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    def document(self, path: str) -> dict[str, object]:
        if path.endswith("openid-configuration"):
            return {"issuer": self.issuer, "jwks_uri": f"{self.issuer}/keys"}
        public = json.loads(jwt.algorithms.ECAlgorithm.to_jwk(self.key.public_key()))
        return {"keys": [{**public, "kid": "one", "use": "sig", "alg": "ES256"}]}

    def token(self, **claims: object) -> str:
        now = int(time.time())
        known = {
            "iss": self.issuer, "aud": "hmda2-api", "sub": "u1", "exp": now + 300, "iat": now,
            "typ": "Bearer", "lei": LEI, "preferred_username": "ann",
        }  # fmt: skip
        return jwt.encode({**known, **claims}, self.key, algorithm="ES256", headers={"kid": "one"})


@pytest.fixture(scope="module")
def provider() -> Iterator[Provider]:
    provider = Provider()
    yield provider
    provider.server.shutdown()
    provider.server.server_close()


def test_tokens_of_an_external_provider_are_taken_and_the_embedded_one_is_gone(
    run_service: Callable[..., Service], provider: Provider
):
    service = run_service(OIDC_ISSUER=provider.issuer)
    service.manage("open_season", "2024", "--force", *service.always)
    address = f"{service.url}/v2/filing/institutions/{LEI}/filings/2024"

    def status(token: str) -> int:
        return httpx.get(address, headers={"Authorization": f"Bearer {token}"}).status_code

    assert status(provider.token()) == 200
    assert status(provider.token(lei=[LEI])) == 200
    assert status(provider.token(lei="SOMEONEELSE000000001")) == 403
    assert status(provider.token(aud="account")) == 401
    assert status(provider.token(exp=int(time.time()) - 120)) == 401
    config = f"{service.url}/realms/hmda2/.well-known/openid-configuration"
    assert httpx.get(config).status_code == 404
    service.end()


def test_the_embedded_provider_tells_its_keys_and_makes_no_secret_of_them(service: Service):
    config = httpx.get(f"{service.url}/realms/hmda2/.well-known/openid-configuration").json()
    assert config["issuer"] == f"{service.url}/realms/hmda2"
    keys = httpx.get(config["jwks_uri"]).json()["keys"]
    assert keys
    assert all("d" not in key for key in keys)
