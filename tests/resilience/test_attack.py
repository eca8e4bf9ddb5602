"""Made-up requests to pages and their forms, as everybody: none is an error of the service.

What the API document describes is sent otherwise by `tests/test_schemathesis.py`, and what no
database stores by `tests/test_unstorable_text.py`.
"""

from __future__ import annotations

import html
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import parse_qsl, quote, urlencode, urljoin, urlsplit

import httpx
import pytest

from tests.flow.conftest import Service, run_service  # noqa: F401 -- a fixture
from tests.flow.crawl import Visitor
from tests.flow.test_crawl import CALLERS, STAFF

pytestmark = pytest.mark.resilience

REQUESTS = 500  # of each caller
# Unexpected values for forms and addresses.
DOUBTFUL = (
    *("", " ", "0", "-1", "1", "99999999999999999999", "1e309", "NaN", "true", "null", "None"),
    *("'", '"', "' OR 1=1 --", "<script>alert(1)</script>", "{{7*7}}", "%", "_", "\\", "../../etc"),
    *("\0", "\ud800", "\u202e", "é" * 300, "\U0001d518", "a" * 5000, "\r\nX-A: b", "a\tb", "=1+1"),
    *("2024", "2024-Q1", "2024-Q9", "9999", "2024-02-30", "2024-01-01", "0001-01-01", "25:61"),
    *("529900DEMOBANK000101", "B90YWS6AFX2LGWOXJ1LD", "x@y", "a@b.example", "[1]", '{"a": 1}'),
)
FILES = (b"", b"\0" * 1000, b"PK\3\4" + b"x" * 200, b"1|2\n" * 50, "2|é|".encode("utf-16"))
QUERIES = (
    *("q", "o", "p", "page", "all", "next", "year", "years", "states", "lei", "leis", "name"),
    *("state", "code", "client_id", "error", "action", "status__exact", "e", "_popup", "_to_field"),
)
METHODS = {"GET": 80, "HEAD": 5, "POST": 8, "PUT": 3, "DELETE": 2, "OPTIONS": 2}  # percent
ENDS_THE_SESSION = ("/logout", "/sign-out")


@dataclass
class Form:
    """A form of a page, with its initial values."""

    action: str
    method: str
    values: dict[str, list[str]] = field(default_factory=dict)
    files: list[str] = field(default_factory=list)


class Forms(HTMLParser):
    """The forms of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.forms: list[Form] = []
        self._is_in_form = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.forms.append(Form(values.get("action", ""), values.get("method", "get").lower()))
            self._is_in_form = True
        elif self._is_in_form and (name := values.get("name")):
            if values.get("type") == "file":
                self.forms[-1].files.append(name)
            elif tag in ("input", "button", "textarea", "select"):
                entered = html.unescape(values.get("value", ""))
                self.forms[-1].values.setdefault(name, []).append(entered)

    def handle_endtag(self, tag: str) -> None:
        self._is_in_form = self._is_in_form and tag != "form"


@pytest.fixture
def site(run_service: Callable[..., Service]) -> Service:
    """The service as `make run` begins; a caller may leave it in any state."""
    return run_service(filers=0)


@pytest.mark.parametrize("caller", CALLERS)
def test_no_made_up_request_is_an_error(site: Service, caller: str):
    lines = (site.data_dir / "demo-logins").read_text().splitlines()
    passwords = dict(line.split()[:2] for line in lines)
    chance, failures = random.Random(caller), []
    with Visitor(site.url) as visitor:
        if caller in passwords:
            visitor.sign_in(caller, passwords[caller])
        visitor.walk("/", "/admin/" if caller in STAFF else "/help/")
        visitor.client.headers["Referer"] = f"{site.url}/"
        pages = [step.address for step in visitor.steps if step.status == 200]
        for _ in range(REQUESTS):
            make_up = chance.choice((changed_address, changed_address, filled_in_form))
            try:
                request = make_up(visitor.client, chance.choice(pages), chance)
                status = status_of(visitor.client, request)
            except (httpx.InvalidURL, UnicodeEncodeError):
                continue  # what no client can send is no request
            if status >= 500:
                failures.append(f"{status} {request.method} {request.url}"[:600])
    assert failures == []
    assert httpx.get(f"{site.url}/readyz").status_code == 200


def status_of(client: httpx.Client, request: httpx.Request) -> int:
    """Return the status of the answer, once it begins."""
    answer = client.send(request, stream=True)
    answer.close()
    return answer.status_code


def changed_address(client: httpx.Client, address: str, chance: random.Random) -> httpx.Request:
    """Return a request to an address with other steps, parameters and method."""
    parts = urlsplit(address)
    steps = parts.path.split("/")
    if chance.random() < 0.5:
        steps[chance.randrange(1, len(steps))] = quoted(chance.choice(DOUBTFUL))
    query = parse_qsl(parts.query, keep_blank_values=True)
    for _ in range(chance.choice((0, 0, 1, 3))):
        name = chance.choice([*QUERIES, *(name for name, _ in query)])
        query.append((name, chance.choice(DOUBTFUL)))
    (method,) = chance.choices(list(METHODS), list(METHODS.values()))
    parameters = "&".join(f"{quoted(name)}={quoted(value)}" for name, value in query)
    return client.build_request(method, f"{'/'.join(steps)}?{parameters}")


def filled_in_form(client: httpx.Client, address: str, chance: random.Random) -> httpx.Request:
    """Return a request that sends a form of a page, or asks for the page if it has none."""
    answer = client.get(address)
    is_page = answer.headers.get("Content-Type", "").startswith("text/html")
    forms = Forms(answer.text).forms if is_page else []
    forms = [form for form in forms if not any(word in form.action for word in ENDS_THE_SESSION)]
    if not forms:
        return client.build_request("GET", address)
    form = chance.choice(forms)
    action, values = urljoin(address, form.action), dict(form.values)
    names = [name for name in values if name != "csrfmiddlewaretoken"]
    for name in chance.sample(names, min(len(names), chance.choice((0, 1, 1, 2, 5)))):
        values[name] = [] if chance.random() < 0.2 else [chance.choice(DOUBTFUL)]
    if form.method != "post":
        return client.build_request(
            "GET", f"{action.partition('?')[0]}?{urlencode(values, doseq=True, errors='replace')}"
        )
    if form.files:
        files = {name: ("a.csv", chance.choice(FILES)) for name in form.files}
        return client.build_request("POST", action, files=files, data=values)
    return client.build_request(
        "POST",
        action,
        content=urlencode(values, doseq=True, errors="surrogatepass"),
        headers={"Content-Type": "application/x-www-form-urlencoded"},
    )


def quoted(text: str) -> str:
    return quote(text.encode(errors="surrogatepass"), safe="")
