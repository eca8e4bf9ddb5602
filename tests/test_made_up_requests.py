"""Every address of the site, sent requests that are made up: none may be an error of the service.

Each is drawn from its number alone, so that the number in a failure repeats it. Texts that cannot
be stored are in every place that holds text: paths, queries, headers, cookies, keys and values of
JSON and forms, headers and claims of signed documents, host names, cells and column names of files.

    pytest tests/test_made_up_requests.py --requests 1000000 --numprocesses 2
"""

from __future__ import annotations

import base64
import io
import json
from collections import Counter
from copy import deepcopy
from random import Random
from typing import Any
from urllib.parse import quote, urlencode

import polars as pl
import pytest
from django.db import transaction
from django.test import Client

from config.errors.handlers import find_api_area
from config.identity import tokens
from tests.addresses import CALLERS, METHODS, ROUTES, browsers, filed  # noqa: F401 -- fixtures
from tests.conftest import LEI
from tests.publicapi.lar_tool.calls import EXAMPLE, as_workbook
from tests.test_unstorable_text import FIELDS, FORM, JSON, KEYS, QUERIES

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

SHARES = 8  # parts of the requests, for as many processes
BAD = ("\0", "\ud800", "a\0b", "\udfff\ud800", "\udc80", "\x1b", "\u202e", "\ufeff", "\U0010ffff")
HOSTS = ("xn--", "xn--a", "xn--\u00e9", "a.xn--", "[::1]", "[", "%00", "..", "a" * 300, "\ud800")
TEXTS = (
    *BAD,
    *("", " ", "a", "0", "-1", "1e999", "NaN", "null", "true", "9" * 400, "%", "%zz", "%u0000"),
    *("2024", "2024-Q1", LEI, f"{LEI}-2024-1-1", "Q603", "../..", "'", '"', "{}", "[]", "\r\n"),
    *(f"https://{host}/" for host in HOSTS),
    *("https://bank.example/hmda", "//", "http://", "é" * 70_000),
)
PARTS = ("map", "sheet", "options", "file", *FIELDS)
NAMES = (*KEYS, *FIELDS, *QUERIES, *PARTS, "url", "sha256", "proof", "receipt", "fill", "header")
HEADERS = (
    *("user-agent", "referer", "origin", "accept", "if-none-match", "range", "x-request-id"),
    *("x-forwarded-for", "idempotency-key", "tus-resumable", "upload-metadata", "upload-offset"),
    *("upload-length", "upload-checksum", "accept-language", "content-encoding", "if-match"),
)
# What is read at the addresses with a word; elsewhere anything.
KINDS = {"receipt": 2, "/lar": 4, "parse": 4, "webhooks/": 3, "/realms/": 3, "webhooks": 0}
ADMIN = [each for each in ROUTES.items() if each[1].startswith("/admin/")]
STREAMS = ("/events", "/progress")  # of events, which do not end
OTHERS = [
    (name, route)
    for name, route in ROUTES.items()
    if not route.startswith("/admin/") and not route.rstrip("/").endswith(STREAMS)
]
_WORKBOOK_ONE_IN = 60  # files: a workbook is read in a process of its own


def text(draw: Random) -> str:
    """Return a text, most often one that something stumbles over."""
    chosen = draw.choice(TEXTS)
    return chosen + draw.choice(TEXTS)[:40] if draw.randrange(4) == 0 else chosen


def value(draw: Random, depth: int = 0) -> Any:
    """Return a value of JSON."""
    kind = draw.randrange(9 if depth < 3 else 6)
    if kind < 3:
        return text(draw)
    if kind < 6:
        return draw.choice((None, True, False, 0, -1, 2024, 10**400, 1.5, 1e300))
    if kind == 6:
        return [value(draw, depth + 1) for _ in range(draw.randrange(3))]
    return mapping(draw, depth)


def mapping(draw: Random, depth: int = 0) -> dict[str, Any]:
    names = (draw.choice(NAMES) if draw.randrange(3) else text(draw) for _ in range(6))
    return {name: value(draw, depth + 1) for name in names}


def segment(content: Any) -> str:
    encoded = content if isinstance(content, bytes) else json.dumps(content).encode()
    return base64.urlsafe_b64encode(encoded).rstrip(b"=").decode()


def signed_document(draw: Random) -> str:
    """Return what looks like a signed document, with a header that nobody would write."""
    header: dict[str, Any] = draw.choice(
        (
            {"alg": "EdDSA", "kid": text(draw), "typ": "hmda-receipt+jwt"},
            {"alg": "RS256", "kid": text(draw), "typ": "at+jwt"},
            {"alg": text(draw), "kid": value(draw), "typ": value(draw)},
            mapping(draw),
        )
    )
    encoded = json.dumps(header, separators=(",", ":"), sort_keys=True).encode()
    return ".".join((segment(encoded), segment(mapping(draw)), segment(draw.randbytes(64))))


def receipt(draw: Random) -> bytes:
    """Return a receipt file whose proof nobody signed."""
    facts = dict.fromkeys(("receipt", "lei", "period", "sha256", "records", "signedAt"))
    file = {name: value(draw) for name in facts} | {"proof": signed_document(draw)}
    if draw.randrange(4) == 0:
        file |= mapping(draw)
    return json.dumps(file).encode()


def token(draw: Random) -> str:
    """Return a bearer token: forged, or with claims that nobody would write."""
    if draw.randrange(2):
        return signed_document(draw)
    identity = tokens.identity_claims("user-1", username="ann", leis=[LEI])
    claims = {name: value(draw) for name in identity if draw.randrange(3) == 0}
    return tokens.issue_token({**identity, **claims}, seconds=60)


