"""Makes up requests to every operation of the API document, and to pages and their forms."""

from __future__ import annotations

import html
import random
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode, urljoin, urlsplit

import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.errors import HypothesisException
from schemathesis import Case, GenerationMode

# Unexpected values for forms and addresses.
DOUBTFUL = (
    *("", " ", "0", "-1", "1", "99999999999999999999", "1e309", "NaN", "true", "null", "None"),
    *("'", '"', "' OR 1=1 --", "<script>alert(1)</script>", "{{7*7}}", "%", "_", "\\", "../../etc"),
    *("\0", "\ud800", "\u202e", "é" * 300, "\U0001d518", "a" * 5000, "\r\nX-A: b", "a\tb", "=1+1"),
    *("2024", "2024-Q1", "2024-Q9", "9999", "2024-02-30", "2024-01-01", "0001-01-01", "25:61"),
    *("529900DEMOBANK000101", "B90YWS6AFX2LGWOXJ1LD", "x@y", "a@b.example", "[1]", '{"a": 1}'),
)
FILES = (
    b"",
    b"\0" * 1000,
    b"PK\3\4" + b"x" * 200,
    b"1|2\n" * 50,
    b"activity_year,lei,name\n2024,x,\xff\n",
    b'{"a": [1]}',
    "2|é|".encode("utf-16"),
)
_QUERIES = (
    *("q", "o", "p", "page", "all", "next", "year", "years", "states", "lei", "leis", "name"),
    *("state", "code", "client_id", "error", "action", "status__exact", "e", "_popup", "_to_field"),
)
_METHODS = {"GET": 80, "HEAD": 5, "POST": 8, "PUT": 3, "DELETE": 2, "OPTIONS": 2}  # percent
_LINKS = {"a": "href", "link": "href", "img": "src", "form": "action"}
_VARIABLE = re.compile(r"\b[A-Z0-9]{20}\b|\b[SVQ]\d{3}(-\d{1,2})?\b|\d+")
# They end the session, which every request needs.
_NOT_FOLLOWED = re.compile(r"/(logout|sign-out)\b")
_FEW = 3


@dataclass
class Form:
    """A form of a page: its action, and its initial values."""

    action: str
    method: str
    values: list[tuple[str, str]] = field(default_factory=list)
    files: list[str] = field(default_factory=list)


