"""Every address of the site, sent what no database stores as text: NUL, half a surrogate pair.

It comes in the path, the query, a body, a header, a cookie, the header and the claims of a token or
receipt, and a host name, as key and as value, plain and in the ways in which programs write it.
Nothing of it may become an error of the service. All of the 90,000 requests take minutes: one of
eight is sent, and each with `--every-request 1`.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any
from urllib.parse import urlencode

import pytest
from django.conf import settings as configured
from django.db import transaction
from django.test import Client

from config.errors.handlers import find_api_area
from config.identity import tokens
from filing.receipts import proofs
from filing.submissions import watching
from tests.addresses import CALLERS, ROUTES, browsers, filed  # noqa: F401 -- fixtures
from tests.conftest import LEI

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

Asked = tuple[str, dict[str, Any]]  # the method, and what the client is told

NUL, HALF = "\0", "\ud800"
# As addresses have them: percent-encoded, as escape() of JavaScript writes them, in too many bytes.
WRITTEN = ("%00", "%ED%A0%80", "%u0000", "%uD800", "%C0%80", "%FF")
# Names that one address or another reads, so that what is sent gets as far as it can.
QUERIES = (
    *("x", "q", "o", "page", "next", "error", "state", "code", "client_id", "redirect_uri"),
    *("id_token_hint", "lei", "name", "city", "domain", "taxId", "years", "states", "year"),
    *("term", "app_label", "model_name", "field_name", "status__exact", "reason"),
)
FIELDS = (
    *("csrfmiddlewaretoken", "username", "password", "email", "first_name", "last_name", "name"),
    *("new_password1", "new_password2", "next", "leis", "lei", "token-name", "token-days", "lines"),
    *("year", "quarter", "identifier", "do", "reason", "text", "chosen", "action", "code", "state"),
    *("_selected_action", "token", "seen", "start", "kind", "client_id", "client_secret", "scope"),
    *("grant_type", "redirect_uri", "code_verifier", "refresh_token", "id_token_hint", "allow"),
)
KEYS = (
    *("signed", "verified", "ts", "lar", "uli", "loanId", "firstName", "lastName", "leis"),
    *("rateSetDate", "loanTerm", "amortizationType", "apr", "lockInDate", "reverseMortgage"),
)
JSON, FORM = "application/json", "application/x-www-form-urlencoded"
PART = 'Content-Disposition: form-data; name="{}"\r\n\r\na\0\r\n'
FILE = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\nA\r\n1\r\n'
JSON_PART = '--b\r\nContent-Disposition: form-data; name="{}"\r\n\r\n{}\r\n'
JSON_PARTS = ("map", "sheet", "options")
HOSTS = ("xn--", "xn--a", "a.xn--\u00e9", NUL, HALF, f"a{NUL}.example", "%00", "[", "a" * 300)
NAMED = 'Content-Disposition: form-data; name="file"; filename="a\0.txt"\r\n\r\na\r\n'


def basic(credentials: str) -> str:
    return "Basic " + base64.b64encode(credentials.encode()).decode()


HEADERS: tuple[dict[str, str], ...] = (
    {"authorization": basic("hmda2-api\0:secret")},
    {"authorization": basic("hmda2-api%00:secret")},
    {"authorization": "Bearer \0"},
    {"authorization": "Bearer %00"},
    {"user-agent": "a\0", "referer": "http://testserver/\0", "origin": "http://a.example\0"},
    {"accept": "text/\0", "if-none-match": '"\0"', "range": "bytes=\0"},
    {"x-forwarded-for": "\0", "x-request-id": "\0"},
)
COOKIES = ('"\\000"', '"a\\000b"', "%00", "\xed\xa0\x80")


def paths(address: str) -> Iterator[Asked]:
    parts = address.strip("/").split("/")
    for number, part in enumerate(parts):
        yield "GET", {"path": "/" + "/".join([*parts[:number], f"{part}%00", *parts[number + 1 :]])}
    for text in WRITTEN:
        yield "GET", {"path": address.rstrip("/") + text}


def queries(address: str) -> Iterator[Asked]:
    for text in WRITTEN:
        yield "GET", {"path": f"{address}?{'&'.join(f'{name}={text}' for name in QUERIES)}"}
    for method in ("HEAD", "POST"):
        yield method, {"path": f"{address}?%00=1"}


def bodies(address: str) -> Iterator[Asked]:
    method = "PUT" if address.startswith("/hmda-auth/") else "POST"
    for bad in (NUL, HALF):
        for value in (dict.fromkeys(KEYS, f"a{bad}"), {bad: [{"x": bad}]}, bad):
            data = json.dumps(value).encode()
            yield method, {"path": address, "content_type": JSON, "data": data}


def forms(address: str) -> Iterator[Asked]:
    for text in ("%00", "%ED%A0%80", "%u0000"):
        data = "&".join(f"{field}={text}" for field in FIELDS)
        yield "POST", {"path": address, "content_type": FORM, "data": data.encode()}
    for parts in (map(PART.format, ("file", *FIELDS)), [NAMED]):
        data = "".join(f"--b\r\n{part}" for part in parts) + "--b--\r\n"
        sent = {"content_type": "multipart/form-data; boundary=b", "data": data.encode()}
        yield "POST", {"path": address, **sent}


def json_parts(address: str) -> Iterator[Asked]:
    for bad in (NUL, HALF):
        for value in ({bad: "loan_type"}, {"A": bad}, {"fill": {bad: "1"}}, [bad]):
            written = json.dumps(value)
            data = FILE + "".join(JSON_PART.format(name, written) for name in JSON_PARTS)
            sent = {"content_type": "multipart/form-data; boundary=b", "data": data + "--b--\r\n"}
            yield "POST", {"path": address, **sent}


def hosts(address: str) -> Iterator[Asked]:
    for host in HOSTS:
        url = f"https://{host}/"
        sent = {"content_type": JSON, "data": json.dumps({"url": url}).encode()}
        yield "POST", {"path": address, **sent}
        form = urlencode({"url": url, "text": url}, errors="surrogatepass").encode()
        yield "POST", {"path": address, "content_type": FORM, "data": form}


def documents(address: str) -> Iterator[Asked]:
    """Signed documents with a bad header, as receipt files and as tokens."""
    for bad in (NUL, HALF):
        for change in ({"kid": bad}, {"kid": f"a{bad}", "typ": bad}, {bad: bad}):
            of_receipt = {"alg": "EdDSA", "kid": "a", "typ": "hmda-receipt+jwt", **change}
            file = dict.fromkeys(proofs.FACTS, "a") | {"proof": unsigned(of_receipt)}
            data = json.dumps(file).encode()
            yield "POST", {"path": address, "content_type": JSON, "data": data}
            token = unsigned({"alg": "RS256", "kid": "a", "typ": "at+jwt", **change})
            yield "GET", {"path": address, "headers": {"authorization": f"Bearer {token}"}}
            hint = {"id_token_hint": token, "client_id": "hmda2-api"}
            yield "GET", {"path": f"{address}?{urlencode(hint)}"}


def unsigned(header: dict[str, str]) -> str:
    """Return a document that was not signed, its header written as the service writes it."""
    written = proofs.write_canonical_json(header, sort=True)
    return ".".join(map(proofs.encode_base64url, (written, b"{}", b"a" * 64)))


def headers(address: str) -> Iterator[Asked]:
    for given in HEADERS:
        for method in ("GET", "POST"):
            yield method, {"path": address, "headers": given}


def cookies(address: str) -> Iterator[Asked]:
    names = (configured.SESSION_COOKIE_NAME, configured.CSRF_COOKIE_NAME, "other")
    for cookie in COOKIES:
        given = "; ".join(f"{name}={cookie}" for name in names)
        for method in ("GET", "POST"):
            yield method, {"path": address, "HTTP_COOKIE": given}


def claims(address: str) -> Iterator[Asked]:
    if address.startswith(("/v2/filing/", "/hmda-auth/", "/realms/")):
        for token in bad_tokens():
            for method in ("GET", "POST"):
                bearer = {"authorization": f"Bearer {token}"}
                yield method, {"path": address, "headers": bearer}


def bad_tokens() -> Iterator[str]:
    identity = tokens.identity_claims("user-1", username="ann", leis=[LEI])
    for bad in (NUL, HALF):
        for claim in ("sub", "preferred_username", "email", "name", "given_name", "lei", "jti"):
            said = f"{identity.get(claim, '')}{bad}"
            yield tokens.issue_token({**identity, claim: said}, seconds=60)


Place = Callable[[str], Iterator[Asked]]
# Each with those who send it there. What is refused before anybody is known, one need not send six
# times; a cookie or a token of its own takes the place of the caller's.
PLACES: dict[Place, tuple[str, ...]] = {
    paths: ("anonymous", "administrator"),
    queries: ("anonymous", "administrator"),
    bodies: CALLERS,
    forms: CALLERS,
    json_parts: ("anonymous", "filer"),
    hosts: ("filer", "operator"),
    documents: ("anonymous", "filer"),
    headers: ("anonymous", "filer", "administrator"),
    cookies: ("anonymous",),
    claims: ("anonymous",),
}
# What reaches the database, once for each kind of place.
ON_SERVERS = {
    (queries, "administrator"),
    (forms, "filer"),
    (json_parts, "filer"),
    (claims, "anonymous"),
}
CASES = [
    pytest.param(*case, marks=pytest.mark.servers if case in ON_SERVERS else ())
    for case in ((place, caller) for place, callers in PLACES.items() for caller in callers)
]
REFUSED_AT_ONCE = (paths, queries)
PROBES = ("healthz", "readyz")  # they answer before anything looks at the request


def status(client: Client, method: str, how: dict[str, Any]) -> int:
    """Return the status of the answer; what the request has changed is undone."""
    with transaction.atomic():
        answer = client.generic(method, **how)
        if answer.streaming:
            b"".join(answer)
        transaction.set_rollback(True)
    return int(answer.status_code)


@pytest.mark.parametrize(("place", "caller"), CASES)
def test_no_address_fails_for_text_that_cannot_be_stored(
    place: Place,
    caller: str,
    browsers: Any,
    filed: None,
    every_request: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(watching, "LISTEN_SECONDS", 0)  # whoever follows gets the first event
    failures, number = [], 0
    for name, route in ROUTES.items():
        address = route.replace("{key}", "1")
        client = browsers[caller][1 if find_api_area(address) else 0]  # the program, or the browser
        client.raise_request_exception = False
        kept = deepcopy(client.cookies)
        for method, how in place(address):
            number += 1
            if number % every_request:
                continue
            client.cookies = deepcopy(kept)
            found = status(client, method, how)
            is_taken = found != 400 and name not in PROBES
            if found >= 500 or (place in REFUSED_AT_ONCE and is_taken):
                failures.append((name, method, found, how))
    assert not failures