def file(draw: Random) -> tuple[str, bytes]:
    """Return a file to upload and its name."""
    texts = [text(draw)[:2000].encode(errors="replace").decode() for _ in range(4)]
    if draw.randrange(_WORKBOOK_ONE_IN) == 0:
        rows = [["Loan ID", "State"], ["".join(c for c in t if c.isprintable()) for t in texts[:2]]]
        return "a.xlsx", as_workbook(rows)
    if draw.randrange(3) == 0:
        buffer = io.BytesIO()
        pl.DataFrame({texts[0]: texts[:2], "State": texts[2:]}).write_parquet(buffer)
        return "a.parquet", buffer.getvalue()
    ends = draw.choice((b"", draw.randbytes(9), ",".join(texts).encode()))
    return draw.choice(("a.csv", "a.txt", text(draw)[:50])), EXAMPLE + ends


def multipart(draw: Random) -> bytes:
    parts: list[tuple[str, bytes]] = []
    for name in draw.sample(PARTS, 5):
        content = json.dumps(value(draw)) if draw.randrange(2) else text(draw)
        parts.append((f'name="{name}"', content.encode(errors="surrogatepass")))
    if draw.randrange(4):
        parts.append(('name="map"', json.dumps(mapping(draw)).encode()))
        name, data = file(draw)
        parts.append((f'name="file"; filename="{name}"', data))
    lines = b"".join(
        b"--b\r\nContent-Disposition: form-data; %b\r\n\r\n%b\r\n"
        % (about.encode(errors="surrogatepass"), content)
        for about, content in parts
    )
    return lines + b"--b--\r\n"


def body(route: str, draw: Random) -> dict[str, Any]:
    """Return the body of a request and its content type, most often of the kind that is read."""
    kind = draw.randrange(6)
    if draw.randrange(3):
        kind = next((kind for part, kind in KINDS.items() if part in route), kind)
    if kind < 2:
        return {"content_type": JSON, "data": json.dumps(value(draw)).encode()}
    if kind == 2:
        return {"content_type": draw.choice((JSON, "text/plain")), "data": receipt(draw)}
    if kind == 3:
        fields = {draw.choice(FIELDS): text(draw) for _ in range(8)} | {"url": text(draw)}
        return {"content_type": FORM, "data": urlencode(fields, errors="surrogatepass").encode()}
    if kind == 4:
        return {"content_type": "multipart/form-data; boundary=b", "data": multipart(draw)}
    return {"content_type": draw.choice((JSON, FORM, text(draw)[:90])), "data": draw.randbytes(40)}


def path(route: str, draw: Random) -> str:
    """Return an address, sometimes with another text for one of its parts, and with a query."""
    parts = route.replace("{key}", draw.choice(("1", "0", "9" * 30))).split("/")
    if draw.randrange(4) == 0:
        written = quote(text(draw)[:300], errors="surrogatepass")
        parts[draw.randrange(1, len(parts))] = written
    address = "/" + "/".join(parts).lstrip("/")
    if draw.randrange(3) == 0:
        query = {draw.choice(QUERIES): text(draw)[:2000] for _ in range(3)}
        address += "?" + urlencode(query, errors="surrogatepass")
    return address


def headers(draw: Random) -> dict[str, str]:
    given = {draw.choice(HEADERS): as_sent(text(draw)) for _ in range(draw.randrange(3))}
    if draw.randrange(6) == 0:
        given["authorization"] = f"Bearer {token(draw)}"
    if draw.randrange(12) == 0:
        given["cookie"] = f"sessionid={as_sent(text(draw))}; csrftoken={as_sent(text(draw))}"
    return given


def as_sent(value: str) -> str:
    """Return a header as the web server hands it on: each byte a character, no line ends."""
    sent = value[:4000].encode(errors="surrogatepass").decode("latin-1")
    return sent.replace("\r", " ").replace("\n", " ")


def request_of(number: int) -> tuple[str, str, str, dict[str, Any]]:
    """Return the request of a number: name of the address, caller, method, and what is sent."""
    draw = Random(f"request {number}")
    name, route = draw.choice(ADMIN if draw.randrange(5) == 0 else OTHERS)
    caller = draw.choice(CALLERS)
    method = draw.choice(("GET", "POST", "POST", *METHODS))
    how: dict[str, Any] = {"path": path(route, draw), "headers": headers(draw)}
    if method != "GET":
        how |= body(route, draw)
    return name, caller, method, how


@pytest.mark.parametrize("share", [pytest.param(0, marks=pytest.mark.servers), *range(1, SHARES)])
def test_no_made_up_request_is_an_error_of_the_service(
    share: int, browsers: Any, filed: None, made_up_requests: int
) -> None:
    failures = []
    statuses: Counter[int] = Counter()
    for number in range(share, made_up_requests, SHARES):
        name, caller, method, how = request_of(number)
        is_program = find_api_area(how["path"].partition("?")[0]) is not None
        client: Client = browsers[caller][1 if is_program else 0]
        client.raise_request_exception = False
        kept = deepcopy(client.cookies)
        with transaction.atomic():
            answer = client.generic(method, **how)
            if answer.streaming:
                b"".join(answer)
            transaction.set_rollback(True)
        client.cookies = kept
        statuses[answer.status_code] += 1
        if answer.status_code >= 500:
            failures.append((number, name, caller, method, answer.status_code, str(how)[:300]))
    print(share, sorted(statuses.items()))
    assert not failures
