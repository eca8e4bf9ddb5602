"""A receiver of webhooks: a real server with TLS, whose certificate is of an authority of its own.

What it answers is set by each test; what it received can be read.
"""

from __future__ import annotations

import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat


@dataclass(frozen=True)
class Request:
    """One request as it came in."""

    path: str
    headers: dict[str, str]
    body: bytes


class Handler(BaseHTTPRequestHandler):
    """Answers as the test says."""

    def do_POST(self) -> None:
        server: Any = self.server
        body = self.rfile.read(int(self.headers["Content-Length"]))
        headers = {name.lower(): value for name, value in self.headers.items()}
        server.requests.append(Request(self.path, headers, body))
        server.answer(self)

    def log_message(self, *arguments: Any) -> None:
        """Say nothing."""

    def handle(self) -> None:
        with suppress(OSError):  # the other side has seen enough
            super().handle()


class Receiver(ThreadingHTTPServer):
    """The server. answer: what writes the answer to a request."""

    daemon_threads = True

    def __init__(self, certificate: Path) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.requests: list[Request] = []
        self.answer: Callable[[Any], None] = answering(204)
        self.is_over = threading.Event()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        self.socket = context.wrap_socket(self.socket, server_side=True)

    @property
    def url(self) -> str:
        return f"https://localhost:{self.server_address[1]}/hmda"

    def handle_error(self, *arguments: Any) -> None:
        """Say nothing of callers that give up."""


def answering(status: int, body: bytes = b"", **headers: str) -> Callable[[Any], None]:
    """Return what answers at once."""

    def answer(handler: Any) -> None:
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    return answer


def silent(handler: Any) -> None:
    """Say nothing until the test is over."""
    handler.server.is_over.wait(60)


def dripping(handler: Any) -> None:
    """Send headers without an end, a few bytes at a time: each read gets something."""
    handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
    while not handler.server.is_over.is_set():
        handler.wfile.write(b"X-More: 1\r\n")
        time.sleep(0.05)


def endless(handler: Any) -> None:
    """Send a body without an end."""
    handler.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
    while not handler.server.is_over.is_set():
        handler.wfile.write(b"more " * 1000)


def hanging(handler: Any) -> None:
    """Send a status and the beginning of a body, and then nothing."""
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nthe beginning")
    handler.server.is_over.wait(60)


def closing(handler: Any) -> None:
    """Close the connection without an answer."""
    handler.close_connection = True


def write_certificate(folder: Path, name: str = "localhost") -> tuple[Path, Path]:
    """Write a certificate of an authority of its own; return it with its key, and the authority."""
    authority_key, key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    authority = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "Authority of the test")])
    host = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC)

    def certificate(subject: x509.Name, public: Any, *, is_authority: bool) -> x509.Certificate:
        builder = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(authority)
            .public_key(public)
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - timedelta(days=1))
            .not_valid_after(now + timedelta(days=1))
            .add_extension(x509.BasicConstraints(is_authority, None), critical=True)
        )
        if not is_authority:
            names = x509.SubjectAlternativeName([x509.DNSName(name)])
            builder = builder.add_extension(names, critical=False)
        return builder.sign(authority_key, SHA256())

    own, root = folder / "receiver.pem", folder / "authority.pem"
    own.write_bytes(
        key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        + certificate(host, key.public_key(), is_authority=False).public_bytes(Encoding.PEM)
    )
    issued = certificate(authority, authority_key.public_key(), is_authority=True)
    root.write_bytes(issued.public_bytes(Encoding.PEM))
    return own, root


@contextmanager
def receiving(certificate: Path) -> Iterator[Receiver]:
    """Run a receiver while the block runs."""
    running = Receiver(certificate)
    thread = threading.Thread(target=running.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield running
    finally:
        running.is_over.set()
        running.shutdown()
        thread.join()
        running.server_close()


@pytest.fixture
def receiver(tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Receiver]:
    """A receiver on this machine whose network and authority the site accepts."""
    certificate, authority = write_certificate(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(authority))
    settings.WEBHOOK_NETWORKS = [ip_network("127.0.0.0/8"), ip_network("::1/128")]
    with receiving(certificate) as running:
        yield running
