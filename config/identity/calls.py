"""Calls to an issuer over the network, for its keys as for a sign-in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import httpx

CONNECT_SECONDS = 2


def call(method: str, address: str, *, seconds: float, **options: Any) -> httpx.Response:
    """Return the issuer's answer, whatever its status. seconds: how long to wait for it.

    Raises: httpx.HTTPError, httpx.InvalidURL.
    """
    with httpx.Client(timeout=httpx.Timeout(seconds, connect=CONNECT_SECONDS)) as client:
        return client.request(method, address, **options)


def discovery(issuer: str) -> str:
    """Return the address of an issuer's description. Source: OpenID Connect Discovery 1.0."""
    return f"{issuer}/.well-known/openid-configuration"


def json_object(answer: httpx.Response) -> Mapping[str, Any]:
    """Return what an answer says.

    Raises: ValueError where that is no JSON object.
    """
    try:
        document = answer.json()
    except ValueError as error:
        raise ValueError(f"{answer.url} answers with no JSON") from error
    if not isinstance(document, dict):
        raise ValueError(f"{answer.url} answers with no JSON object")
    return document
