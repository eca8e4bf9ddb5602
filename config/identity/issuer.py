"""The identity provider: its addresses, and HTTP calls to it, for its keys and for sign-ins."""

from __future__ import annotations

import ssl
from collections.abc import Iterable, Mapping
from contextvars import copy_context
from dataclasses import dataclass
from functools import cache
from typing import Any

import httpx
from django.conf import settings
from django.core.cache import cache as documents
from django.core.handlers.base import BaseHandler
from django.core.handlers.wsgi import WSGIRequest

from filing import audit

KEPT_SECONDS = 3600
CALL_TIMEOUT = 5  # seconds
CONNECT_SECONDS = 2
_NEEDED = ("authorization_endpoint", "token_endpoint")


class IssuerUnavailable(Exception):
    """The provider does not answer, or not as an OpenID provider does. The text is for the log."""


@dataclass(frozen=True)
class IssuerAddresses:
    """The discovery document of the issuer; blank where it leaves something out."""

    authorization: str
    token: str
    userinfo: str
    end_session: str
    posts_secret: bool  # takes the client's secret only in the form, not in the header

    @classmethod
    def described(cls, document: Mapping[str, Any]) -> IssuerAddresses:
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


def find_issuer_addresses() -> IssuerAddresses:
    """Return the addresses of the issuer, fetched again after a while.

    Raises: IssuerUnavailable.
    """
    name = f"provider:{settings.OIDC_ISSUER}"
    if document := documents.get(name):
        return IssuerAddresses.described(document)
    answer = call_issuer("GET", discovery_address(settings.OIDC_ISSUER))
    try:
        document = _object(answer.raise_for_status())
        provider = IssuerAddresses.described(document)
    except (httpx.HTTPError, ValueError) as error:
        raise IssuerUnavailable(f"the discovery document cannot be used: {error}") from error
    documents.set(name, document, KEPT_SECONDS)
    return provider


def exchange_code(form: Mapping[str, str]) -> Mapping[str, Any]:
    """Return the tokens that the provider issues for a code.

    Raises: IssuerUnavailable; ValueError with the provider's error if it refuses.
    """
    addresses, secret = find_issuer_addresses(), settings.OIDC_CLIENT_SECRET
    data, credentials = dict(form), None
    if secret and addresses.posts_secret:
        data["client_secret"] = secret
    elif secret:
        credentials = httpx.BasicAuth(settings.OIDC_CLIENT_ID, secret)
    answer = call_issuer("POST", addresses.token, data=data, auth=credentials)
    if answer.status_code >= 500:
        raise IssuerUnavailable(f"the token endpoint answers {answer.status_code}")
    tokens = _object(answer)
    if answer.status_code != 200:
        raise ValueError(str(tokens.get("error", answer.status_code))[:100])
    return tokens


def fetch_userinfo(access_token: str) -> Mapping[str, Any]:
    """Return the provider's claims about the user of an access token.

    Raises: IssuerUnavailable, ValueError.
    """
    header = {"Authorization": f"Bearer {access_token}"}
    answer = call_issuer("GET", find_issuer_addresses().userinfo, headers=header)
    if answer.status_code != 200:
        raise IssuerUnavailable(f"the userinfo endpoint answers {answer.status_code}")
    return _object(answer)


def call_issuer(method: str, address: str, **options: Any) -> httpx.Response:
    """Return the provider's answer. The embedded provider answers in this process.

    Over the network, each sign-in would take a second thread of this server, and all users would
    sign in from the same address.

    Raises: IssuerUnavailable.
    """
    try:
        if not settings.EMBEDDED_PROVIDER:
            return send_provider_request(method, address, seconds=CALL_TIMEOUT, **options)
        # In a separate context: the inner request must not clear that of the outer one.
        return copy_context().run(_call_inside, method, address, **options)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise IssuerUnavailable(f"{address}: {error or type(error).__name__}") from error


def _call_inside(method: str, address: str, **options: Any) -> httpx.Response:
    transport = httpx.WSGITransport(
        _inner_application(), remote_addr=audit.current_origin().address or "127.0.0.1"
    )
    with httpx.Client(transport=transport) as client:
        return client.request(method, address, **options)


class InnerApplication(BaseHandler):
    """The service, for a request within another one.

    It sends no signals at the start and end, which would close the database connection of the outer
    request.
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
    return InnerApplication()  # once, since it loads the middleware


def send_provider_request(
    method: str, address: str, *, seconds: float, **options: Any
) -> httpx.Response:
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


def discovery_address(issuer: str) -> str:
    """Return the address of a discovery document. Source: OpenID Connect Discovery 1.0."""
    return f"{issuer}/.well-known/openid-configuration"


def read_json_object(answer: httpx.Response) -> Mapping[str, Any]:
    """Return the JSON object of an answer. Raises: ValueError if it has none."""
    try:
        document = answer.json()
    except ValueError as error:
        raise ValueError(f"{answer.url} answers with no JSON") from error
    if not isinstance(document, dict):
        raise ValueError(f"{answer.url} answers with no JSON object")
    return document


def _object(answer: httpx.Response) -> Mapping[str, Any]:
    try:
        return read_json_object(answer)
    except ValueError as error:
        raise IssuerUnavailable(str(error)) from error


def _address(document: Mapping[str, Any], name: str) -> str:
    value = document.get(name) or ""
    if not isinstance(value, str) or (name in _NEEDED and not value):
        raise ValueError(f"it has no {name}")
    if value and not value.startswith(("https://", "http://")):
        raise ValueError(f"its {name} is not a web address")
    return value
