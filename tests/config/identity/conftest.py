"""An issuer with keys of its own, and the address where it publishes them."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from django.conf import settings as django_settings
from django.contrib.auth.models import Group, User
from django.core.cache import cache
from django.test import Client, override_settings
from jwt.algorithms import ECAlgorithm, RSAAlgorithm

from config.identity import keyfiles, keys, provider
from filing.models import Institution, Membership
from tests.config.identity import client
from tests.config.identity.remote_provider import Provider

ISSUER = "https://id.example/realms/hmda2"
LEI = "529900EXAMPLELEI0001"


def rsa_key(bits: int = 2048) -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(public_exponent=65537, key_size=bits)


class Issuer:
    """Signs tokens, good ones if nothing else is asked for."""

    url = ISSUER

    def __init__(self) -> None:
        self.rsa = rsa_key()
        self.ec = ec.generate_private_key(ec.SECP256R1())
        self.short = rsa_key(1024)
        self.encryption = rsa_key()

    def claims(self, **changes: Any) -> dict[str, Any]:
        now = int(time.time())
        claims = {
            "iss": ISSUER,
            "sub": "8f1c0a52-0000-4000-8000-000000000001",
            "aud": ["hmda2-api", "account"],
            "azp": "hmda2-api",
            "iat": now,
            "exp": now + 300,
            "typ": "Bearer",
            "scope": "openid profile email",
            "preferred_username": "ann",
            "email": "ann@bank.example",
            "name": "Ann Example",
            "lei": LEI,
            **changes,
        }
        return {name: value for name, value in claims.items() if value is not ...}

    def token(
        self,
        *,
        key: Any = None,
        algorithm: str = "RS256",
        header: dict[str, Any] | None = None,
        **changes: Any,
    ) -> str:
        return jwt.encode(
            self.claims(**changes),
            self.rsa if key is None else key,
            algorithm=algorithm,
            headers={"kid": "rsa-1", **(header or {})},
        )

    @property
    def jwks(self) -> dict[str, Any]:
        return {
            "keys": [
                {**public_jwk(self.encryption), "kid": "enc-1", "use": "enc", "alg": "RSA-OAEP"},
                {**public_jwk(self.rsa), "kid": "rsa-1", "use": "sig", "alg": "RS256"},
                {**public_jwk(self.ec), "kid": "ec-1", "use": "sig"},
                {**public_jwk(self.short), "kid": "short-1", "use": "sig"},
                {"kty": "oct", "kid": "oct-1", "k": "c2VjcmV0"},
                {"kty": "OKP", "kid": "okp-1", "crv": "X25519", "x": "AAAA"},
            ]
        }


def public_jwk(key: rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey) -> dict[str, Any]:
    if isinstance(key, rsa.RSAPrivateKey):
        return RSAAlgorithm.to_jwk(key.public_key(), as_dict=True)
    return ECAlgorithm.to_jwk(key.public_key(), as_dict=True)


class Site(ThreadingHTTPServer):
    """Answers the documents it holds, and remembers what it was asked for."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answer)
        self.documents: dict[str, Any] = {}
        self.calls: list[str] = []
        self.status = 200
        self.delay = 0.0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Answer(BaseHTTPRequestHandler):
    server: Site

    def do_GET(self) -> None:
        self.server.calls.append(self.path)
        time.sleep(self.server.delay)
        document = self.server.documents.get(self.path)
        body = document if isinstance(document, bytes) else json.dumps(document).encode()
        self.send_response(self.server.status if document is not None else 404)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: Any) -> None:
        pass


@pytest.fixture(scope="session")
def issuer() -> Issuer:
    return Issuer()


@pytest.fixture(scope="session")
def made_key(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A key of the provider, made once for all tests."""
    with override_settings(IDENTITY_KEY_DIR=tmp_path_factory.mktemp("identity")):
        return keyfiles.add_key().read_bytes()


@pytest.fixture
def key_folder(settings: Any, tmp_path: Path, made_key: bytes) -> Path:
    """A folder of the provider's keys, with one in it."""
    settings.IDENTITY_KEY_DIR = tmp_path / "identity"
    settings.IDENTITY_KEY_DIR.mkdir()
    (settings.IDENTITY_KEY_DIR / "0001.pem").write_bytes(made_key)
    return settings.IDENTITY_KEY_DIR


@pytest.fixture
def site(issuer: Issuer) -> Iterator[Site]:
    with Site() as server:
        server.documents["/certs"] = issuer.jwks
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def provider_site(monkeypatch: pytest.MonkeyPatch, db: None, key_folder: Path) -> None:
    """The embedded provider, with its client."""
    # Changed by override_settings, every test would build all addresses of the service again.
    monkeypatch.setattr(django_settings, "ROOT_URLCONF", client.__name__)
    provider.prepare_provider()


@pytest.fixture(name="provider")
def remote_provider(issuer: Issuer, settings: Any) -> Iterator[Provider]:
    with Provider(issuer) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        settings.EMBEDDED_PROVIDER = False
        settings.OIDC_ISSUER = server.url
        settings.IDENTITY_KEYS = "config.identity.keys.RemoteKeys"
        settings.OIDC_JWKS_URL = ""
        settings.AUTHENTICATION_BACKENDS = ["config.identity.login.Backend"]
        yield server
        server.shutdown()
        thread.join()
    cache.clear()
    keys._source.cache_clear()


@pytest.fixture
def bank() -> Institution:
    return Institution.objects.create(
        activity_year=2024, lei=LEI, name="Example Bank", agency=9, email_domains=["bank.example"]
    )


@pytest.fixture
def ann() -> User:
    user = User.objects.create_user(
        "ann", "ann@bank.example", client.PASSWORD, first_name="Ann", last_name="Example"
    )
    for lei in (client.LEI, client.OTHER_LEI):
        Membership.objects.create(user=user, lei=lei)
    user.groups.add(Group.objects.get(name="administrator"))
    return user


@pytest.fixture
def browser() -> Client:
    return Client(enforce_csrf_checks=True)
