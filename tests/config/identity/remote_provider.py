"""An external identity provider, and a browser that signs in at it."""

from __future__ import annotations

import json
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, parse_qsl, urlsplit

from django.test import Client

from filing.models import AuditEvent, TrailEntry

if TYPE_CHECKING:  # it imports this module
    from tests.config.identity.conftest import Issuer

LEI, OTHER_LEI, THIRD_LEI = (f"529900EXAMPLELEI000{number}" for number in (1, 2, 3))
SUBJECT = "8f1c0a52-0000-4000-8000-000000000001"


class Provider(ThreadingHTTPServer):
    """An OpenID provider whose answers a test can bend. It remembers what it was asked."""

    daemon_threads = True

    def __init__(self, issuer: Issuer) -> None:
        super().__init__(("127.0.0.1", 0), Answer)
        self.issuer = issuer
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.calls: list[str] = []
        self.forms: list[dict[str, str]] = []
        self.nonce = ""
        self.id_token: dict[str, Any] = {}  # changes to its claims
        self.access_token: dict[str, Any] | str = {}
        self.bend: Callable[[dict[str, Any]], dict[str, Any]] = lambda tokens: tokens
        self.status = 200
        self.discovery: dict[str, Any] = {}
        self.userinfo: dict[str, Any] = {}
        self.sign: dict[str, Any] = {}

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
    server: Provider

    def do_GET(self) -> None:
        self.server.calls.append(self.path)
        self._say(200, self.server.document(self.path))

    def do_POST(self) -> None:
        self.server.calls.append(self.path)
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self.server.forms.append(
            {**dict(parse_qsl(body)), "authorization": self.headers.get("Authorization", "")}
        )
        self._say(self.server.status, self.server.tokens())

    def _say(self, status: int, document: Any) -> None:
        body = json.dumps(document).encode()
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


def come_back(browser: Client, provider: Provider, **changes: str) -> Any:
    parameters = begin(browser, provider)
    return browser.get("/sign-in/done", {"code": "c-1", "state": parameters["state"], **changes})


def is_signed_in(browser: Client) -> bool:
    return browser.get("/filing/profile/").status_code == 200


def refusals() -> list[str]:
    entries = TrailEntry.objects.filter(event=AuditEvent.SIGN_IN_REFUSED).order_by("id")
    return [entry.reason for entry in entries]
