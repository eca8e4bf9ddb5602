"""What a browser may do with our pages: the content policy and the features they do without."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from ipaddress import ip_address
from urllib.parse import urlsplit

from csp.constants import NONE, SELF
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

FEATURES = (
    "accelerometer=(), camera=(), clipboard-read=(), clipboard-write=(self), display-capture=(), "
    "fullscreen=(self), geolocation=(), gyroscope=(), magnetometer=(), microphone=(), midi=(), "
    "payment=(), publickey-credentials-get=(self), usb=()"
)


def content_policy(*, issuer: str) -> dict[str, dict[str, list[str]]]:
    """Return the policy of every answer: all of it from here, nothing inline, in nobody's frame.

    A browser holds `form-action` also against where a form's answer redirects to: signing out goes
    on to the provider.
    """
    return {
        "DIRECTIVES": {
            "default-src": [SELF],
            "base-uri": [NONE],
            "form-action": [SELF, origin(issuer)],
            "frame-ancestors": [NONE],
            "img-src": [SELF, "data:"],  # the small pictures of Swagger UI's styles
            "object-src": [NONE],
        }
    }


def origin(address: str) -> str:
    """Return whatever a content policy must name so that an address is allowed.

    A provider takes any port of this machine's own addresses, and programs have schemes of theirs.
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
    """Let the forms of a page lead to these addresses, too."""
    origins = sorted({origin(address) for address in addresses})
    response._csp_update = {"form-action": origins}  # type: ignore[attr-defined]


def without_features(
    answer: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Say with every answer which features of the browser the site does without (a middleware)."""

    def respond(request: HttpRequest) -> HttpResponse:
        response = answer(request)
        response.headers.setdefault("Permissions-Policy", FEATURES)
        return response

    return respond
