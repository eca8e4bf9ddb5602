"""A whole service behind nginx with the shipped configuration, as its callers see it."""

from __future__ import annotations

import hashlib
import json
import re
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPResponse
from typing import Any

import httpx
import pytest

from bench.proxy import HOST, Proxy
from config.running.supervisor import free_port
from tests.flow.conftest import Service
from tests.flow.filer import Filer, lar
from tests.flow.person import Person
from tests.flow.processes import wait_until

pytestmark = pytest.mark.slow

# The site is https, and so a production site, but for these.
NO_PRODUCTION = "; ".join(
    f"service.{check}: a test" for check in ("E001", "E002", "E006", "E017", "E021")
)
MEGABYTE = 1 << 20
ID = re.compile(r"[2-9B-Z]{4}(-[2-9B-Z]{4}){2}")
PUBLIC = "/v2/public/publications/2024"
CHECK = "/v2/public/disclosure/parse"
# What differs between two answers, or belongs to one connection.
OF_THE_HOP = {
    *("connection", "content-length", "date", "expires", "server", "transfer-encoding"),
}
OF_THE_ANSWER = {"ratelimit", "x-accel-redirect", "x-request-id"}


@pytest.fixture(scope="module")
def behind(
    run_service: Callable[..., Service], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Service, Proxy]]:
    """A service whose stored files nginx sends, and the proxy; the last test ends the service."""
    port = free_port()
    service = run_service(
        seasons=["2024"],
        PUBLIC_URL=f"https://{HOST}:{port}",
        SILENCED_CHECKS=NO_PRODUCTION,
        TRUSTED_PROXIES=HOST,
        DOWNLOADS="x-accel-redirect",
        METRICS_ADDRESSES=HOST,
        LOG_FORMAT="json",
        LIMIT_PUBLIC="1000/s:1000",
        UPLOAD_LIMIT=str(30 * MEGABYTE),
        PUBLIC_UPLOAD_LIMIT=str(2 * MEGABYTE),
    )
    folder = tmp_path_factory.mktemp("proxy")
    files = service.data_dir / "files"
    with Proxy(folder, service.stack.address[1], port=port, files=files) as proxy:
        yield service, proxy


@pytest.fixture(scope="module")
def proxied(behind: tuple[Service, Proxy]) -> Service:
    return behind[0]


@pytest.fixture(scope="module")
def proxy(behind: tuple[Service, Proxy]) -> Proxy:
    return behind[1]


@pytest.fixture
def client(proxy: Proxy) -> Iterator[httpx.Client]:
    with proxy.client(headers={"Origin": proxy.url}) as client:
        yield client


@contextmanager
def filer_of(service: Service, proxy: Proxy) -> Iterator[Filer]:
    """A program that files through the proxy."""
    lei = service.lei()
    headers = {"Authorization": f"Bearer {service.tokens[lei]}"}
    with proxy.client(headers=headers) as client:
        client.base_url = httpx.URL(f"{proxy.url}/v2/filing")
        yield Filer(service, lei, "2024", client)


def lines(service: Service, path: str) -> list[dict[str, Any]]:
    """Return what the service has logged of the requests to an address."""
    logged = service.logged()
    return [line for line in logged if line.get("path") == path and "status" in line]


def direct(service: Service, path: str, **headers: str) -> httpx.Response:
    """Return the answer of the service to what the proxy would pass on."""
    passed = {"X-Forwarded-For": "192.0.2.9", "X-Forwarded-Proto": "https", **headers}
    return httpx.get(service.url + path, headers=passed, trust_env=False, timeout=60)


def has_headers_of(answer: httpx.Response, own: httpx.Response) -> None:
    """Require all headers of the service's own answer in the one that the proxy has sent."""
    assert "X-Accel-Redirect" in own.headers
    assert "X-Accel-Redirect" not in answer.headers
    differ = {
        name: (value, answer.headers.get_list(name))
        for name, value in own.headers.items()
        if name not in OF_THE_HOP | OF_THE_ANSWER and answer.headers.get_list(name) != [value]
    }
    assert differ == {}
    assert ID.fullmatch(answer.headers["X-Request-ID"])
    assert ("RateLimit" in answer.headers) == ("RateLimit" in own.headers)


