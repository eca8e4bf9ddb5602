"""`python bench/filer_pages.py`: how long the filer's pages take with a large submission.

It files three files in its own service: one in which each edit of loans and of the file is
triggered, one with formatting errors, and one that can be verified and signed. Then each page is
read again and again, and the last file is verified and signed in between.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path

# `filing.py` beside this file has the name of a package, which must be imported instead.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import httpx
import numpy as np

from bench import files, report
from bench.files import FILER, Kind
from bench.plain_loop import YEAR
from bench.service import Service, running

LIMIT_MS = 100
KINDS = (Kind.FAULTY, Kind.UNREADABLE, Kind.DIRTY)
FILING = f"/filing/{FILER['lei']}/{YEAR}/"
TO_SIGN = f"{FILING}3/"
SIGN_IN = f"""
import time
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.models import User
from django.contrib.sessions.backends.db import SessionStore
from config.identity import tokens
from filing.models import Membership
from filing.people import last_authentication
user = User.objects.create_user("bench", "bench@bench.example")
tokens.known(user)
Membership.objects.create(user=user, lei="{FILER["lei"]}")
session = SessionStore()
session[SESSION_KEY] = str(user.pk)
session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
session[HASH_SESSION_KEY] = user.get_session_auth_hash()
last_authentication.record(session, time.time() + 86400)
session.create()
print(settings.SESSION_COOKIE_NAME, session.session_key)
"""


@dataclass(frozen=True, slots=True)
class Read:
    """The times of a page in milliseconds, median and 95th percentile, and its bytes."""

    page: str
    status: int
    p50: float
    p95: float
    size: int


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--reads", type=int, default=100, help="times that each page is read")
    options = parser.parse_args()
    with (
        tempfile.TemporaryDirectory(prefix="hmda-bench-") as folder,
        tempfile.TemporaryDirectory(prefix="hmda-bench-data-") as data_dir,
        running(Path(data_dir), YEAR) as service,
    ):
        for number, kind in enumerate(KINDS, start=1):
            path = Path(folder) / f"{number}.txt"
            files.write(path, kind, rows=options.rows, year=YEAR)
            service.file(path, rows=options.rows, repeat=1)
        reads = list(_reads(service, options.reads))
    _show(reads, options.rows)


def _pages() -> Iterator[str]:
    yield from ("/filing/", f"/filing/{FILER['lei']}/", FILING, f"{FILING}compare/1/3/")
    yield from (f"{FILING}1/{page}" for page in ("", "edits/", "edits/?q=income"))
    yield from (f"{FILING}1/edits/V628-1/", f"{FILING}1/edits/report/")
    errors = f"{FILING}2/formatting-errors/"
    yield from (f"{FILING}2/", errors, f"{errors}?group=1&page=99", f"{errors}?page=999")
    yield from (f"{TO_SIGN}{page}" for page in ("", "edits/", "edits/Q606/?page=9999"))
    yield from (f"{TO_SIGN}verify/{kind}/" for kind in ("quality", "macro"))


def _reads(service: Service, times: int) -> Iterator[Read]:
    name, key = service.manage("shell", "-v", "0", "-c", SIGN_IN).split()
    with httpx.Client(base_url=service.stack.url, cookies={name: key}, timeout=120) as client:
        yield from (_read(client, page, times) for page in _pages())
        for kind in ("quality", "macro"):
            _send(client, f"{TO_SIGN}verify/{kind}/", verified="true")
        yield _read(client, f"{TO_SIGN}sign/", times)
        _send(client, f"{TO_SIGN}sign/", certified="on")
        yield from (_read(client, page, times) for page in (TO_SIGN, f"{TO_SIGN}receipt/"))


def _read(client: httpx.Client, page: str, times: int) -> Read:
    answer = client.get(page)  # once unmeasured
    taken = []
    for _ in range(times):
        began = time.perf_counter()
        answer = client.get(page)
        taken.append((time.perf_counter() - began) * 1000)
    p50, p95 = np.percentile(taken, (50, 95)).tolist()
    return Read(page, answer.status_code, p50, p95, len(answer.content))


def _send(client: httpx.Client, page: str, **form: str) -> None:
    answer = client.post(page, data={"csrfmiddlewaretoken": client.cookies["csrftoken"], **form})
    if answer.status_code != HTTPStatus.SEE_OTHER:
        raise ValueError(f"{page} answered {answer.status_code}.")


def _show(reads: list[Read], rows: int) -> None:
    title = f"The filer's pages with submissions of {rows:,} records"
    table = report.table_of(title, "page", "status", "p50 ms", "p95 ms", "kB")
    for read in reads:
        figures = (f"{read.p50:.1f}", f"{read.p95:.1f}", f"{read.size / 1000:.0f}")
        table.add_row(read.page, str(read.status), *figures)
    report.show_pages(table, report.slowest([read.p95 for read in reads], LIMIT_MS))


if __name__ == "__main__":
    main()
