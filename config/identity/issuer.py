"""The issuer as a provider to sign in with: its addresses, and how this site talks to it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextvars import copy_context
from dataclasses import dataclass
from functools import cache
from typing import Any

import httpx
from django.conf import settings
from django.core.cache import cache as kept_documents
from django.core.handlers.base import BaseHandler
from django.core.handlers.wsgi import WSGIRequest

from config.identity import calls
from filing import audit

KEPT_SECONDS = 3600
TIMEOUT = 5  # seconds
_NEEDED = ("authorization_endpoint", "token_endpoint")


class Unavailable(Exception):
    """The provider does not answer, or not as an OpenID provider does. The text is for the log."""


@dataclass(frozen=True)
class Provider:
    """What the discovery document of the issuer says; blank where it leaves something out."""

    authorization: str
    token: str
    userinfo: str
    end_session: str
    posts_secret: bool  # takes a client's secret in the form only, and not in the header

    @classmethod
    def described(cls, document: Mapping[str, Any]) -> Provider:
        """Read a discovery document.

        Source: OpenID Connect Discovery 1.0, section 3.
        Raises: ValueError.
        """
        if document.get("issuer") != settings.OIDC_ISSUER:
            raise ValueError(f"it names the issuer {document.get('issuer')!r}")
        methods = document.get("token_endpoint_auth_methods_supported") or ["client_secret_basic"]
        return cls(
            authorization=_address(document, "authorization_endpoint"),
            token=_address(document, "token_endpoint"),
            userinfo=_address(document, "userinfo_endpoint"),
            end_session=_address(document, "end_session_endpoint"),
            posts_secret="client_secret_basic" not in methods,
        )


def provider() -> Provider:
    """Return what is known of the issuer; it is asked once in a while.

    Raises: Unavailable.
    """
    name = f"provider:{settings.OIDC_ISSUER}"
    if (kept := kept_documents.get(name)) is None:
        answer = call("GET", calls.discovery(settings.OIDC_ISSUER))
        try:
            kept = Provider.described(_object(answer.raise_for_status()))
        except (httpx.HTTPError, ValueError) as error:
            raise Unavailable(f"the discovery document is of no use: {error}") from error
        kept_documents.set(name, kept, KEPT_SECONDS)
    return kept


def exchange(form: Mapping[str, str]) -> Mapping[str, Any]:
    """Return the tokens that the provider gives for a code.

    Raises: Unavailable; ValueError, with the provider's word for it, where it gives none.
    """
    there, client = provider(), (settings.OIDC_CLIENT_ID, settings.OIDC_CLIENT_SECRET)
    sent, login = dict(form), None
    if client[1] and there.posts_secret:
        sent["client_secret"] = client[1]
    elif client[1]:
        login = httpx.BasicAuth(*client)
    answer = call("POST", there.token, data=sent, auth=login)
    if answer.status_code >= 500:
        raise Unavailable(f"the token endpoint answers {answer.status_code}")
    tokens = _object(answer)
    if answer.status_code != 200:
        raise ValueError(str(tokens.get("error", answer.status_code))[:100])
    return tokens


def userinfo(access_token: str) -> Mapping[str, Any]:
    """Return what the provider tells of the user of an access token.

    Raises: Unavailable, ValueError.
    """
    header = {"Authorization": f"Bearer {access_token}"}
    answer = call("GET", provider().userinfo, headers=header)
    if answer.status_code != 200:
        raise Unavailable(f"the userinfo endpoint answers {answer.status_code}")
    return _object(answer)


def call(method: str, address: str, **options: Any) -> httpx.Response:
    """Return the provider's answer. The embedded one answers in this process.

    Through the network it would take a second thread of this server for each sign-in, and all
    people would sign in from one and the same address.

    Raises: Unavailable.
    """
    try:
        if not settings.EMBEDDED_PROVIDER:
            return calls.call(method, address, seconds=TIMEOUT, **options)
        # In a context of its own: the inner request must not end what is known of the outer one.
        return copy_context().run(_inside, method, address, **options)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise Unavailable(f"{address}: {error or type(error).__name__}") from error


def _inside(method: str, address: str, **options: Any) -> httpx.Response:
    transport = httpx.WSGITransport(
        _inner_application(), remote_addr=audit.origin().address or "127.0.0.1"
    )
    with httpx.Client(transport=transport) as client:
        return client.request(method, address, **options)


class InnerApplication(BaseHandler):
    """The service, for a request within another one.

    It sends no signals at the beginning and the end: they would close the outer one's database
    connection.
    """

    def __init__(self) -> None:
        super().__init__()
        self.load_middleware()

    def __call__(self, environ: Any, start_response: Any) -> Iterable[bytes]:
        response = self.get_response(WSGIRequest(environ))
        start_response(f"{response.status_code} {response.reason_phrase}", [*response.items()])
        return iter(response)


@cache
def _inner_application() -> InnerApplication:
    return InnerApplication()  # once: it loads the middleware


def _object(answer: httpx.Response) -> Mapping[str, Any]:
    try:
        return calls.json_object(answer)
    except ValueError as error:
        raise Unavailable(str(error)) from error


def _address(document: Mapping[str, Any], name: str) -> str:
    value = document.get(name) or ""
    if not isinstance(value, str) or (name in _NEEDED and not value):
        raise ValueError(f"it has no {name}")
    if value and not value.startswith(("https://", "http://")):
        raise ValueError(f"its {name} is no web address")
    return value