def test_a_filing_goes_all_the_way_and_events_arrive_at_once(
    proxied: Service, proxy: Proxy
) -> None:
    with filer_of(proxied, proxy) as filer:
        filer.begin()
        events: list[tuple[float, int]] = []

        def follow() -> None:
            address = filer.path("/submissions/1/progress")
            with filer.client.stream("GET", address) as answer:
                assert answer.status_code == 200
                for line in answer.iter_lines():
                    if line.startswith("data: "):
                        code = json.loads(line.removeprefix("data: "))["status"]["code"]
                        events.append((time.monotonic(), code))

        follower = threading.Thread(target=follow)
        follower.start()
        # The state before the upload comes, although the answer goes on.
        wait_until(lambda: events, "the first event")
        assert [code for _, code in events] == [1]
        answer = filer.upload(lar(filer, rows=300))
        assert answer.status_code == 202, answer.text
        assert filer.rest()["status"]["code"] == 14
        follower.join(30)
        assert events[-1][1] == 14
        assert len(events) >= 2  # as many as the looks at the submission have seen
        assert filer.sign().status_code == 200


def test_the_service_knows_the_caller_and_names_the_request(
    proxied: Service, proxy: Proxy, client: httpx.Client
) -> None:
    path = "/v2/public/edits/V600"
    answer = client.get(path, headers={"X-Forwarded-For": "192.0.2.1", "X-Request-ID": "mine"})
    assert answer.status_code == 200
    request_id = answer.headers["X-Request-ID"]
    assert ID.fullmatch(request_id)

    def read_lines() -> tuple[list[str], list[str]]:
        """Return the address that the proxied logged, and the path that the proxy logged."""
        own = [each["address"] for each in lines(proxied, path) if each["request_id"] == request_id]
        written = map(json.loads, proxy.access_log.read_text().rpartition("\n")[0].splitlines())
        return own, [each["path"] for each in written if each["id"] == request_id]

    wait_until(lambda: all(read_lines()), "both have written their lines, after the answer")
    assert read_lines() == ([HOST], [path])


def test_metrics_are_for_the_service_itself(proxied: Service, client: httpx.Client) -> None:
    assert client.get("/metrics").status_code == 404
    assert httpx.get(f"{proxied.url}/metrics", trust_env=False).status_code == 200


def test_a_person_signs_in_and_downloads_the_file_that_nginx_sends(
    proxied: Service, client: httpx.Client
) -> None:
    lei = proxied.lei()
    with Filer.of(proxied, "2024", lei) as filer:
        filer.client.headers["X-Forwarded-Proto"] = "https"
        content = lar(filer, rows=300)
        assert filer.file(content)["status"]["code"] == 14
    with Person.of(proxied, lei, name="accel", client=client) as person:
        answer = person.get("1/file/")
        assert answer.status_code == 200
        assert answer.content == content
        cookies = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
        own = direct(proxied, person.path("1/file/"), Cookie=cookies)
        assert own.content == b""
        has_headers_of(answer, own)
        part = person.get("1/file/", headers={"Range": "bytes=5-14"})
        assert (part.status_code, part.content) == (206, content[5:15])
    path = f"/filing/{proxied.lei()}/2024/1/file/"
    assert client.get(path).status_code in {403, 404}


def test_nginx_sends_published_files_as_the_service_does(
    proxied: Service, proxy: Proxy, client: httpx.Client
) -> None:
    with filer_of(proxied, proxy) as filer:
        assert filer.file(lar(filer, rows=200))["status"]["code"] == 14
        assert filer.sign().status_code == 200
    wait_until(lambda: "Nothing" not in proxied.manage("publish", "2024"), "it is published")
    wait_until(lambda: client.get(PUBLIC).status_code != 404, "it is served")
    files = client.get(PUBLIC).json()["files"]
    for file in files:
        answer = client.get(file["href"])
        assert hashlib.sha256(answer.content).hexdigest() == file["sha256"]
        has_headers_of(answer, direct(proxied, file["href"], Origin=proxy.url))
        assert answer.headers["Accept-Ranges"] == "bytes"
        assert answer.headers["Content-Length"] == str(file["bytes"])
    href = files[0]["href"]
    first = client.get(href)
    whole, etag = first.content, first.headers["ETag"]
    assert client.get(href, headers={"If-None-Match": etag}).status_code == 304
    for wanted, start, stop in (("0-9", 0, 10), ("-5", len(whole) - 5, len(whole))):
        part = client.get(href, headers={"Range": f"bytes={wanted}", "If-Range": etag})
        assert (part.status_code, part.content) == (206, whole[start:stop])
        assert part.headers["Content-Range"] == f"bytes {start}-{stop - 1}/{len(whole)}"
        assert part.headers["ETag"] == etag
    for headers in (
        {"Range": "bytes=0-9", "If-Range": '"other"'},
        {"Range": "bytes=0-1,4-5"},
    ):
        answer = client.get(href, headers=headers)
        assert (answer.status_code, answer.content) == (200, whole), headers
    outside = client.get(href, headers={"Range": f"bytes={len(whole)}-"})
    assert (outside.status_code, outside.json()["httpStatus"]) == (416, 416)
    head = client.head(href)
    assert (head.status_code, head.headers["Content-Length"]) == (200, str(len(whole)))
    assert client.get(f"/stored-files/{href}").status_code == 404


