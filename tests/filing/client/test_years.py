"""A client that is older than the year of a file, and what it asks the site before it files."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from config.running.supervisor import ROOT
from filing.client import api
from filing.client.command import main
from filing.lar.years import RULEBOOKS, Period
from tests.filing.client.test_command import home, written

__all__ = ["home"]  # a fixture
# The files are of institutions that may be in a panel.
pytestmark = pytest.mark.django_db

LAST = RULEBOOKS[-1]
NEXT = LAST + 1


def run(*words: object) -> subprocess.CompletedProcess[str]:
    """Run `hmda` in a process of its own, which knows no years of a service."""
    return subprocess.run(
        [sys.executable, "-m", "filing.client", *map(str, words)],
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)},
        capture_output=True,
        check=False,
        text=True,
    )


def test_a_file_of_a_later_year_is_checked_with_the_newest_rules_and_that_is_said(
    tmp_path: Path,
) -> None:
    path = written(tmp_path / "lar.txt", period=Period(NEXT))
    ended = run("check", path, "--json")
    assert ended.returncode == 0, ended.stderr
    answer = json.loads(ended.stdout)
    assert (answer["period"], answer["rulebook"]["year"]) == (str(NEXT), LAST)
    assert answer["rulebook"]["provisional"]
    assert str(LAST) in ended.stderr
    of_now = run("check", written(tmp_path / "now.txt", period=Period(LAST)), "--json")
    assert ("rulebook" in json.loads(of_now.stdout), of_now.stderr) == (False, "")


Site = Callable[..., str]


@pytest.fixture
def site() -> Iterator[Site]:
    """Serve one answer at the address of the periods, and 404 anywhere else."""
    answers: list[tuple[int, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, content = answers[0] if self.path == api.PERIODS else (404, {})
            body = json.dumps(content).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Keep quiet."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()

    def address(content: Any, status: int = 200) -> str:
        answers[:] = [(status, content)]
        return f"http://127.0.0.1:{server.server_address[1]}"

    yield address
    server.shutdown()
    thread.join()
    server.server_close()


def entry(year: int, stage: str, rulebook: int, quarter: str | None = None) -> dict[str, Any]:
    return {"year": year, "quarter": quarter, "stage": stage, "rulebook": rulebook}


PERIODS = {
    "periods": [entry(LAST, "filing", LAST), entry(LAST, "filing", LAST, "Q1")],
    "years": [
        {"year": NEXT, "stage": "checks", "rulebook": LAST},
        {"year": LAST, "stage": "filing", "rulebook": LAST},
    ],
}


@pytest.mark.parametrize(
    ("period", "is_refused"),
    [
        (Period(LAST), False),
        (Period(LAST, 1), False),
        (Period(LAST, 2), False),  # not listed, and left to the site
        (Period(NEXT), True),
        (Period(NEXT, 1), True),
        (Period(NEXT + 1), True),
    ],
    ids=str,
)
def test_a_file_of_a_year_that_is_not_open_is_not_sent(
    site: Site, period: Period, is_refused: bool
) -> None:
    years = api.ask_site_years(site(PERIODS))
    assert bool(years.refusal(period)) == is_refused
    assert bool(years.notice(period.year)) == (period.year == NEXT)


@pytest.mark.parametrize(
    ("status", "content"),
    [(404, {}), (500, {}), (200, []), (200, {"periods": [{"year": "x"}]}), (200, {"periods": 7})],
)
def test_a_site_that_does_not_say_it_is_asked_for_everything(
    site: Site, status: int, content: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(api, "_PATIENCE", 0.0)
    years = api.ask_site_years(site(content, status))
    assert years == api.SiteYears()
    assert years.refusal(Period(NEXT)) == years.notice(NEXT) == ""


def test_the_command_sends_no_file_that_the_site_does_not_take(
    site: Site, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HMDA_TOKEN", "a-token")
    path = written(tmp_path / "lar.txt", period=Period(NEXT))
    code = main(["file", str(path), "--url", site(PERIODS), "--json"])
    shown = capsys.readouterr()
    (filed,) = json.loads(shown.out)["files"]
    assert (code, filed["submission"]) == (3, 0)
    assert filed["rulebook"] == {"year": LAST, "provisional": True}
    assert filed["error"]
    assert str(LAST) in shown.err
