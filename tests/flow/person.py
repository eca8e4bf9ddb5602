"""A person who files in a browser, without script: the pages of one institution and period."""

from __future__ import annotations

import html
import json
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import httpx

from filing.lar.years import Period
from tests.flow.conftest import Service
from tests.flow.filer import lar

PASSWORD = "a long enough pass phrase"
WORKS_SECONDS = 120
# Each address of the filer's pages that takes a form, below that of the period, with what is sent.
LEADS_ON = {"hx-refresh", "hx-redirect"}  # headers of an answer when checking has finished
FORMS: dict[str, dict[str, str]] = {
    "": {},
    "1/upload/": {},
    "1/notify/": {"wanted": "true"},
    "1/edits/Q611/": {"reviewed": "true"},
    "1/verify/quality/": {"verified": "true"},
    "1/verify/macro/": {"verified": "true"},
    "1/sign/": {"certified": "on"},
    "1/receipt/": {},
}
_MEMBER = """
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import User
from filing.models import Membership
user, is_new = User.objects.get_or_create(username={name!r}, email={email!r})
if is_new:
    user.password = make_password({password!r})
    user.save()
for lei in {leis!r}:
    Membership.objects.get_or_create(user=user, lei=lei)
"""
_FACTS = """
import json
from collections import Counter
from filing.models import FinishedEmail, Mail, Signature, StatusChange, Submission, TrailEntry
from filing.models import Filing
of = {{"submission__filing__institution__lei": {lei!r}}}
trail = TrailEntry.objects.filter(lei={lei!r})
events = Counter(trail.values_list("event", flat=True))
rows = Submission.objects.filter(filing__institution__lei={lei!r}).order_by("sequence_number")
print(json.dumps({{
    "statuses": [each.status for each in rows],
    "verified": [[each.quality_verified, each.macro_verified] for each in rows],
    "events": list(StatusChange.objects.filter(**of).order_by("pk").values_list("event", flat=True)),
    "signatures": Signature.objects.filter(**of).count(),
    "receipts": dict(Counter(Mail.objects.filter(kind="receipt", **of).values_list("to", flat=True))),
    "unsent": Mail.objects.filter(kind="receipt", sent_at=None, **of).count(),
    "requests": FinishedEmail.objects.filter(**of).count(),
    "filings": list(
        Filing.objects.filter(institution__lei={lei!r}, period__quarter="").values_list("status", flat=True)
    ),
    "completed": events["filing completed"],
    "sent again": events["receipt sent again"],
}}))
"""  # noqa: E501


