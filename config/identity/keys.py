"""The public keys that verify tokens, from a provider's address or from key files."""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple, Protocol

import httpx
import jwt
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePublicKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from django.conf import settings
from django.utils.module_loading import import_string

from config.identity import issuer, keyfiles

log = logging.getLogger(__name__)

PublicKey = RSAPublicKey | EllipticCurvePublicKey

# Seconds.
FRESH = 10 * 60  # keys are used this long without asking again
STALE = 24 * 3600  # and this long while the provider does not answer
UNKNOWN_PAUSE = 5 * 60  # between two fetches for unknown key names
RETRY_PAUSE = 30  # between two attempts while the provider is down and old keys are used
TIMEOUT = 3


class NoKeysError(Exception):
    """The provider does not answer, and no keys were fetched before."""


class KeySource(Protocol):
    """The public keys of an issuer, by name."""

    def find(self, kid: str) -> PublicKey | None:
        """Return the key of that name. Raises: NoKeysError."""

    def sole(self) -> PublicKey | None:
        """Return the key of an issuer that has only one: its tokens need not name it.

        Raises: NoKeysError.
        """


def key_source() -> KeySource:
    """Return the keys of this process, from the class that the setting `IDENTITY_KEYS` names."""
    return _source(settings.IDENTITY_KEYS, settings.OIDC_ISSUER, settings.OIDC_JWKS_URL)


@lru_cache(maxsize=1)
def _source(path: str, issuer: str, jwks_url: str) -> KeySource:
    return import_string(path)()


class LocalKeys:
    """The keys of the embedded provider, from its key files."""

    def find(self, kid: str) -> PublicKey | None:
        """Return the key of that name."""
        return next((key.public for key in keyfiles.list_keys() if key.kid == kid), None)

    def sole(self) -> PublicKey | None:
        """Return None: tokens of the embedded provider name their key."""
        return None


class FetchedKeys(NamedTuple):
    """Keys and the time at which they were fetched."""

    keys: Mapping[str, PublicKey]
    fetched_at: float


class RemoteKeys:
    """The keys that an issuer publishes, kept for a while so that requests need not wait.

    Threads: one fetches. The others use the old keys meanwhile, or wait for the result if there are
    none. Only a successful fetch replaces the keys.
    """

    def __init__(
        self,
        issuer: str | None = None,
        jwks_url: str | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._issuer = settings.OIDC_ISSUER if issuer is None else issuer
        self._jwks_url = settings.OIDC_JWKS_URL if jwks_url is None else jwks_url
        self._clock = clock
        self._fetching = threading.Lock()
        self._tries = 0
        self._fetched = FetchedKeys({}, -math.inf)
        self._retry_at = self._unknown_at = -math.inf

    def find(self, kid: str) -> PublicKey | None:
        """Return the key of that name. Raises: NoKeysError."""
        now = self._clock()
        age = now - self._fetched.fetched_at
        if age >= STALE:
            self._refresh()
        elif now >= max(self._retry_at, self._unknown_at) and kid not in self._fetched.keys:
            self._refresh(pause=UNKNOWN_PAUSE)
        elif now >= self._retry_at and age >= FRESH:
            self._refresh(wait=False)
        return self._usable().get(kid)

    def sole(self) -> PublicKey | None:
        """Return the key, if the issuer has only one. Raises: NoKeysError."""
        now = self._clock()
        age = now - self._fetched.fetched_at
        if age >= STALE or (now >= self._retry_at and age >= FRESH):
            self._refresh(wait=age >= STALE)
        keys = list(self._usable().values())
        return keys[0] if len(keys) == 1 else None

    def _usable(self) -> Mapping[str, PublicKey]:
        fetched = self._fetched
        if self._clock() - fetched.fetched_at >= STALE:
            raise NoKeysError(f"{self._issuer} does not answer with its keys.")
        return fetched.keys

    def _refresh(self, *, wait: bool = True, pause: float = 0) -> None:
        tries = self._tries
        if not self._fetching.acquire(blocking=wait):
            return
        try:
            if self._tries != tries:
                return  # another thread has fetched while this one waited
            try:
                keys = read_key_set(_document(self._jwks_url or self._discovered_address()))
            except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
                log.warning("The keys of %s could not be fetched: %s", self._issuer, error)
                self._retry_at = self._clock() + RETRY_PAUSE
            else:
                self._fetched = FetchedKeys(keys, self._clock())
                self._retry_at = -math.inf
                if pause:
                    self._unknown_at = self._clock() + pause
            self._tries += 1
        finally:
            self._fetching.release()

    def _discovered_address(self) -> str:
        document = _document(issuer.discovery_address(self._issuer))
        if document.get("issuer") != self._issuer or not isinstance(document.get("jwks_uri"), str):
            raise ValueError("the discovery document names another issuer, or no key address")
        return document["jwks_uri"]


def read_key_set(document: Mapping[str, Any]) -> dict[str, PublicKey]:
    """Return the signing keys of a JSON Web Key Set by name, without its other keys.

    Raises: ValueError if there are none.
    """
    entries = document.get("keys")
    named_keys = (_signing_key(jwk) for jwk in (entries if isinstance(entries, list) else ()))
    keys = dict(filter(None, named_keys))
    if not keys:
        raise ValueError("there is no usable signing key in the key set")
    return keys


def _signing_key(jwk: Any) -> tuple[str, PublicKey] | None:
    if not isinstance(jwk, dict) or jwk.get("use", "sig") != "sig":
        return None
    try:
        key = jwt.PyJWK(jwk).key
    except jwt.PyJWTError:
        return None  # a kind of key that none of our algorithms uses
    kid = jwk.get("kid")
    if isinstance(kid, str) and isinstance(key, RSAPublicKey | EllipticCurvePublicKey):
        return kid, key
    return None


def _document(address: str) -> Mapping[str, Any]:
    return issuer.read_json_object(
        issuer.send_provider_request("GET", address, seconds=TIMEOUT).raise_for_status()
    )
