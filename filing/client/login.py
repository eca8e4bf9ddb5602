"""Sign in on a machine without a browser: the device authorization grant (RFC 8628)."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import httpx

from filing.client.calls import Trouble, Unreachable
from filing.client.tokens import Grant, granted

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
        known = _discovered(http, issuer or f"{url.rstrip('/')}{REALM}")
        form = {"client_id": client_id, "scope": _SCOPE}
        begun = _posted(http, known["device_authorization_endpoint"], form)
        if "device_code" not in begun:
            raise Trouble(f"The provider gave no code: {_reason(begun)}")
        address = begun["verification_uri"]
        complete = begun.get("verification_uri_complete", address)
        show(Prompt(address, complete, begun["user_code"]))
        return _granted(http, known["token_endpoint"], client_id, begun, wait)


def _granted(
    http: httpx.Client,
    endpoint: str,
    client_id: str,
    begun: dict[str, Any],
    wait: Callable[[float], object],
) -> Grant:
    pause = float(begun.get("interval", 5))
    until = time.monotonic() + float(begun.get("expires_in", 600))
    form = {"grant_type": GRANT, "device_code": begun["device_code"], "client_id": client_id}
    while time.monotonic() < until:
        wait(pause)
        try:
            body = _posted(http, endpoint, form)
        except Unreachable:
            continue
        if "access_token" in body:
            return granted(body, endpoint, client_id)
        error = body.get("error")
        if error == "slow_down":
            pause += _SLOWER
        elif error != "authorization_pending":
            raise Trouble(_reason(body))
    raise Trouble(_REASONS["expired_token"])


def _discovered(http: httpx.Client, issuer: str) -> dict[str, str]:
    """Return the addresses of a provider."""
    try:
        response = http.get(f"{issuer}{_DISCOVERY}")
        known = response.json() if response.is_success else {}
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise Unreachable(f"{issuer} did not respond: {error}") from error
    except ValueError:
        known = {}
    if "device_authorization_endpoint" not in known or "token_endpoint" not in known:
        raise Trouble(
            f"{issuer} offers no sign-in with a code. Name the provider of the site with --issuer, "
            "or set HMDA_TOKEN to a token from it."
        )
    return dict(known)


def _posted(http: httpx.Client, address: str, form: dict[str, str]) -> dict[str, Any]:
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