class Person:
    """Someone with an account, at the pages of one of their institutions."""

    def __init__(
        self, service: Service, client: httpx.Client, lei: str, *, name: str, period: str = "2024"
    ) -> None:
        self.service = service
        self.lei = lei
        self.period = period
        self.name = name
        self.headers: dict[str, str] = {}  # what `lar` does not ask for
        self.client = client

    @classmethod
    @contextmanager
    def of(
        cls, service: Service, *leis: str, name: str, client: httpx.Client | None = None
    ) -> Iterator[Person]:
        """Give a person who files for institutions and has signed in, at the first of them.

        client: how the service is reached; by default directly.
        """
        leis = leis or (service.lei(),)
        email = f"{name}@bank.example"
        words = {"name": name, "email": email, "password": PASSWORD, "leis": leis}
        service.shell(_MEMBER.format(**words))
        own = nullcontext(client) if client else httpx.Client(base_url=service.url, timeout=60)
        with own as client:
            made = cls(service, client, leis[0], name=name)
            made.sign_in()
            yield made

    def at(self, lei: str) -> Person:
        """Return the same person, with the same session, at another institution."""
        return Person(self.service, self.client, lei, name=self.name, period=self.period)

    def path(self, page: str = "") -> str:
        """Return the address of a page below that of the period."""
        period = Period.parse(self.period)
        quarter = f"{period.quarter_name}/" if period.is_quarterly else ""
        return f"/filing/{self.lei}/{period.year}/{quarter}{page}"

    def sign_in(self, address: str = "/filing/") -> httpx.Response:
        """Go to an address, fill in the form that it leads to, and return the page after that."""
        form = self.client.get(address, follow_redirects=True)
        fields = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', form.text)
        sent = {name: html.unescape(value) for name, value in fields}
        sent |= {"username": self.name, "password": PASSWORD}
        where = form.url.copy_with(query=None)
        return self.client.post(where, data=sent, follow_redirects=True)

    def decide_on_device(self, address: str, code: str, decision: str = "allow") -> str:
        """Enter the code that a program shows, decide, and return the page after that."""
        page = self.client.get(address, follow_redirects=True)
        if 'name="password"' in page.text:
            page = self.sign_in(address)
        sent = {"csrfmiddlewaretoken": self.token, "user_code": code}
        page = self.client.post(page.url, data=sent)
        assert "act for you?" in page.text
        return self.client.post(page.url, data={**sent, "decision": decision}).text

    @property
    def token(self) -> str:
        """What forms of this browser carry."""
        return str(self.client.cookies["csrftoken"])

    def get(self, page: str = "", **options: Any) -> httpx.Response:
        return self.client.get(self.path(page), **options)

    def post(self, page: str, **more: Any) -> httpx.Response:
        """Send the form of a page. more: other fields, or `files`, or `headers`."""
        options = {each: more.pop(each) for each in ("files", "headers") if each in more}
        data = {"csrfmiddlewaretoken": self.token, **FORMS.get(page, {}), **more}
        return self.client.post(self.path(page), data=data, **options)

    def upload(self, content: bytes, number: int = 1) -> httpx.Response:
        return self.post(f"{number}/upload/", files={"file": ("lar.txt", content)})

    def upload_in_halves(self, content: bytes, *, between: Callable[[], None]) -> httpx.Response:
        """Upload a file for submission 1, and do something while one half has arrived."""
        whole = self.client.build_request(
            "POST",
            self.path("1/upload/"),
            data={"csrfmiddlewaretoken": self.token},
            files={"file": ("lar.txt", content)},
        )
        body = whole.read()

        def halves() -> Iterator[bytes]:
            yield body[: len(body) // 2]
            between()
            yield body[len(body) // 2 :]

        headers = {name: whole.headers[name] for name in ("Content-Type", "Content-Length")}
        return self.client.post(self.path("1/upload/"), content=halves(), headers=headers)

    def content(self, *, rows: int = 60, fail: tuple[str, ...] = ()) -> bytes:
        """Return a file for the institution."""
        return lar(self, rows=rows, fail=fail)  # type: ignore[arg-type]

    def begin(self) -> None:
        answer = self.post("")
        assert answer.status_code == 303, answer.text
        assert answer.headers["Location"] == self.path("1/upload/")

    def file(self, *, rows: int = 60, fail: tuple[str, ...] = ()) -> None:
        """Start a submission, upload a file, and wait until it was checked."""
        self.begin()
        answer = self.upload(self.content(rows=rows, fail=fail))
        assert (answer.status_code, answer.headers["Location"]) == (303, self.path("1/"))
        self.wait()

    def poll(self) -> httpx.Response:
        """Ask for the progress, as the page that shows it does."""
        return self.get("1/", headers={"HX-Request": "true"})

    def wait(self, seconds: float = WORKS_SECONDS) -> None:
        """Wait until the page of the submission is told to load again."""
        until = time.monotonic() + seconds
        while not LEADS_ON & (answer := self.poll()).headers.keys():
            assert answer.status_code == 200, answer.text
            assert time.monotonic() < until, text(answer)
            time.sleep(0.05)

    def facts(self) -> dict[str, Any]:
        """Return what the database has of the institution."""
        question = _FACTS.format(lei=self.lei)
        found = json.loads(self.service.shell(question))
        return dict(found)


def text(answer: httpx.Response) -> str:
    """Return what a person reads on a page, without its header."""
    _, _, main = html.unescape(answer.text).partition("<main")
    return " ".join(re.sub(r"<[^>]*>", " ", main or answer.text).split())
