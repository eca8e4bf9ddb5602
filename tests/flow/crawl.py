"""Follows links: a visitor with a session of their own, and what each address answered them."""

from __future__ import annotations

import html
import re
from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import NamedTuple
from urllib.parse import parse_qsl, urldefrag, urljoin, urlsplit

import httpx

MOST_OF_A_KIND = 2
_LINKS = {"a": "href", "link": "href", "img": "src", "script": "src", "use": "href"}
# What differs between addresses of one kind.
_VARIABLE = re.compile(r"\b[A-Z0-9]{20}\b|\b[SVQ]\d{3}(-\d{1,2})?\b|\d+")


class Step(NamedTuple):
    """An answer to a link: the page with the link, and where a redirect leads."""

    page: str
    address: str
    status: int
    location: str = ""

    @property
    def onward(self) -> tuple[str, str]:
        """The paths that a redirect leads from and to."""
        return urlsplit(self.address).path, urlsplit(self.location).path

    def __str__(self) -> str:
        onward = f" -> {self.location}" if self.location else ""
        return f"{self.status} {self.address}{onward} (linked from {self.page})"


class Links(HTMLParser):
    """The links of a page, and the places in it that a link can name."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.places: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.places.update(filter(None, (values.get("id"), values.get("name"))))
        address = values.get(_LINKS.get(tag, ""))
        if tag == "form" and (values.get("method") or "get").lower() == "get":
            address = values.get("action")
        if address:
            self.addresses.append(address)


@dataclass
class Visitor:
    """Somebody who follows every link, at most a few of a kind."""

    url: str
    client: httpx.Client = field(init=False)
    steps: list[Step] = field(default_factory=list)
    dangling: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.client = httpx.Client(base_url=self.url, timeout=60)

    def __enter__(self) -> Visitor:
        return self

    def __exit__(self, *error: object) -> None:
        self.client.close()

    def sign_in(self, username: str, password: str) -> None:
        """Sign in at the embedded provider, as its form asks."""
        form = self.client.get("/sign-in/", follow_redirects=True)
        entered = {**_hidden_fields(form), "username": username, "password": password}
        answer = self.client.post(
            form.url.copy_with(query=None), data=entered, follow_redirects=True
        )
        assert answer.status_code == 200, answer.text
        assert "Sign out" in answer.text or "Log out" in answer.text

    def _give_reason(self, address: str) -> None:
        """Give the reason for which staff open records, as the form asks."""
        form = self.client.get(address)
        entered = {**_hidden_fields(form), "reason": "The filer asks about line 17."}
        answer = self.client.post(address, data=entered, headers={"Referer": address})
        assert answer.status_code == 303, answer.text

    def walk(self, *starts: str) -> None:
        """Follow all links from some addresses on, and keep what each answered."""
        kinds: Counter[tuple[str, ...]] = Counter()
        waiting = deque(("", urljoin(self.url, start)) for start in starts)
        seen: set[str] = set()
        named: list[tuple[str, str, str]] = []
        places: dict[str, set[str]] = {}
        while waiting:
            page, whole = waiting.popleft()
            address, place = urldefrag(whole)
            if place:
                named.append((page, address, place))
            if address in seen or not address.startswith(f"{self.url}/"):
                continue
            seen.add(address)
            kind = _kind(address)
            kinds[kind] += 1
            if kinds[kind] > MOST_OF_A_KIND:
                continue
            links = [(address, link) for link in self._visit(page, address, places)]
            if self.steps[-1].location:
                waiting.extendleft(links)  # at once, as a browser does: a sign-in does not wait
            else:
                waiting.extend(links)
        self.dangling += [
            f"{address}#{place} (linked from {page})"
            for page, address, place in named
            if address in places and place not in places[address]
        ]

    def _visit(self, page: str, address: str, places: dict[str, set[str]]) -> Iterator[str]:
        with self.client.stream("GET", address) as answer:
            location = urljoin(address, answer.headers.get("Location", ""))
            is_redirect = answer.is_redirect
            if urlsplit(location).path.startswith("/filing/reason/"):
                answer.close()
                self._give_reason(location)
                yield from self._visit(page, address, places)
                return
            self.steps.append(
                Step(page, address, answer.status_code, location if is_redirect else "")
            )
            if is_redirect:
                yield location
                return
            if not answer.headers.get("Content-Type", "").startswith("text/html"):
                return  # a file: that it begins is enough
            links = Links(answer.read().decode())
        places[address] = links.places
        for link in links.addresses:
            onward = urljoin(address, link)
            # Lists lead to themselves with one choice more, without end.
            if not (urlsplit(address).query and urlsplit(onward).query):
                yield onward


def _hidden_fields(form: httpx.Response) -> dict[str, str]:
    hidden = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', form.text)
    return {name: html.unescape(value) for name, value in hidden}


def _kind(address: str) -> tuple[str, ...]:
    parts = urlsplit(address)
    names = sorted({name for name, _ in parse_qsl(parts.query, keep_blank_values=True)})
    return (_VARIABLE.sub("#", parts.path), *names)
