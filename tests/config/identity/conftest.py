"""An issuer with keys of its own, and the address where it publishes them."""

from __future__ import annotations

import time
from collections.abc import Iterator
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
from filing.models import Institution
from tests import make
from tests.config.identity import client
from tests.config.identity.client import new_browser
from tests.config.identity.remote_provider import Provider, Site, serving

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
    with serving(Site()) as server:
        server.documents["/certs"] = issuer.jwks
        yield server


@pytest.fixture
def provider_site(monkeypatch: pytest.MonkeyPatch, db: None, key_folder: Path) -> None:
    """The embedded provider, with its client."""
    # Changed by override_settings, every test would build all addresses of the service again.
    monkeypatch.setattr(django_settings, "ROOT_URLCONF", client.__name__)
    provider.prepare_provider()


@pytest.fixture(name="provider")
def remote_provider(issuer: Issuer, settings: Any) -> Iterator[Provider]:
    with serving(Provider(issuer)) as server:
        settings.EMBEDDED_PROVIDER = False
        settings.OIDC_ISSUER = server.url
        settings.IDENTITY_KEYS = "config.identity.keys.RemoteKeys"
        settings.OIDC_JWKS_URL = ""
        settings.AUTHENTICATION_BACKENDS = ["config.identity.login.Backend"]
        yield server
    cache.clear()
    keys._source.cache_clear()


@pytest.fixture
def bank() -> Institution:
    return make.institution(LEI, name="Example Bank")


@pytest.fixture
def ann() -> User:
    user = User.objects.create_user(
        "ann", "ann@bank.example", client.PASSWORD, first_name="Ann", last_name="Example"
    )
    for lei in (client.LEI, client.OTHER_LEI):
        make.member(user, lei)
    user.groups.add(Group.objects.get(name="administrator"))
    return user


@pytest.fixture
def browser() -> Client:
    return new_browser()


@pytest.fixture
def visitor() -> Client:
    """A browser that need not send the token of a form."""
    return Client(headers={"host": "localhost"})
