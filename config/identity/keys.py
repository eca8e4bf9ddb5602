"""Where the public keys that verify bearer tokens come from: a provider's address, or key files."""

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

from config.identity import calls, keyfiles

log = logging.getLogger(__name__)

PublicKey = RSAPublicKey | EllipticCurvePublicKey

# Seconds.
FRESH = 10 * 60  # keys are used this long without asking again
STALE = 24 * 3600  # and this long while the provider does not answer
UNKNOWN_PAUSE = 5 * 60  # between two fetches for key names that nobody knows
RETRY_PAUSE = 30  # between two tries while the provider does not answer and old keys serve
TIMEOUT = 3


class NoKeysError(Exception):
    """The provider does not answer, and there are no keys from before."""


class Keys(Protocol):
    """The public keys of an issuer, by name."""

    def find(self, kid: str) -> PublicKey | None:
        """Return the key of that name.

        Raises: NoKeysError.
        """

    def sole(self) -> PublicKey | None:
        """Return the key of an issuer that has only one: its tokens need not name it.

        Raises: NoKeysError.
        """


def source() -> Keys:
    """Return where this process takes its keys from, as the setting `IDENTITY_KEYS` names it."""
    return _source(settings.IDENTITY_KEYS, settings.OIDC_ISSUER, settings.OIDC_JWKS_URL)


@lru_cache(maxsize=1)
def _source(path: str, issuer: str, jwks_url: str) -> Keys:
    return import_string(path)()


class LocalKeys:
    """The keys of the embedded provider, from its key files."""

    def find(self, kid: str) -> PublicKey | None:
        """Return the key of that name."""
        return next((key.public for key in keyfiles.every() if key.kid == kid), None)

    def sole(self) -> PublicKey | None:
        """Return nothing: tokens of the embedded provider name their key."""
        return None


class Held(NamedTuple):
    """Keys, and the second in which they were fetched."""

    keys: Mapping[str, PublicKey]
    fetched_at: float


class RemoteKeys:
    """The keys that an issuer publishes, kept for a while: requests of ours do not wait for it.

    Threads: one fetches. Who has usable keys goes on with them meanwhile, who has none waits for
    the outcome of that fetch. Only a fetch that succeeds changes what is held.
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
        self._held = Held({}, -math.inf)
        self._retry_at = self._unknown_at = -math.inf

    def find(self, kid: str) -> PublicKey | None:
        """Return the key of that name.

        Raises: NoKeysError.
        """
        now = self._clock()
        age = now - self._held.fetched_at
        if age >= STALE:
            self._refresh()
        elif now >= max(self._retry_at, self._unknown_at) and kid not in self._held.keys:
            self._refresh(pause=UNKNOWN_PAUSE)
        elif now >= self._retry_at and age >= FRESH:
            self._refresh(wait=False)
        return self._usable().get(kid)

    def sole(self) -> PublicKey | None:
        """Return the key, if the issuer has only one.

        Raises: NoKeysError.
        """
        now = self._clock()
        age = now - self._held.fetched_at
        if age >= STALE or (now >= self._retry_at and age >= FRESH):
            self._refresh(wait=age >= STALE)
        found = list(self._usable().values())
        return found[0] if len(found) == 1 else None

    def _usable(self) -> Mapping[str, PublicKey]:
        held = self._held
        if self._clock() - held.fetched_at >= STALE:
            raise NoKeysError(f"{self._issuer} does not answer with its keys.")
        return held.keys

    def _refresh(self, *, wait: bool = True, pause: float = 0) -> None:
        tries = self._tries
        if not self._fetching.acquire(blocking=wait):
            return
        try:
            if self._tries != tries:
                return  # another thread has fetched while this one waited
            try:
                keys = self._fetch()
            except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
                log.warning("The keys of %s could not be fetched: %s", self._issuer, error)
                self._retry_at = self._clock() + RETRY_PAUSE
            else:
                self._held = Held(keys, self._clock())
                self._retry_at = -math.inf
                if pause:
                    self._unknown_at = self._clock() + pause
            self._tries += 1
        finally:
            self._fetching.release()

    def _fetch(self) -> dict[str, PublicKey]:
        return published(_document(self._jwks_url or self._discovered()))

    def _discovered(self) -> str:
        document = _document(calls.discovery(self._issuer))
        if document.get("issuer") != self._issuer or not isinstance(document.get("jwks_uri"), str):
            raise ValueError("the discovery document names another issuer, or no key address")
        return document["jwks_uri"]


def published(document: Mapping[str, Any]) -> dict[str, PublicKey]:
    """Return the signing keys of a JSON Web Key Set by name; others in it are left out.

    Raises: ValueError if there is none.
    """
    listed = document.get("keys")
    found = (_signing_key(jwk) for jwk in (listed if isinstance(listed, list) else ()))
    keys = dict(each for each in found if each)
    if not keys:
        raise ValueError("there is no usable signing key in the key set")
    return keys


def _signing_key(jwk: Any) -> tuple[str, PublicKey] | None:
    if not isinstance(jwk, dict) or jwk.get("use", "sig") != "sig":
        return None
    try:
        key = jwt.PyJWK(jwk).key
    except jwt.PyJWTError:
        return None  # a kind of key that no algorithm of ours takes
    kid = jwk.get("kid")
    if isinstance(kid, str) and isinstance(key, RSAPublicKey | EllipticCurvePublicKey):
        return kid, key
    return None


def _document(address: str) -> Mapping[str, Any]:
    return calls.json_object(calls.call("GET", address, seconds=TIMEOUT).raise_for_status())
