"""Limits, request ids and log lines of a whole service, as its callers and operators see them."""

from __future__ import annotations

import json
import re
import socket
import time
import uuid
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import httpx
import pytest

from tests.errors import error_of
from tests.flow.conftest import PUBLIC_REQUESTS, Service, make_caller
from tests.flow.filer import Filer, lar
from tests.flow.processes import wait_until

pytestmark = pytest.mark.slow

EDIT, CHECK = "/v2/public/edits/V600", "/v2/public/disclosure/validate/2024"
LEFT = re.compile(r'"[a-z-]+";r=(\d+);t=(\d+)')


@pytest.fixture
def as_seen() -> dict[str, str]:
    """The header of a client that nobody else is."""
    return make_caller()


def test_500_requests_at_once_get_exactly_what_is_there(
    limits: Service, as_seen: dict[str, str]
) -> None:
    threads, each = 50, 10
    together = Barrier(threads)

    def ask(thread: int) -> list[httpx.Response]:
        with httpx.Client(base_url=limits.url, headers=as_seen, timeout=60) as client:
            together.wait()
            return [client.get(EDIT) for _ in range(each)]

    with ThreadPoolExecutor(threads) as pool:
        answers = [answer for some in pool.map(ask, range(threads)) for answer in some]
    counted = Counter(answer.status_code for answer in answers)
    assert counted == {200: PUBLIC_REQUESTS, 429: threads * each - PUBLIC_REQUESTS}
    left = sorted(int(LEFT.fullmatch(a.headers["RateLimit"])[1]) for a in answers if a.is_success)  # type: ignore[index]
    assert left == list(range(PUBLIC_REQUESTS))
    refused = [answer for answer in answers if answer.status_code == 429]
    for answer in refused:
        assert 3590 <= int(answer.headers["Retry-After"]) <= 3600
        assert error_of(answer) == {
            "httpStatus": 429,
            "message": f"Too many requests. Try again in {answer.headers['Retry-After']} seconds.",
            "path": "/edits/V600",
        }


def test_whoever_heeds_the_headers_is_never_refused(limits: Service) -> None:
    with limits.client(limits.tokens[limits.lei()]) as client:
        answers = []
        for _ in range(35):
            answer = client.get("/institutions/FLOWTEST000000000000/year/2024")
            answers.append(answer.status_code)
            remaining, seconds = map(int, LEFT.fullmatch(answer.headers["RateLimit"]).groups())  # type: ignore[union-attr]
            if not remaining:
                time.sleep(seconds)
    assert 429 not in answers


def test_what_a_client_writes_itself_is_not_believed(
    limits: Service, as_seen: dict[str, str]
) -> None:
    true = as_seen["X-Forwarded-For"]
    told = [f"192.0.2.{number}, {true}" for number in range(3)] + [f"junk, {true}", true]
    left = [
        httpx.get(f"{limits.url}{EDIT}", headers={"X-Forwarded-For": header}).headers["RateLimit"]
        for header in told
    ]
    assert [value.split(";")[1] for value in left] == [
        f"r={PUBLIC_REQUESTS - n}" for n in range(1, 6)
    ]


@pytest.mark.parametrize("header", ["SCRIPT_NAME", "PATH_INFO"])
def test_no_header_takes_off_the_beginning_of_a_path(
    limits: Service, as_seen: dict[str, str], header: str
) -> None:
    headers = {**as_seen, header: "/v2/filing"}
    answer = httpx.get(f"{limits.url}/v2/filing{EDIT}", headers=headers)
    assert answer.status_code in {401, 404}  # there is nothing at the whole path
    assert httpx.get(f"{limits.url}/v2/filing/", headers=headers).is_success


FILING = "/v2/filing/institutions/FLOWTEST000000000000/year/2024"
AGGREGATIONS = "/v2/data-browser-api/view/aggregations?years=2022&actions_taken=1&leis="


