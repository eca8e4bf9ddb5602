"""HTTP calls to an identity provider, for its keys and for sign-ins."""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from functools import cache
from typing import Any

import httpx

CONNECT_SECONDS = 2


def call(method: str, address: str, *, seconds: float, **options: Any) -> httpx.Response:
    """Return the issuer's answer, whatever its status. seconds: how long to wait for it.

    Raises: httpx.HTTPError, httpx.InvalidURL.
    """
    timeout = httpx.Timeout(seconds, connect=CONNECT_SECONDS)
    with httpx.Client(timeout=timeout, verify=_certificates()) as client:
        return client.request(method, address, **options)


@cache
def _certificates() -> ssl.SSLContext:
    """Return the trusted certificates, read once: reading them takes longer than most calls."""
    return httpx.create_ssl_context()


def discovery(issuer: str) -> str:
    """Return the address of a discovery document. Source: OpenID Connect Discovery 1.0."""
    return f"{issuer}/.well-known/openid-configuration"


def json_object(answer: httpx.Response) -> Mapping[str, Any]:
    """Return the JSON object of an answer.

    Raises: ValueError if it has none.
    """
    try:
        document = answer.json()
    except ValueError as error:
        raise ValueError(f"{answer.url} answers with no JSON") from error
    if not isinstance(document, dict):
        raise ValueError(f"{answer.url} answers with no JSON object")
    return document
