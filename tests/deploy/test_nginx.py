"""The shipped configuration of nginx: nginx accepts it, and its errors are those of the service.

Only the lines marked `yours` are replaced, by `bench/proxy.py`.
"""

from __future__ import annotations

import json
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from django.test import RequestFactory

from bench.proxy import HOST, SHIPPED, Proxy
from config.errors.handlers import API_AREAS, error_body, find_api_area
from config.requests.refusals import PLAIN_HTTP_REFUSAL
from config.running.supervisor import free_port

pytestmark = pytest.mark.slow

PAGES = ("/", "/filing/", "/admin/", "/tools/check-digit/", "/realms/hmda2/login/", "/v2x/")
TOO_LARGE = 3_000_000_000


@pytest.fixture(scope="module")
def proxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxy]:
    """A proxy whose service does not run."""
    with Proxy(tmp_path_factory.mktemp("proxy"), free_port()) as proxy:
        yield proxy


@pytest.fixture
def client(proxy: Proxy) -> Iterator[httpx.Client]:
    with proxy.client() as client:
        yield client


def test_nginx_accepts_the_shipped_configuration(tmp_path: Path) -> None:
    proxy = Proxy(tmp_path, 8000)
    proxy.prepare()
    check = subprocess.run([*proxy.command, "-t"], capture_output=True, text=True, check=False)
    assert check.returncode == 0, check.stderr
    assert "warn" not in check.stderr


@pytest.mark.parametrize("start", [area.start for area in API_AREAS])
@pytest.mark.parametrize("rest", ["", "/some/thing-1.csv", "/a%22b"])
def test_an_api_gets_the_error_in_the_form_of_its_area(
    client: httpx.Client, start: str, rest: str
) -> None:
    answer = client.get(start + rest)
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "30")
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.headers["Cache-Control"] == "no-store"
    error = answer.json()
    expected = error_body(RequestFactory().get(start + rest), 503, error.get("message", ""))
    if "error_description" in expected:
        expected["error_description"] = error["error_description"]
    if '"' in expected.get("path", ""):
        expected["path"] = ""  # a path with strange characters is left out
    assert error == {**expected, "requestId": error["requestId"]}
    assert error["requestId"]


@pytest.mark.parametrize("path", PAGES)
def test_a_page_says_what_to_do_and_when_to_try_again(client: httpx.Client, path: str) -> None:
    assert find_api_area(path) is None
    answer = client.get(path)
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "30")
    assert answer.headers["Content-Type"] == "text/html"
    assert "<h1>This page is not available at the moment</h1>" in answer.text
    assert "Try again in 30 seconds." in answer.text


