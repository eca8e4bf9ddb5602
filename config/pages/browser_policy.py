"""What browsers may do with our pages, and what pages of other sites may call.

Other sites may call the addresses that take a bearer token or are public. None of them takes
cookies, so any page may call them.
"""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import ip_address
from urllib.parse import urlsplit

from csp.constants import NONE, SELF
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from config.requests.middleware import Handler
from filing import requests

FEATURES = (
    "accelerometer=(), camera=(), clipboard-read=(), clipboard-write=(self), display-capture=(), "
    "fullscreen=(self), geolocation=(), gyroscope=(), magnetometer=(), microphone=(), midi=(), "
    "payment=(), publickey-credentials-get=(self), usb=()"
)
CROSS_ORIGIN_ADDRESSES = (
    r"^/(v2|public|file|reports|quarterly-data|realms|hmda-auth)/"
    r"|^/\.well-known/receipt-keys\.json$"
)
CROSS_ORIGIN_REQUEST_HEADERS: tuple[str, ...] = (
    *("authorization", "content-type", "idempotency-key", "if-none-match", "range"),
    *requests.TUS_REQUEST_HEADERS,
)
CROSS_ORIGIN_ANSWER_HEADERS: tuple[str, ...] = (
    *("etag", "retry-after", "content-disposition", "content-range", "repr-digest", "link"),
    *("ratelimit", "ratelimit-policy", "x-request-id", "announcement", "idempotency-replayed"),
    requests.UNKNOWN_PARAMETERS_HEADER.lower(),
    *requests.TUS_RESPONSE_HEADERS,
)


def content_policy(*, issuer: str) -> dict[str, dict[str, list[str]]]:
    """Return the content policy: everything from this site, nothing inline, no frames.

    Browsers apply `form-action` to redirects after a form as well: signing out leads to the
    provider.
    """
    return {
        "DIRECTIVES": {
            "default-src": [SELF],
            "base-uri": [NONE],
            "form-action": [SELF, policy_source(issuer)],
            "frame-ancestors": [NONE],
            "img-src": [SELF, "data:"],  # the small pictures of Swagger UI's styles
            "object-src": [NONE],
        }
    }


def policy_source(address: str) -> str:
    """Return the source that a content policy must name to allow an address.

    A provider accepts any port of loopback addresses, and programs have schemes of their own.
    """
    parts = urlsplit(address)
    if parts.scheme not in {"http", "https"}:
        return f"{parts.scheme}:"
    if parts.scheme == "http" and _is_loopback(parts.hostname or ""):
        host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
        return f"http://{host}:*"
    return f"{parts.scheme}://{parts.netloc}"


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def allow_forms_to(response: HttpResponseBase, addresses: Iterable[str]) -> None:
    """Allow the forms of a page to lead to these addresses as well."""
    origins = sorted({policy_source(address) for address in addresses})
    response._csp_update = {"form-action": origins}  # type: ignore[attr-defined]


def add_permissions_policy(get_response: Handler) -> Handler:
    """Add the browser features that the site does not use to every response (a middleware)."""

    def respond(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        response.headers.setdefault("Permissions-Policy", FEATURES)
        return response

    return respond
