"""A body that is refused unread: its sender gets the answer, and the connection goes on."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from http.client import HTTPResponse
from urllib.parse import urlsplit

import httpx
import pytest

from tests.flow.conftest import FILE_BYTES, Service, make_caller
from tests.flow.filer import Filer

MEGABYTE = 1 << 20
SIZES = [70_000, 10 * MEGABYTE]
CHECK = "/v2/public/disclosure/validate/2024"

pytestmark = pytest.mark.slow


@pytest.fixture
def raw(limits: Service) -> Iterator[socket.socket]:
    where = urlsplit(limits.url)
    assert where.hostname
    with socket.create_connection((where.hostname, where.port or 0), timeout=60) as connection:
        yield connection


def write_head(request_line: str, *headers: str) -> bytes:
    """Return the head of a request of a caller that nobody else is."""
    caller = [f"{name}: {value}" for name, value in make_caller().items()]
    lines = [f"{request_line} HTTP/1.1", "Host: localhost", *caller, *headers]
    return "\r\n".join([*lines, "", ""]).encode()


def ask(raw: socket.socket, head: bytes, body: bytes = b"") -> tuple[HTTPResponse, bytes]:
    """Send all of a request, then read its answer."""
    raw.sendall(head + body)
    answer = HTTPResponse(raw)
    answer.begin()
    return answer, answer.read()


def goes_on(raw: socket.socket) -> bool:
    """Tell whether the next request on a connection is answered."""
    return ask(raw, write_head("GET /healthz"))[0].status == 200


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    ("request_line", "status"),
    [
        ("POST /v2/filing/institutions/A/filings/2024/submissions/1", 401),
        ("POST /v2/nowhere", 404),
        ("DELETE /v2/public/disclosure/validate/2024", 405),
        ("POST /v2/public/%00", 400),
    ],
)
def test_whoever_is_refused_reads_why_and_the_connection_goes_on(
    raw: socket.socket, request_line: str, status: int, size: int
) -> None:
    head = write_head(request_line, "Authorization: Bearer x", f"Content-Length: {size}")
    answer, content = ask(raw, head, b"x" * size)
    assert answer.status == status
    assert json.loads(content)["message"]
    assert goes_on(raw)


def test_a_page_that_refuses_says_so_too(raw: socket.socket) -> None:
    head = write_head("POST /nowhere/", f"Content-Length: {SIZES[1]}")
    answer, content = ask(raw, head, b"x" * SIZES[1])
    assert answer.status == 404
    assert content.strip().endswith(b"</html>")
    assert goes_on(raw)


def test_a_short_body_that_is_not_read_keeps_the_connection(raw: socket.socket) -> None:
    for _ in range(3):
        head = write_head("POST /v2/nowhere", "Content-Length: 10000")
        answer, _ = ask(raw, head, b"x" * 10_000)
        assert (answer.status, answer.headers["Connection"]) == (404, "keep-alive")


@pytest.mark.parametrize("size", [100, 70_000])
def test_a_body_without_its_length_is_refused_and_the_connection_goes_on(
    raw: socket.socket, size: int
) -> None:
    chunks = f"{size:x}\r\n".encode() + b"x" * size + b"\r\n0\r\n\r\n"
    answer, content = ask(raw, write_head(f"POST {CHECK}", "Transfer-Encoding: chunked"), chunks)
    assert answer.status == 411
    assert "Content-Length" in json.loads(content)["message"]
    assert goes_on(raw)


def test_a_file_that_is_too_large_is_refused_in_words(limits: Service) -> None:
    file = {"file": ("lar.txt", b"1|" + b"x" * SIZES[1])}
    answer = httpx.post(f"{limits.url}{CHECK}", files=file, headers=make_caller(), timeout=60)
    assert answer.status_code == 413
    assert f"is larger than {FILE_BYTES} bytes" in answer.json()["message"]
    with Filer.of(limits, "2024") as filer:
        filer.begin()
        for _ in range(2):
            answer = filer.upload(file["file"][1])
            assert answer.status_code == 413
            assert f"is larger than {FILE_BYTES} bytes" in answer.json()["message"]
        assert filer.state()["status"]["code"] == 1


def test_whoever_sends_on_without_end_is_given_up(raw: socket.socket) -> None:
    """The answer was there to be read all the time; nobody listens for ever."""
    size = 200 * MEGABYTE
    raw.sendall(write_head("POST /v2/nowhere", f"Content-Length: {size}"))
    assert raw.recv(1 << 16).startswith(b"HTTP/1.1 404")
    with pytest.raises(OSError):
        raw.sendall(bytes(size))


def test_the_service_answers_others_while_some_do_not_close(limits: Service) -> None:
    where = urlsplit(limits.url)
    idle = [socket.create_connection((where.hostname, where.port)) for _ in range(8)]
    try:
        for each in idle:
            each.sendall(write_head("POST /v2/nowhere", "Content-Length: 100000") + b"x")
        until = time.monotonic() + 60
        while httpx.get(f"{limits.url}/healthz", timeout=60).status_code != 200:
            assert time.monotonic() < until
        for each in idle:
            each.settimeout(60)
            while each.recv(1 << 16):
                pass
    finally:
        for each in idle:
            each.close()