@pytest.mark.parametrize("lenders", [200, 600])
def test_many_lenders_are_answered_as_one(
    limits: Service, as_seen: dict[str, str], lenders: int
) -> None:
    lei = "DEMO00PUBLIC00000370"
    one, many = (
        httpx.get(f"{limits.url}{AGGREGATIONS}{','.join([lei] * number)}", headers=as_seen)
        for number in (1, lenders)
    )
    assert (one.status_code, many.status_code) == (200, 200)
    assert many.json()["aggregations"] == one.json()["aggregations"]


def test_a_token_of_8_kb_is_read(limits: Service, as_seen: dict[str, str]) -> None:
    long = {"Authorization": f"Bearer {'a' * 8_150}"}
    answer = httpx.get(f"{limits.url}{FILING}", headers=as_seen | long)
    assert answer.status_code == 401
    assert error_of(answer)["httpStatus"] == 401


LONG = "x" * 20_000
UNREADABLE = {
    "a query that is too long": (414, "/{area}?q=" + LONG, {}),
    "a path that is too long": (414, "/{area}/" + LONG, {}),
    "a header that is too long": (431, "/{area}", {"X-Long": LONG}),
    "cookies that are too long": (431, "/{area}", {"Cookie": f"a={LONG}"}),
    "too many headers": (431, "/{area}", {f"X-{number}": "1" for number in range(120)}),
    "a length that is none": (400, "/{area}", {"Content-Length": "<b>"}),
    "a way to send that is unknown": (501, "/{area}", {"Transfer-Encoding": "<b>"}),
    "an expectation that nobody meets": (417, "/{area}", {"Expect": "<b>"}),
}


def ask(service: Service, request: bytes) -> tuple[int, httpx.Headers, bytes]:
    """Return status, headers and body of the answer to the bytes of a request."""
    port = int(service.url.rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port), 20) as line:
        line.sendall(request)
        answer = b"".join(iter(lambda: line.recv(65536), b""))
    first, *headers = answer.partition(b"\r\n\r\n")[0].split(b"\r\n")
    named = httpx.Headers(dict(header.split(b": ", 1) for header in headers))
    return int(first.split()[1]), named, answer.partition(b"\r\n\r\n")[2]


