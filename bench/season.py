"""`python bench/season.py`: the time of opening a season from its form, and of opening it again.

It uses its own service over HTTP, as an operator's browser does; the workers do the rest.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from html import unescape
from pathlib import Path

# `filing.py` beside this file has the name of a package, which must be imported instead.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import httpx

from bench.service import Service
from filing.demo.panel import lei
from filing.lar.period import Period

YEAR = 2025
LIMIT_SECONDS = 30
_OPEN = "/admin/filing/seasonopening/open/"
_ASK_SECONDS = 0.1
# The session of an operator; signing in is not measured.
_SIGN_IN = """
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.models import User
from django.contrib.sessions.backends.db import SessionStore
user, _ = User.objects.get_or_create(username="operator", is_staff=True, is_superuser=True)
session = SessionStore()
session[SESSION_KEY] = str(user.pk)
session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
session[HASH_SESSION_KEY] = user.get_session_auth_hash()
session.create()
print(settings.SESSION_COOKIE_NAME, session.session_key)
"""


@dataclass(frozen=True, slots=True)
class Opened:
    """The times of one opening in seconds. run: from the confirmation to the report."""

    form: float
    preview: float
    run: float
    made: int
    said: str


def main() -> None:
    """Measure and print; ends with an error above the limit, or if filings were made twice."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--institutions", type=int, default=10_000)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="hmda-bench-") as folder:
        first, again = _measure(Path(folder), options.institutions)
    if options.json:
        print(json.dumps({"first": asdict(first), "again": asdict(again)}))
    else:
        for name, opened in (("first", first), ("again", again)):
            print(
                f"{name}: form {opened.form:.2f} s, preview {opened.preview:.2f} s, "
                f"from confirmation to report {opened.run:.2f} s. {opened.said}"
            )
    if again.made or max(first.run, again.run) > LIMIT_SECONDS:
        sys.exit(f"More than {LIMIT_SECONDS} seconds, or filings were made twice.")


def _measure(folder: Path, institutions: int) -> tuple[Opened, Opened]:
    panel = folder / "panel_of_many.csv"
    names = "activity_year,lei,name,tax_id,agency,email_domains,quarterly_filer"
    rows = (
        f"{YEAR},{_lei(number)},Bank {number},12-{number:07d},9,b{number}.example,"
        f"{'true' if number % 10 == 0 else 'false'}"
        for number in range(institutions)
    )
    panel.write_text("\n".join([names, *rows]) + "\n")
    service = Service(folder, Period(YEAR))
    service.manage("prepare")
    service.manage("load_census", str(YEAR), "--demo")
    service.manage("load_institutions", "--strict", str(panel))
    cookie, session = service.manage("shell", "-v", "0", "-c", _SIGN_IN).split()
    service.stack.start()
    try:
        with httpx.Client(
            base_url=service.stack.url, cookies={cookie: session}, timeout=120
        ) as operator:
            return _open(operator), _open(operator)
    finally:
        service.stack.stop()


def _lei(number: int) -> str:
    return lei(f"549300BENCH{number:07d}")


def _open(operator: httpx.Client) -> Opened:
    """Open the season as an operator does: form, preview, confirmation, report."""
    parameters = {"year": str(YEAR)}
    form, page = _timed(lambda: operator.get(_OPEN, params=parameters))
    preview, page = _timed(lambda: operator.post(_OPEN, data=_fields(page)))
    confirmed = {**_fields(page), "reason": "The season begins."}
    began = time.perf_counter()
    answer = operator.post(f"{_OPEN}confirm/", data=confirmed)
    assert answer.is_redirect, _mistakes(answer.text)
    part = answer.headers["Location"].replace("/change/", "/progress/")
    while "Report" not in (page := operator.get(part).text):
        time.sleep(_ASK_SECONDS)
    report = re.sub(r"<[^>]+>|\s+", " ", page.split("</h2>")[1].split("</p>")[0]).strip()
    filings = re.search(r"([\d,]+) filings? made", report)
    return Opened(
        form=form,
        preview=preview,
        run=time.perf_counter() - began,
        made=int(filings[1].replace(",", "")) if filings else 0,
        said=unescape(report),
    )


def _mistakes(page: str) -> list[str]:
    return re.findall(r"<li>([^<]+)</li></ul>", page)


def _timed(ask: Callable[[], httpx.Response]) -> tuple[float, str]:
    began = time.perf_counter()
    answer = ask()
    assert answer.status_code == 200, answer.status_code
    return time.perf_counter() - began, answer.text


def _fields(page: str) -> dict[str, str]:
    """Return what a browser would send of the season's form: what is filled in and ticked."""
    form = page[page.index('<form method="post" action="/admin/filing') :]
    fields = {}
    for tag in re.findall(r"<input [^>]+>", form):
        parts = dict(re.findall(r'(\w+)="([^"]*)"', tag))
        unticked = parts["type"] == "checkbox" and "checked" not in tag
        if "name" in parts and not unticked and parts["type"] != "submit":
            blank = "on" if parts["type"] == "checkbox" else ""
            fields[parts["name"]] = unescape(parts.get("value", blank))
    return fields


if __name__ == "__main__":
    main()
