"""Sign-in and its tokens: kept in a file that only the user can read, refreshed in time.

On a machine without a browser the device authorization grant is used (RFC 8628).
"""

from __future__ import annotations

import json
import os
import stat
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import httpx

from filing.client.calls import OtherSite, Trouble, Unreachable, origin_of

VARIABLE = "HMDA_TOKEN"
URL_VARIABLE = "HMDA_URL"
_EARLY = 60.0  # seconds before a token expires, in which it is refreshed
_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_REFUSED = range(400, 500)

CLIENT_ID = "hmda-cli"
REALM = "/realms/hmda2"  # of the embedded provider
GRANT = "urn:ietf:params:oauth:grant-type:device_code"
_SCOPE = "openid profile email"
_SLOWER = 5  # seconds more between two questions (RFC 8628, section 3.5)
_DISCOVERY = "/.well-known/openid-configuration"
_REASONS = {
    "access_denied": "The sign-in was denied.",
    "expired_token": "The code has expired. Run hmda login again.",
}


class NotSignedIn(Trouble):
    """There is no usable token; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Grant:
    """The tokens of one site. expires: of the access token, in seconds since 1970."""

    access_token: str
    refresh_token: str
    expires: float
    token_endpoint: str
    client_id: str


class TokenFile:
    """The file of all tokens, by the address of the site."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "tokens.json"
        self._guard = threading.Lock()

    def sites(self) -> list[str]:
        """Return the addresses with a token, the latest sign-in last."""
        return list(self._read())

    def grant(self, url: str) -> Grant | None:
        """Return the tokens of a site."""
        content = self._read().get(url)
        return Grant(**content) if content else None

    def save(self, url: str, grant: Grant) -> None:
        """Keep the tokens of a site."""
        self._write({**{u: g for u, g in self._read().items() if u != url}, url: asdict(grant)})

    def remove(self, url: str) -> bool:
        """Forget the tokens of a site; return whether there were any."""
        content = self._read()
        if url not in content:
            return False
        del content[url]
        self._write(content)
        return True

    def token(self, url: str, *, was_refused: bool = False) -> str:
        """Return an access token that is valid for a while.

        was_refused: the server refused the last one, so a new one is needed.
        Raises: NotSignedIn.
        """
        with self._guard, self._alone():
            grant = self.grant(url)
            if grant is None:
                raise NotSignedIn(
                    f"You are not signed in to {url}: run hmda login, or set {VARIABLE}."
                )
            if was_refused or grant.expires - _EARLY < time.time():
                grant = self._refreshed(url, grant)
                self.save(url, grant)
            return grant.access_token

    def _refreshed(self, url: str, grant: Grant) -> Grant:
        form = {
            "grant_type": "refresh_token",
            "refresh_token": grant.refresh_token,
            "client_id": grant.client_id,
        }
        try:
            response = httpx.post(grant.token_endpoint, data=form, timeout=30)
        except httpx.HTTPError as error:
            raise NotSignedIn(f"{grant.token_endpoint} did not respond: {error}") from error
        if response.status_code in _REFUSED:
            raise NotSignedIn(f"Your sign-in to {url} has expired: run hmda login again.")
        if not response.is_success:
            raise NotSignedIn(f"The sign-in could not be renewed (HTTP {response.status_code}).")
        return read_grant(response.json(), grant.token_endpoint, grant.client_id)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Keep other processes out: a refresh token may be used once."""
        if sys.platform == "win32" or not self.path.parent.is_dir():
            yield
            return
        import fcntl

        with (self.path.parent / "tokens.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def _read(self) -> dict[str, Any]:
        try:
            if os.name == "posix" and self.path.stat().st_mode & _OTHERS:
                raise NotSignedIn(
                    f"Other users can read {self.path}. Run chmod 600 on it, or remove it and run "
                    "hmda login."
                )
            content = json.loads(self.path.read_text())
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            raise NotSignedIn(f"{self.path} cannot be read: {error}") from error
        return content if isinstance(content, dict) else {}

    def _write(self, content: dict[str, Any]) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        beside = self.path.with_suffix(f".{os.getpid()}")
        beside.unlink(missing_ok=True)
        number = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(number, "w") as file:
            json.dump(content, file)
        beside.replace(self.path)


def read_grant(body: dict[str, Any], token_endpoint: str, client_id: str) -> Grant:
    """Return the tokens in the response of a provider. Source: RFC 6749, section 5.1."""
    return Grant(
        access_token=str(body["access_token"]),
        refresh_token=str(body.get("refresh_token", "")),
        expires=time.time() + float(body.get("expires_in", 300)),
        token_endpoint=token_endpoint,
        client_id=client_id,
    )


@dataclass(frozen=True, slots=True)
class Prompt:
    """What the user does in a browser: open the address, and compare the code."""

    address: str
    complete_address: str
    code: str


def sign_in(
    url: str,
    *,
    issuer: str = "",
    client_id: str = CLIENT_ID,
    show: Callable[[Prompt], object],
    wait: Callable[[float], object] = time.sleep,
) -> Grant:
    """Return the tokens of a user who confirms the code in a browser.

    issuer: of the tokens; default: the provider in the site itself. show: called with the code.
    Raises: Trouble.
    """
    with httpx.Client(timeout=30) as http:
        provider = issuer or f"{url.rstrip('/')}{REALM}"
        endpoints = _discover_endpoints(http, provider)
        for name in ("token_endpoint", "device_authorization_endpoint"):
            _require_trusted(endpoints[name], provider, is_named=bool(issuer))
        form = {"client_id": client_id, "scope": _SCOPE}
        device = _post(http, endpoints["device_authorization_endpoint"], form)
        if "device_code" not in device:
            raise Trouble(f"The provider gave no code: {_reason(device)}")
        address = device["verification_uri"]
        complete = device.get("verification_uri_complete", address)
        for page in (address, complete):
            _require_trusted(page, provider, is_named=bool(issuer))
        show(Prompt(address, complete, device["user_code"]))
        return _granted(http, endpoints["token_endpoint"], client_id, device, wait)


def _granted(
    http: httpx.Client,
    endpoint: str,
    client_id: str,
    device: dict[str, Any],
    wait: Callable[[float], object],
) -> Grant:
    pause = float(device.get("interval", 5))
    until = time.monotonic() + float(device.get("expires_in", 600))
    form = {"grant_type": GRANT, "device_code": device["device_code"], "client_id": client_id}
    while time.monotonic() < until:
        wait(pause)
        try:
            body = _post(http, endpoint, form)
        except Unreachable:
            continue
        if "access_token" in body:
            return read_grant(body, endpoint, client_id)
        error = body.get("error")
        if error == "slow_down":
            pause += _SLOWER
        elif error != "authorization_pending":
            raise Trouble(_reason(body))
    raise Trouble(_REASONS["expired_token"])


def _discover_endpoints(http: httpx.Client, issuer: str) -> dict[str, str]:
    """Return the addresses of a provider."""
    try:
        response = http.get(f"{issuer}{_DISCOVERY}")
        endpoints = response.json() if response.is_success else {}
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise Unreachable(f"{issuer} did not respond: {error}") from error
    except ValueError:
        endpoints = {}
    if "device_authorization_endpoint" not in endpoints or "token_endpoint" not in endpoints:
        raise Trouble(
            f"{issuer} offers no sign-in with a code. Name the provider of the site with --issuer, "
            "or set HMDA_TOKEN to a token from it."
        )
    return dict(endpoints)


def _require_trusted(address: str, provider: str, *, is_named: bool) -> None:
    """Refuse an address of a provider at another site, unless the user named it and it uses TLS.

    Raises: OtherSite.
    """
    try:
        is_same = origin_of(address) == origin_of(provider)
        is_safe = is_same or (is_named and httpx.URL(address).scheme == "https")
    except (httpx.InvalidURL, TypeError):
        is_safe = False
    if not is_safe:
        advice = (
            "" if is_named else " If you trust it, name the provider of the site with --issuer."
        )
        raise OtherSite(f"{provider} names the address {address} at another site.{advice}")


def _post(http: httpx.Client, address: str, form: dict[str, str]) -> dict[str, Any]:
    try:
        response = http.post(address, data=form)
        body = response.json()
    except httpx.HTTPError as error:
        raise Unreachable(f"{address} did not respond: {error}") from error
    except ValueError as error:
        raise Unreachable(f"{address} answered HTTP {response.status_code}.") from error
    if response.status_code in (429, 502, 503, 504):
        raise Unreachable(f"{address} answered HTTP {response.status_code}.")
    return body if isinstance(body, dict) else {}


def _reason(body: dict[str, Any]) -> str:
    error = str(body.get("error", "no reason"))
    return _REASONS.get(error) or str(body.get("error_description") or body.get("message") or error)