def head(address: str, headers: dict[str, str]) -> bytes:
    lines = [f"GET {address} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items())]
    return "\r\n".join([*lines, "", ""]).encode()


@pytest.mark.parametrize("case", UNREADABLE)
@pytest.mark.parametrize("area", ["v2/filing", "v2/data-browser-api/x", "realms/hmda2/x", "help"])
def test_what_cannot_be_read_is_refused_in_the_form_of_its_address(
    limits: Service, case: str, area: str
) -> None:
    status, address, headers = UNREADABLE[case]
    host = {"Host": "127.0.0.1", "Connection": "close"}
    request = head(address.replace("{area}", area), host | headers)
    found, answered, body = ask(limits, request)
    assert found == status, body
    assert answered["Connection"] == "close"
    assert answered["X-Content-Type-Options"] == "nosniff"
    assert answered["X-Request-ID"].encode() in body
    assert b"<b>" not in body
    if area == "help":
        assert answered["Content-Type"].startswith("text/html")
        assert b"This request could not be read" in body
    else:
        assert answered["Content-Type"] == "application/json"
        assert json.loads(body)["requestId"] == answered["X-Request-ID"]
    if area == "v2/filing" and "path" not in case:
        assert json.loads(body)["httpStatus"] == status


@pytest.mark.parametrize(
    "line",
    [
        b"get /v2/filing HTTP/1.1",
        b"GET /v2/filing",
        b"GET /v2/filing HTTP/3.0",
        b'GET /v2/\xff"<b> HTTP/1.1',
        b"\x00\x01",
        b"GET " + b"x" * 20_000,
        b"x" * 20_000,
    ],
)
def test_a_first_line_that_is_none_is_refused(limits: Service, line: bytes) -> None:
    found, answered, body = ask(limits, line + b"\r\nHost: 127.0.0.1\r\n\r\n")
    assert found == (414 if len(line) > 20_000 - 1 else 400)
    assert answered["X-Request-ID"].encode() in body
    assert b"<b>" not in body


def test_a_connection_is_read_on_after_a_long_address(limits: Service) -> None:
    long = f"/help/?q={'x' * 12_000}"
    request = head(long, {"Host": "127.0.0.1"}) + head(
        "/v2/filing/", {"Host": "127.0.0.1", "Connection": "close"}
    )
    found, _, rest = ask(limits, request)
    assert found == 200
    assert b"HTTP/1.1 200" in rest


def test_a_refused_upload_reads_its_refusal(limits: Service, as_seen: dict[str, str]) -> None:
    file = {"file": ("lar.txt", b"2|" + b"x" * 12_000_000)}
    with httpx.Client(base_url=limits.url, headers=as_seen, timeout=60) as client:
        assert client.post(CHECK, files={"file": ("lar.txt", b"2|x\n")}).status_code == 200
        for _ in range(3):
            answer = client.post(CHECK, files=file)
            assert answer.status_code == 429
            assert answer.headers["RateLimit-Policy"].startswith('"public-upload"')


def test_the_id_of_an_upload_leads_to_the_lines_of_its_workers(
    limits: Service, as_seen: dict[str, str]
) -> None:
    name, lei = f"upload-{uuid.uuid4().hex}", limits.lei()
    with Filer.of(limits, "2024", lei) as filer:
        filer.begin()
        content = lar(filer, rows=50)
        filer.client.headers.update(as_seen | {"X-Request-ID": name})
        answer = filer.upload(content)
        assert answer.status_code == 202, answer.text
        assert answer.headers["X-Request-ID"] == name
        del filer.client.headers["X-Request-ID"]
        filer.rest()
    # Each process writes its line after others can see what it did.
    wait_until(lambda: find_stages(limits, name) == {"parse", "edits"}, "workers have their lines")
    wait_until(lambda: find_lines(limits, "web", name), "the web process has its line")
    (line,) = find_lines(limits, "web", name)
    assert (line["event"], line["method"], line["status"]) == ("request", "POST", 202)
    assert line["path"].endswith(f"/institutions/{lei}/filings/2024/submissions/1")
    assert line["address"] == as_seen["X-Forwarded-For"]
    assert re.fullmatch(r"[0-9a-f-]{36}", line["caller"])


def find_lines(service: Service, process: str, request_id: str) -> list[dict[str, Any]]:
    """Return the lines that a process has logged of a request, without those for developers."""
    lines = [each for each in service.logged(process) if each["level"] != "debug"]
    return [each for each in lines if each.get("request_id") == request_id]


def find_stages(service: Service, request_id: str) -> set[str]:
    """Return the stages that workers have logged of a request."""
    workers = ("worker-small", "worker-large")
    return {line["stage"] for each in workers for line in find_lines(service, each, request_id)}


def test_every_line_is_an_object_and_no_line_holds_a_token(
    limits: Service, as_seen: dict[str, str]
) -> None:
    token = limits.tokens[limits.lei()]
    forged = token[:-8] + "AAAAAAAA"
    with limits.client(forged) as client:
        address = f"/institutions/FLOWTEST000000000000/year/2024?token={token}"
        assert client.get(address, headers=as_seen).status_code == 401
    web = (limits.stack.logs / "web.log").read_text()
    lines = [json.loads(line) for line in web.splitlines()]
    assert {"gunicorn.error", "access"} <= {line["logger"] for line in lines}
    assert all({"timestamp", "level", "event"} <= set(line) for line in lines)
    for log in limits.stack.logs.iterdir():
        text = log.read_text()
        for part in (token, forged, *token.split(".")):
            assert part not in text, log.name
