"""Proxy, mail server and identity provider, real ones on this machine."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from time import time
from typing import Any

import pytest

from config.doctor import outside
from config.running.supervisor import free_port
from tests.config.doctor.messages import problems, texts

SMTP = "django.core.mail.backends.smtp.EmailBackend"
KEY = {
    "kty": "EC",
    "crv": "P-256",
    "kid": "1",
    "x": "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",
    "y": "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM",
}


@contextmanager
def a_mail_server(greeting: bytes) -> Iterator[tuple[int, list[bytes]]]:
    """Yield the port of a server that takes one connection, and what it was sent."""
    sent: list[bytes] = []

    def serve() -> None:
        connection, _ = listener.accept()
        with connection, connection.makefile("rb") as lines:
            connection.sendall(greeting)
            is_content = False
            for line in lines:
                sent.append(line)
                if is_content:
                    is_content = line != b".\r\n"
                    answer = b"" if is_content else b"250 taken\r\n"
                elif line.upper().startswith(b"DATA"):
                    is_content, answer = True, b"354 go on\r\n"
                else:
                    answer = b"250 fine\r\n"
                connection.sendall(answer)
                if line.upper().startswith(b"QUIT"):
                    return

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield listener.getsockname()[1], sent
        thread.join(10)


@pytest.fixture
def mail(settings: Any) -> Any:
    settings.EMAIL_BACKEND, settings.EMAIL_HOST = SMTP, "127.0.0.1"
    settings.EMAIL_USE_TLS = settings.EMAIL_USE_SSL = False
    settings.EMAIL_HOST_USER = settings.EMAIL_HOST_PASSWORD = ""
    return settings


def test_a_mail_server_that_greets_is_fine_and_gets_no_message(mail: Any) -> None:
    with a_mail_server(b"220 here\r\n") as (mail.EMAIL_PORT, sent):
        assert problems(outside.check_mail_server) == []
    assert not [line for line in sent if line.upper().startswith(b"MAIL")]


def test_a_test_message_is_sent_on_request(mail: Any) -> None:
    with a_mail_server(b"220 here\r\n") as (mail.EMAIL_PORT, sent):
        assert "A test message to op@site.example was accepted." in texts(
            outside.check_mail_server, email_to="op@site.example"
        )
    assert b"To: op@site.example\r\n" in sent


def test_a_mail_server_that_is_away_or_refuses_is_an_error(mail: Any) -> None:
    mail.EMAIL_PORT = free_port()
    assert problems(outside.check_mail_server) == ["error email.away"]
    assert texts(outside.check_mail_server).endswith(": Connection refused")


def test_a_program_that_is_no_mail_server_is_an_error(mail: Any) -> None:
    with a_mail_server(b"554 go away\r\n") as (mail.EMAIL_PORT, _):
        assert problems(outside.check_mail_server) == ["error email.away"]


@contextmanager
def a_provider(
    *, issuer: str = "", ahead: float = 0, keys: list[dict[str, str]] | None = None
) -> Iterator[str]:
    """Yield the address of a provider. ahead: seconds of its clock."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            document: dict[str, Any] = {
                "issuer": issuer or own,
                "authorization_endpoint": f"{own}/auth",
                "token_endpoint": f"{own}/token",
                "jwks_uri": f"{own}/certs",
            }
            if self.path == "/certs":
                document = {"keys": [KEY] if keys is None else keys}
            content = json.dumps(document).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def date_time_string(self, timestamp: float | None = None) -> str:
            return formatdate(time() + ahead, usegmt=True)

        def log_message(self, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    own = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield own
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.mark.parametrize(
    ("provider", "fault"),
    [
        ({}, ""),
        ({"issuer": "https://other.example"}, "error identity.document"),
        ({"keys": []}, "error identity.keys"),
        ({"ahead": 300}, "error clock.differs"),
    ],
)
def test_the_provider_is_looked_at(settings: Any, provider: dict[str, Any], fault: str) -> None:
    with a_provider(**provider) as settings.OIDC_ISSUER:
        settings.EMBEDDED_PROVIDER, settings.OIDC_JWKS_URL = False, ""
        assert problems(outside.check_identity_provider) == [fault] * bool(fault)


def test_a_provider_that_is_away_is_an_error(settings: Any) -> None:
    settings.EMBEDDED_PROVIDER = False
    settings.OIDC_ISSUER = f"http://127.0.0.1:{free_port()}/realms/hmda2"
    assert problems(outside.check_identity_provider) == ["error identity.document"]
    assert "Connection refused" in texts(outside.check_identity_provider)


def test_a_site_that_is_not_reached_through_its_proxy_is_an_error(settings: Any) -> None:
    settings.SECURE, settings.PUBLIC_URL = True, f"https://localhost:{free_port()}"
    assert problems(outside.check_proxy) == ["error proxy.away"]
