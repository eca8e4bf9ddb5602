"""An external identity provider, and a browser that signs in at it."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import parse_qs, parse_qsl, urlsplit

from django.test import Client

from filing.models import AuditEvent, TrailEntry

if TYPE_CHECKING:  # it imports this module
    from tests.config.identity.conftest import Issuer

LEI, OTHER_LEI, THIRD_LEI = (f"529900EXAMPLELEI000{number}" for number in (1, 2, 3))
SUBJECT = "8f1c0a52-0000-4000-8000-000000000001"
SomeSite = TypeVar("SomeSite", bound="Site")


class Site(ThreadingHTTPServer):
    """Answers the documents it holds, and remembers what it was asked for."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answer)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.documents: dict[str, Any] = {}
        self.calls: list[str] = []
        self.status = 200
        self.delay = 0.0

    def document_status(self) -> int:
        return self.status

    def document(self, path: str) -> Any:
        return self.documents.get(path)


@contextmanager
def serving(server: SomeSite) -> Iterator[SomeSite]:
    """Let a server answer while the block runs."""
    with server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


class Provider(Site):
    """An OpenID provider whose answers a test can bend. status: of those with tokens."""

    def __init__(self, issuer: Issuer) -> None:
        super().__init__()
        self.issuer = issuer
        self.forms: list[dict[str, str]] = []
        self.nonce = ""
        self.id_token: dict[str, Any] = {}  # changes to its claims
        self.access_token: dict[str, Any] | str = {}
        self.bend: Callable[[dict[str, Any]], dict[str, Any]] = lambda tokens: tokens
        self.discovery: dict[str, Any] = {}
        self.userinfo: dict[str, Any] = {}
        self.sign: dict[str, Any] = {}

    def document_status(self) -> int:
        return 200

    def document(self, path: str) -> Any:
        return {
            "/.well-known/openid-configuration": {
                "issuer": self.url,
                "authorization_endpoint": f"{self.url}/auth",
                "token_endpoint": f"{self.url}/token",
                "userinfo_endpoint": f"{self.url}/userinfo",
                "end_session_endpoint": f"{self.url}/logout",
                "jwks_uri": f"{self.url}/certs",
                **self.discovery,
            },
            "/certs": self.issuer.jwks,
            "/userinfo": self.userinfo,
        }.get(path)

    def tokens(self) -> dict[str, Any]:
        access = self.access_token
        if isinstance(access, dict):
            access = self.issuer.token(**{"iss": self.url, **access})
        claims = {"iss": self.url, "aud": "hmda2-api", "nonce": self.nonce, "typ": "ID"}
        claims |= {"scope": ..., "email_verified": True, "given_name": "Ann"}
        claims |= {"family_name": "Example", **self.id_token}
        id_token = self.issuer.token(**self.sign, **claims)
        return self.bend({"access_token": access, "id_token": id_token, "token_type": "Bearer"})


class Answer(BaseHTTPRequestHandler):
    server: Any

    def do_GET(self) -> None:
        self.server.calls.append(self.path)
        time.sleep(self.server.delay)
        self._say(self.server.document_status(), self.server.document(self.path))

    def do_POST(self) -> None:
        self.server.calls.append(self.path)
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self.server.forms.append(
            {**dict(parse_qsl(body)), "authorization": self.headers.get("Authorization", "")}
        )
        self._say(self.server.status, self.server.tokens())

    def _say(self, status: int, document: Any) -> None:
        body = document if isinstance(document, bytes) else json.dumps(document).encode()
        self.send_response(status if document is not None else 404)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: Any) -> None:
        pass


def begin(
    browser: Client, provider: Provider, onward: str = "/help/", **more: str
) -> dict[str, str]:
    answer = browser.get("/sign-in/", {"next": onward, **more})
    assert answer.status_code == 302, answer.text
    parts = urlsplit(answer["Location"])
    assert f"{parts.scheme}://{parts.netloc}{parts.path}" == f"{provider.url}/auth"
    parameters = {name: values[0] for name, values in parse_qs(parts.query).items()}
    provider.nonce = parameters["nonce"]
    return parameters


def come_back(browser: Client, provider: Provider, onward: str = "/help/", **changes: str) -> Any:
    """Sign in at the provider, and return what comes next."""
    parameters = begin(browser, provider, onward)
    return browser.get("/sign-in/done", {"code": "c-1", "state": parameters["state"], **changes})


def come_back_with(browser: Client, provider: Provider, **claims: Any) -> Any:
    """Sign in with an access token that has these claims; the ID token names no institution."""
    provider.access_token, provider.id_token = claims, {"lei": ...}
    return come_back(browser, provider)


def is_signed_in(browser: Client) -> bool:
    return browser.get("/filing/profile/").status_code == 200


def refusals() -> list[str]:
    entries = TrailEntry.objects.filter(event=AuditEvent.SIGN_IN_REFUSED).order_by("id")
    return [entry.reason for entry in entries]