@contextmanager
def line_to(proxy: Proxy) -> Iterator[ssl.SSLSocket]:
    with (
        socket.create_connection((HOST, proxy.port), timeout=60) as plain,
        proxy.context.wrap_socket(plain, server_hostname="localhost") as line,
    ):
        yield line


def begun(line: ssl.SSLSocket, request_line: str, size: int, *more: str) -> None:
    """Send the head of a request, and the first bytes of its body."""
    head = [request_line, f"Host: {HOST}", f"Content-Length: {size}", *more, "", ""]
    line.sendall("\r\n".join(head).encode() + b"x" * 1000)


def read(line: ssl.SSLSocket) -> tuple[int, dict[str, Any]]:
    answer = HTTPResponse(line)
    answer.begin()
    return answer.status, json.loads(answer.read())


def test_an_upload_without_a_token_is_refused_before_it_is_sent(proxy: Proxy) -> None:
    path = "/v2/filing/institutions/A/filings/2024/submissions/1"
    with line_to(proxy) as line:
        begun(line, f"POST {path} HTTP/1.1", 20 * MEGABYTE)
        status, refusal = read(line)
    assert (status, refusal["httpStatus"]) == (401, 401)


def test_whoever_sends_everything_before_reading_sees_the_refusal(proxy: Proxy) -> None:
    path = "/v2/filing/institutions/A/filings/2024/submissions/1"
    with line_to(proxy) as line:
        size = 25 * MEGABYTE
        begun(line, f"POST {path} HTTP/1.1", size)
        line.sendall(b"x" * (size - 1000))
        assert read(line)[0] == 401


def test_a_file_over_the_limit_is_refused_in_the_words_of_the_service(
    proxied: Service, proxy: Proxy
) -> None:
    with filer_of(proxied, proxy) as filer:
        filer.begin()
        answer = filer.upload(b"1|" * (16 * MEGABYTE))
        assert answer.status_code == 413
        limit = 30 * MEGABYTE
        message = f"The file is larger than {limit} bytes, the most taken here."
        assert answer.json()["message"] == message
        path = f"POST /v2/filing{filer.path('/submissions/1')} HTTP/1.1"
        token = f"Authorization: {filer.headers['authorization']}"
        form = "Content-Type: multipart/form-data; boundary=b"
        part = b'--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n'
        with line_to(proxy) as line:
            head = [path, f"Host: {HOST}", f"Content-Length: {40 * MEGABYTE}", token, form, "", ""]
            line.sendall("\r\n".join(head).encode() + part + b"1|" * MEGABYTE)
            status, refusal = read(line)
        assert (status, refusal["message"]) == (413, message)


def test_a_public_check_over_the_limit_is_refused_in_the_words_of_the_service(
    client: httpx.Client,
) -> None:
    answer = client.post(CHECK, files={"file": ("lar.txt", b"1|" * (3 * MEGABYTE))})
    assert answer.status_code == 413
    assert "larger than 2097152 bytes" in answer.json()["message"]


def test_a_public_upload_that_stops_never_reaches_the_service(
    proxied: Service, proxy: Proxy
) -> None:
    path = "/v2/public/disclosure/parse/csv"
    with line_to(proxy) as line:
        begun(line, f"POST {path} HTTP/1.1", MEGABYTE, "Content-Type: text/plain")
        time.sleep(1)
    time.sleep(0.5)
    assert lines(proxied, path) == []


def test_a_body_in_chunks_is_held_until_it_is_whole_or_refused(
    client: httpx.Client, proxy: Proxy
) -> None:
    """Where large files are sent, the service reads while they are sent, and needs the length."""
    body = (
        b'--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n1|x\r\n--b--'
    )
    headers = {"Content-Type": "multipart/form-data; boundary=b"}
    checked = client.post(f"{proxy.url}{CHECK}", content=iter([body]), headers=headers)
    assert checked.status_code == 200

    def send_slowly() -> Iterator[bytes]:  # what has arrived at once, the proxy knows the length of
        yield body[:10]
        time.sleep(1)
        yield body[10:]

    address = f"{proxy.url}/v2/filing/institutions/A/filings/2024/submissions/1"
    assert client.post(address, content=send_slowly(), headers=headers).status_code == 411


def test_a_service_that_has_ended_is_answered_for(proxied: Service, client: httpx.Client) -> None:
    assert client.get("/").status_code == 200
    proxied.end()
    page, error = client.get("/"), client.get("/v2/public/edits/V600")
    assert (page.status_code, error.status_code) == (503, 503)
    assert "Try again in 30 seconds." in page.text
    assert error.json()["path"] == "/edits/V600"
