"""`python bench/attack.py`: sends made-up requests to a service, as anonymous and as each role.

Half go to the operations of the API document, as described and otherwise; half to the pages that
links lead to and their forms, with values that no form expects. The service is one of its own, with
demo data; `--database` and `--broker` let it keep its rows in PostgreSQL and its queue in Redis.

It ends with an error if a request got a 5xx or no response, or if a web process has grown by more
than 60 MB since it first rendered every page.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import tempfile
import time
import uuid
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

# `filing.py` beside this file has the name of a package, which must be imported instead.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import httpx
import psycopg
import requests
import schemathesis

from bench.attack_requests import Page, Request, addresses, of_pages, send_to_api
from bench.service import Service
from filing.lar.period import Period

MOST_GROWTH_MB = 60
YEAR = 2025
_MOST_PAGES = 400  # that one visitor starts from
_DRAWN = 6  # times
_LOOK_AGAIN = 200  # requests after which a visitor sees whether the session still is one
# Anonymous, and the logins of the demo with the role that their tokens have.
CALLERS = {
    "": "",
    "filer": "",
    "helpdesk": "hmda-helpdesk",
    "operator": "hmda-operator",
    "administrator": "hmda-admin",
}
# Puts a login back as it was: an administrator's form may have taken its rights.
_RESTORE = """
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import Group, User
from filing import access
from filing.people import roles
user, _ = User.objects.get_or_create(username={name!r})
user.password = make_password({password!r}); user.is_active = True; user.save()
roles.assign(user, [each for each in access.ROLES if each.group == {group!r}])
"""
_FILER = "from config.demo import filer; print(filer().lei)"


@dataclass
class Tally:
    """The counts of responses by status, and the failed requests."""

    answers: Counter[tuple[str, str, int]] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)

    def add(self, caller: str, area: str, status: int, asked: str) -> None:
        self.answers[caller or "anonymous", area, status // 100 * 100] += 1
        if status >= 500 or not status:
            self.failures.append(f"{status} {caller or 'anonymous'} {asked[:600]}")

    @property
    def total(self) -> int:
        return sum(self.answers.values())


def main() -> None:
    """Send the requests, and print the responses and the memory used."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0, help="another one makes up other requests")
    parser.add_argument("--database", default="", help="postgresql://user@host/ (a new one there)")
    parser.add_argument("--broker", default="", help="redis://host/number")
    options = parser.parse_args()
    tally = Tally()
    began = time.monotonic()
    with (
        tempfile.TemporaryDirectory() as folder,
        database(options.database) as url,
        running(Path(folder), url, options.broker) as service,
    ):
        passwords = service.passwords()
        visitors = [Visitor(service, name, passwords.get(name, ""), tally) for name in CALLERS]
        for visitor in visitors:
            visitor.look_around()
        visitors[0].draw_all()
        before = service.memory()
        requests_each = options.requests // len(visitors)
        for number, visitor in enumerate(visitors):
            until = tally.total + requests_each
            visitor.attack_api(requests_each // 2, options.seed)
            chance = random.Random(options.seed * 100 + number)
            visitor.attack_pages(until, chance)
            who, held = visitor.name or "anonymous", in_mb(service.memory())
            print(f"{tally.total:,} requests, the last as {who}; {held}", flush=True)
        after = service.memory()
        is_there = httpx.get(f"{service.stack.url}/readyz").status_code == 200
    report(tally, before, after, time.monotonic() - began)
    growth = max(after, default=0) - max(before, default=0)
    if tally.failures or growth > MOST_GROWTH_MB or not is_there:
        sys.exit(1)


def report(tally: Tally, before: list[float], after: list[float], seconds: float) -> None:
    """Print the answers by caller and area, the memory, and the first failures."""
    kinds = sorted({status for _, _, status in tally.answers})
    print(f"\n{'':26}", *(f"{status:>7}" for status in kinds))
    for caller, area in dict.fromkeys((who, area) for who, area, _ in tally.answers):
        counts = (tally.answers[caller, area, status] for status in kinds)
        print(f"{caller:14} {area:11}", *(f"{count:7,}" for count in counts))
    print(f"\n{tally.total:,} requests in {seconds:.0f} s, {len(tally.failures)} failures")
    print(f"Memory of web processes: {in_mb(before)} before, {in_mb(after)} after")
    print(*tally.failures[:20], sep="\n")


def in_mb(values: list[float]) -> str:
    return f"{' and '.join(f'{megabytes:.0f}' for megabytes in values)} MB"


@contextmanager
def database(server: str) -> Iterator[str]:
    """Yield the URL of a new database, and drop it at the end; blank without a server."""
    if not server:
        yield ""
        return
    name = f"hmda_attack_{uuid.uuid4().hex[:8]}"
    server = server.rpartition("/")[0]
    with psycopg.connect(f"{server}/postgres", autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
        yield f"{server}/{name}"
        connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


@contextmanager
def running(data_dir: Path, database: str, broker: str) -> Iterator[Attacked]:
    """Run the service with demo data."""
    service = Attacked(data_dir, Period(YEAR))
    service.stack.environment |= {"DATABASE_URL": database}
    service.stack.environment |= {"CELERY_BROKER_URL": broker, "CACHE_URL": broker}
    # A process that is replaced would hide how it grew.
    service.stack.environment |= {"WEB_MAX_REQUESTS": "0", "WEB_MAX_MEMORY_MB": "0"}
    service.manage("prepare", "--demo")
    service.stack.start()
    try:
        yield service
    finally:
        service.stack.stop()


class Attacked(Service):
    """The service under attack."""

    def passwords(self) -> dict[str, str]:
        lines = (self.data_dir / "demo-logins").read_text().splitlines()
        return dict(line.split()[:2] for line in lines)

    def memory(self) -> list[float]:
        """Return the memory of each web process that answers requests, in MB."""
        return self.web_memory_now()[1:]  # without the one that starts the others


class Visitor:
    """A caller with its own session and token."""

    def __init__(self, service: Attacked, name: str, password: str, tally: Tally) -> None:
        self.service, self.name, self.password, self.tally = service, name, password, tally
        self.pages: dict[str, Page | None] = {}
        self.client = httpx.Client(base_url=service.stack.url, timeout=120)
        self.api = requests.Session()
        self.lei = service.manage("shell", "-v", "0", "-c", _FILER).split()[-1]
        if name:
            role = CALLERS[name]
            words = ("--role", role) if role else ("--lei", self.lei)
            token = service.manage("token", *words, "--minutes", "600").strip()
            self.api.headers["Authorization"] = f"Bearer {token}"
            self._sign_in()

    def look_around(self) -> None:
        """Request each page once, and keep its links and forms."""
        starts = ("/", "/admin/" if self.name else "/help/")
        for address, page in addresses(self._page, starts, most=_MOST_PAGES):
            self.pages[address] = page

    def draw_all(self) -> None:
        """Show the pictures so often that each process of two has drawn some of every kind."""
        pictures = [address for address in self.pages if urlsplit(address).path.endswith(".svg")]
        for address in pictures * _DRAWN:
            self._page(address)

    def attack_api(self, number: int, seed: int) -> None:
        """Send requests to the operations of the API document."""
        url = self.service.stack.url
        document = schemathesis.openapi.from_url(f"{url}/docs/openapi.json")
        known = {"lei": self.lei, "year": str(YEAR), "period": str(YEAR), "quarter": "Q1"}
        known |= {"sequenceNumber": "1", "submissionId": "1"}

        def send(case: Any) -> None:
            asked = f"{case.method} {case.formatted_path} {case.query} {case.body!r}"
            try:
                answer = case.call(base_url=url, session=self.api, timeout=120)
            except requests.RequestException as error:
                # What no client can send is no request.
                if not isinstance(error, (requests.ConnectionError, requests.Timeout)):
                    return
                self.tally.add(self.name, "API", 0, f"{asked} {error}")
                return
            except (UnicodeError, ValueError):
                return
            self.tally.add(self.name, "API", answer.status_code, asked)

        send_to_api(document, send, requests=number, known=known, number=seed)

    def attack_pages(self, until: int, chance: random.Random) -> None:
        """Send requests to pages and their forms, until so many of all kinds were sent."""
        for count, request in enumerate(of_pages(self.pages, chance)):
            if self.tally.total >= until:
                return
            if self.name and count % _LOOK_AGAIN == 0:
                self._keep_session()
            try:
                status = self._send(request)
            except httpx.InvalidURL:
                continue  # what no client can send is no request
            except httpx.HTTPError as error:
                status = 0
                request = Request(request.method, f"{request.address} {error!r}")
            area = "admin" if request.address.startswith("/admin/") else "pages"
            asked = f"{request.method} {request.address} {request.data or request.fields!r}"
            self.tally.add(self.name, area, status, asked)

    def _send(self, request: Request) -> int:
        sent: dict[str, Any] = {}
        if request.files is not None:
            sent = {"files": request.files, "data": _sendable(request.fields or {})}
        elif request.data is not None:
            kind = {"Content-Type": "application/x-www-form-urlencoded"}
            sent = {"content": request.data, "headers": kind}
        if "headers" not in sent:
            sent["headers"] = {}
        sent["headers"]["Referer"] = f"{self.service.stack.url}/"
        with self.client.stream(request.method, request.address, **sent) as answer:
            for _ in answer.iter_bytes():
                break  # that a download begins is enough
            return answer.status_code

    def _page(self, address: str) -> Page | None:
        with self.client.stream("GET", address) as answer:
            if answer.is_redirect:
                location = urlsplit(answer.headers["Location"])
                page = Page("")
                page.links.append(location._replace(scheme="", netloc="").geturl())
                return page
            if not answer.headers.get("Content-Type", "").startswith("text/html"):
                return None
            return Page(answer.read().decode())

    def _keep_session(self) -> None:
        answer = self.client.get("/filing/profile/")
        if answer.status_code == 200:
            return
        group = {"helpdesk": "help desk"}.get(self.name, self.name)
        again = _RESTORE.format(name=self.name, password=self.password, group=group)
        self.service.manage("shell", "-v", "0", "-c", again)
        self.client.cookies.clear()
        self._sign_in()

    def _sign_in(self) -> None:
        form = self.client.get("/sign-in/", follow_redirects=True)
        page = next(candidate for candidate in Page(form.text).forms if candidate.method == "post")
        entered = dict(page.values) | {"username": self.name, "password": self.password}
        address = form.url.copy_with(query=None)
        answer = self.client.post(address, data=entered, follow_redirects=True)
        if not re.search("Sign out|Log out", answer.text):
            raise SystemExit(f"{self.name} could not sign in: {answer.status_code}")


def _sendable(fields: Any) -> dict[str, list[str]]:
    return {
        name: [value.encode(errors="replace").decode() for value in values]
        for name, values in fields.items()
    }


if __name__ == "__main__":
    main()