class Page(HTMLParser):
    """The links and the forms of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.forms: list[Form] = []
        self._is_in_form = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if address := values.get(_LINKS.get(tag, "")):
            self.links.append(address)
        if tag == "form":
            method = values.get("method", "get").lower()
            self.forms.append(Form(values.get("action", ""), method))
            self._is_in_form = True
        elif self._is_in_form and (name := values.get("name")):
            form = self.forms[-1]
            if values.get("type") == "file":
                form.files.append(name)
            elif tag in ("input", "button", "textarea", "select"):
                form.values.append((name, html.unescape(values.get("value", ""))))

    def handle_endtag(self, tag: str) -> None:
        self._is_in_form = self._is_in_form and tag != "form"


@dataclass(frozen=True)
class Request:
    """A request to a page, sent unchanged even if no browser would send it."""

    method: str
    address: str
    data: bytes | None = None
    files: Mapping[str, tuple[str, bytes]] | None = None
    fields: Mapping[str, list[str]] | None = None


def addresses(get: Callable[[str], Any], starts: tuple[str, ...], *, most: int) -> Iterator[Any]:
    """Yield the address and the page of everything that links lead to, at most a few of a kind.

    get: returns the answer to an address, None where it is no page.
    """
    waiting, seen = list(starts), set[str]()
    kinds: dict[str, int] = {}
    while waiting and len(seen) < most:
        address = waiting.pop(0)
        parts = urlsplit(address)
        kind = _VARIABLE.sub("#", parts.path) + "?" * bool(parts.query)
        if address in seen or parts.netloc or kinds.get(kind, 0) >= _FEW:
            continue
        if _NOT_FOLLOWED.search(parts.path):
            continue
        seen.add(address)
        kinds[kind] = kinds.get(kind, 0) + 1
        page = get(address)
        yield address, page
        if page is not None:
            onward = (urljoin(address, link).partition("#")[0] for link in page.links)
            waiting += [address for address in onward if address.startswith("/")]


def of_pages(pages: Mapping[str, Page | None], chance: random.Random) -> Iterator[Request]:
    """Yield requests without end: to addresses, half of them changed, and forms filled in."""
    known = list(pages)
    forms = [
        (address, form)
        for address, page in pages.items()
        if page is not None
        for form in page.forms
        if not _NOT_FOLLOWED.search(form.action)
    ]
    while True:
        if forms and chance.random() < 0.4:
            yield _form_request(*chance.choice(forms), chance)
        else:
            yield _page_request(chance.choice(known), chance)


def _page_request(address: str, chance: random.Random) -> Request:
    parts = urlsplit(address)
    steps = parts.path.split("/")
    if chance.random() < 0.5:
        place = chance.randrange(len(steps))
        steps[place] = _quoted(chance.choice(DOUBTFUL))
    query = parse_qsl(parts.query, keep_blank_values=True)
    for _ in range(chance.choice((0, 0, 1, 3))):
        name = chance.choice([*_QUERIES, *(name for name, _ in query)])
        query.append((name, chance.choice(DOUBTFUL)))
    (method,) = chance.choices(list(_METHODS), list(_METHODS.values()))
    path = "/".join(steps) or "/"
    asked = "&".join(f"{_quoted(name)}={_quoted(value)}" for name, value in query)
    return Request(method, f"{path}?{asked}" if asked else path)


def _form_request(address: str, form: Form, chance: random.Random) -> Request:
    action = urljoin(address, form.action)
    values: dict[str, list[str]] = {}
    for name, value in form.values:
        values.setdefault(name, []).append(value)
    names = [name for name in values if name != "csrfmiddlewaretoken"]
    for name in chance.sample(names, min(len(names), chance.choice((0, 1, 1, 2, 5)))):
        values[name] = [] if chance.random() < 0.2 else [chance.choice(DOUBTFUL)]
    if form.method != "post":
        asked = urlencode(values, doseq=True, errors="replace")
        return Request("GET", f"{action.partition('?')[0]}?{asked}")
    if form.files:
        files = {name: ("a.csv", chance.choice(FILES)) for name in form.files}
        return Request("POST", action, files=files, fields=values)
    data = urlencode(values, doseq=True, errors="surrogatepass")
    return Request("POST", action, data=data.encode())


def _quoted(text: str) -> str:
    return quote(text.encode(errors="surrogatepass"), safe="")


def send_to_api(
    document: Any,
    send: Callable[[Case], None],
    *,
    requests: int,
    known: Mapping[str, Any],
    number: int,
) -> None:
    """Send about as many requests, the same number to each operation.

    A third are as described, a third also name something that exists, a third are not as described.
    known: values of path parameters that exist.
    """
    operations = [found.ok() for found in document.get_all_operations()]
    number_each = max(1, round(requests / len(operations) / 3))
    for operation in operations:
        own = {
            parameter.name: known[parameter.name]
            for parameter in operation.path_parameters
            if parameter.name in known
        }
        ways: list[dict[str, Any]] = [
            {},
            {"path_parameters": own},
            {"generation_mode": GenerationMode.NEGATIVE},
        ]
        for way in ways:
            try:
                _send(operation.as_strategy(**way), send, number_each, number)
            except (HypothesisException, schemathesis.errors.SchemathesisError):
                continue  # an operation without parameters has nothing that could be wrong


def _send(strategy: Any, send: Callable[[Case], None], times: int, number: int) -> None:
    @seed(number)
    @settings(
        max_examples=times,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=strategy)
    def send_each(case: Case) -> None:
        send(case)

    send_each()
