"""A body that is refused unread: its sender gets the answer, and the connection goes on."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Callable, Iterator
from http.client import HTTPResponse
from urllib.parse import urlsplit

import httpx
import pytest

from tests.flow.conftest import Service
from tests.flow.filer import Filer

MEGABYTE = 1 << 20
SIZES = [70_000, 10 * MEGABYTE]
CHECK = "/v2/public/disclosure/validate/2024"

pytestmark = [pytest.mark.slow, pytest.mark.any_database]


@pytest.fixture(scope="module")
def service(run_service: Callable[..., Service]) -> Service:
    service = run_service(PUBLIC_UPLOAD_LIMIT="5000", UPLOAD_LIMIT="20000")
    service.manage_all(["load_census", "2024", "--demo"], ["open_season", "2024", *service.always])
    return service


@pytest.fixture
def raw(service: Service) -> Iterator[socket.socket]:
    where = urlsplit(service.url)
    assert where.hostname
    with socket.create_connection((where.hostname, where.port or 0), timeout=60) as connection:
        yield connection


def answered(raw: socket.socket, head: list[str], body: bytes) -> tuple[HTTPResponse, bytes]:
    """Send all of a request, then read its answer."""
    raw.sendall("\r\n".join([*head, "", ""]).encode() + body)
    answer = HTTPResponse(raw)
    answer.begin()
    return answer, answer.read()


def goes_on(raw: socket.socket) -> bool:
    """Tell whether the next request on a connection is answered."""
    return answered(raw, ["GET /healthz HTTP/1.1", "Host: localhost"], b"")[0].status == 200


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    ("request_line", "status"),
    [
        ("POST /v2/filing/institutions/A/filings/2024/submissions/1 HTTP/1.1", 401),
        ("POST /v2/nowhere HTTP/1.1", 404),
        ("DELETE /v2/public/disclosure/validate/2024 HTTP/1.1", 405),
        ("POST /v2/public/%00 HTTP/1.1", 400),
    ],
)
def test_whoever_is_refused_reads_why_and_the_connection_goes_on(
    raw: socket.socket, request_line: str, status: int, size: int
) -> None:
    head = [request_line, "Host: localhost", "Authorization: Bearer x", f"Content-Length: {size}"]
    answer, content = answered(raw, head, b"x" * size)
    assert answer.status == status
    assert json.loads(content)["message"]
    assert goes_on(raw)


def test_a_page_that_refuses_says_so_too(raw: socket.socket) -> None:
    head = ["POST /nowhere/ HTTP/1.1", "Host: localhost", f"Content-Length: {SIZES[1]}"]
    answer, content = answered(raw, head, b"x" * SIZES[1])
    assert answer.status == 404
    assert content.strip().endswith(b"</html>")
    assert goes_on(raw)


def test_a_short_body_that_is_not_read_keeps_the_connection(raw: socket.socket) -> None:
    for _ in range(3):
        body = b"x" * 10_000
        head = ["POST /v2/nowhere HTTP/1.1", "Host: localhost", f"Content-Length: {len(body)}"]
        answer, _ = answered(raw, head, body)
        assert (answer.status, answer.headers["Connection"]) == (404, "keep-alive")


@pytest.mark.parametrize("size", [100, 70_000])
def test_a_body_without_its_length_is_refused_and_the_connection_goes_on(
    raw: socket.socket, size: int
) -> None:
    head = [f"POST {CHECK} HTTP/1.1", "Host: localhost", "Transfer-Encoding: chunked"]
    chunks = f"{size:x}\r\n".encode() + b"x" * size + b"\r\n0\r\n\r\n"
    answer, content = answered(raw, head, chunks)
    assert answer.status == 411
    assert "Content-Length" in json.loads(content)["message"]
    assert goes_on(raw)


def test_a_file_that_is_too_large_is_refused_in_words(service: Service) -> None:
    file = {"file": ("lar.txt", b"1|" + b"x" * SIZES[1])}
    answer = httpx.post(f"{service.url}{CHECK}", files=file, timeout=60)
    assert answer.status_code == 413
    assert "is larger than 5000 bytes" in answer.json()["message"]
    with Filer.of(service, "2024") as filer:
        filer.begin()
        for _ in range(2):
            answer = filer.upload(file["file"][1])
            assert answer.status_code == 413
            assert "is larger than 20000 bytes" in answer.json()["message"]
        assert filer.state()["status"]["code"] == 1


def test_whoever_sends_on_without_end_is_given_up(raw: socket.socket) -> None:
    """The answer was there to be read all the time; nobody listens for ever."""
    size = 200 * MEGABYTE
    head = ["POST /v2/nowhere HTTP/1.1", "Host: localhost", f"Content-Length: {size}", "", ""]
    raw.sendall("\r\n".join(head).encode())
    assert raw.recv(1 << 16).startswith(b"HTTP/1.1 404")
    with pytest.raises(OSError):
        raw.sendall(bytes(size))


def test_the_service_answers_others_while_some_do_not_close(service: Service) -> None:
    where = urlsplit(service.url)
    idle = [socket.create_connection((where.hostname, where.port)) for _ in range(8)]
    try:
        for each in idle:
            head = ["POST /v2/nowhere HTTP/1.1", "Host: localhost", "Content-Length: 100000"]
            each.sendall("\r\n".join([*head, "", "x"]).encode())
        until = time.monotonic() + 60
        while httpx.get(f"{service.url}/healthz", timeout=60).status_code != 200:
            assert time.monotonic() < until
        for each in idle:
            each.settimeout(60)
            while each.recv(1 << 16):
                pass
    finally:
        for each in idle:
            each.close()