def sent(proxy: Proxy, head: str) -> str:
    """Return the answer to a request of which no body is sent, with all its pieces."""
    with (
        socket.create_connection((HOST, proxy.port), timeout=20) as plain,
        proxy.context.wrap_socket(plain, server_hostname="localhost") as line,
    ):
        line.sendall(f"{head}\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
        answer = b""
        while b"\r\n\r\n" not in answer or not answer.split(b"\r\n\r\n", 1)[1]:
            piece = line.recv(65536)
            assert piece, answer
            answer += piece
    return answer.decode()


def announced(proxy: Proxy, path: str, length: int) -> tuple[int, str]:
    """Return status and body of the answer to a request that only announces a body."""
    answer = sent(proxy, f"POST {path} HTTP/1.1\r\nContent-Length: {length}")
    first, _, rest = answer.partition("\r\n\r\n")
    return int(first.split()[1]), rest


def test_what_is_too_large_for_any_limit_is_refused_before_it_is_sent(proxy: Proxy) -> None:
    path = "/v2/filing/institutions/x/filings/2024/submissions/1"
    status, rest = announced(proxy, path, TOO_LARGE)
    assert status == 413
    error = json.loads(rest)
    assert (error["httpStatus"], error["path"]) == (413, path.removeprefix("/v2/filing"))
    status, rest = announced(proxy, "/tools/file-check/", TOO_LARGE)
    assert status == 413
    assert "<h1>The file is too large</h1>" in rest


@pytest.mark.parametrize("path", ["/v2/filing/a", "/v2/data-browser-api/a", "/realms/a", "/help/"])
@pytest.mark.parametrize(
    ("status", "rest"),
    [
        (414, f"?q={'x' * 40_000} HTTP/1.1"),
        (431, f" HTTP/1.1\r\nX-Long: {'x' * 40_000}"),
        (400, " HTTP/1.1\r\nContent-Length: -1"),
        (501, " HTTP/1.1\r\nTransfer-Encoding: none"),
        (505, " HTTP/3.0"),
    ],
)
def test_what_nginx_cannot_read_is_refused_in_the_form_of_its_address(
    proxy: Proxy, path: str, status: int, rest: str
) -> None:
    first, _, body = sent(proxy, f"GET {path}{rest}").partition("\r\n\r\n")
    assert int(first.split()[1]) == status
    if path == "/help/":
        assert "Content-Type: text/html" in first
        assert "<h1>This request could not be read</h1>" in body
        return
    error = json.loads(body)
    expected = error_body(RequestFactory().get(path), status, "")
    if message := {"message", "error_description"} & expected.keys():
        expected |= {name: error[name] for name in message}
    assert error == {**expected, "requestId": error["requestId"]}
    assert error["requestId"]


@pytest.mark.parametrize(
    ("setting", "megabytes"), [("UPLOAD_LIMIT", 2100), ("PUBLIC_UPLOAD_LIMIT", 64)]
)
def test_what_the_service_takes_is_not_refused_for_its_size(
    settings: Any, setting: str, megabytes: int
) -> None:
    assert f"client_max_body_size {megabytes}m;" in SHIPPED.read_text()
    assert getattr(settings, setting) + (1 << 20) < megabytes << 20


def test_pages_are_sent_to_https(proxy: Proxy) -> None:
    answer = httpx.get(f"http://{HOST}:{proxy.plain_port}/filing/?a=b", trust_env=False)
    assert answer.status_code == 308
    assert answer.headers["Location"] == "https://localhost/filing/?a=b"


def test_calls_without_tls_are_refused_as_the_service_does(proxy: Proxy) -> None:
    path = "/v2/filing/institutions/x/filings/2024"
    answer = httpx.get(f"http://{HOST}:{proxy.plain_port}{path}", trust_env=False)
    assert answer.status_code == 403
    error = answer.json()
    expected = error_body(RequestFactory().get(path), 403, PLAIN_HTTP_REFUSAL)
    assert error == {**expected, "requestId": error["requestId"]}


@pytest.mark.parametrize(
    "path", ["/metrics", "/metrics/", "//metrics", "/%6detrics", "/x/../metrics", "/metrics?a"]
)
def test_metrics_are_hidden(proxy: Proxy, path: str) -> None:
    assert sent(proxy, f"GET {path} HTTP/1.1").startswith("HTTP/1.1 404")


def test_stored_files_cannot_be_asked_for(client: httpx.Client) -> None:
    assert client.get("/stored-files/submissions/x").status_code == 404


def test_http_2_and_tls_of_today(proxy: Proxy) -> None:
    context = proxy.context
    context.set_alpn_protocols(["h2", "http/1.1"])
    with (
        socket.create_connection((HOST, proxy.port), timeout=20) as plain,
        context.wrap_socket(plain, server_hostname="localhost") as line,
    ):
        assert line.selected_alpn_protocol() == "h2"
        assert line.version() == "TLSv1.3"


def test_the_log_has_no_queries(proxy: Proxy, client: httpx.Client) -> None:
    client.get("/v2/filing/x?code=secret-code")
    last = json.loads(proxy.access_log.read_text().splitlines()[-1])
    assert (last["path"], last["status"], last["address"]) == ("/v2/filing/x", "503", HOST)
    assert "secret-code" not in proxy.access_log.read_text()
