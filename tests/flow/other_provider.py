"""An OpenID provider of others: discovery, keys and the tokens that it signs."""

from __future__ import annotations

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import jwt
from cryptography.hazmat.primitives.asymmetric import ec

LEI = "FLOWTEST000000000001"


class OtherProvider:
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

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()
