"""A rolling restart under load: no broken connection, no error, nothing lost or done twice."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from pathlib import Path

import httpx
import pytest

from bench.service import Service, lei_of
from filing.lar.years import Period
from tests.resilience.chaos import YEAR
from tests.resilience.refiling import Refiling
from tests.resilience.standstill import HISTORY, compute_outcome

pytestmark = pytest.mark.resilience

RESTARTS, INSTITUTIONS, READERS = 2, 3, 4
PAUSE_SECONDS, RESTART_SECONDS, STALL_SECONDS = 4, 180, 120
DOWNLOADS = ("/v2/public/edits", "/docs/openapi.json", "/static/site.css")


class Readers:
    """Programs that read and download without pause; half of them keep their connection."""

    def __init__(self, url: str, token: str, addresses: list[str]) -> None:
        self.answers, self.errors = 0, list[str]()
        self._url, self._addresses = url, addresses
        self._headers = {"Authorization": f"Bearer {token}"}
        self._over = threading.Event()
        self._threads = [
            threading.Thread(target=self._read, args=(number % 2,)) for number in range(READERS)
        ]

    def __enter__(self) -> Readers:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join()

    def _read(self, kept_connections: int) -> None:
        limits = httpx.Limits(max_keepalive_connections=kept_connections)
        with httpx.Client(
            base_url=self._url, headers=self._headers, limits=limits, timeout=60, trust_env=False
        ) as client:
            while not self._over.wait(0.05):
                for address in self._addresses:
                    try:
                        client.get(address).raise_for_status()
                    except httpx.HTTPError as error:
                        self.errors.append(f"{address}: {error!r}")
                    self.answers += 1


def restart(service: Service) -> None:
    """Replace web processes and workers; return once the old web processes have ended."""
    server, *processes = service.processes(b"gunicorn")  # the one that starts the others stays
    before = set(processes)
    for process in (server, *service.processes(b"celery")):
        os.kill(process, signal.SIGHUP)
    until = time.monotonic() + RESTART_SECONDS
    while (running := set(service.processes(b"gunicorn")[1:])) & before or len(running) < len(
        before
    ):
        assert time.monotonic() < until, f"from before the restart: {before & running}"
        time.sleep(0.1)


def test_no_caller_notices_a_rolling_restart(tmp_path: Path) -> None:
    service = Service(tmp_path, Period(YEAR))
    leis = [lei_of(number) for number in range(INSTITUTIONS)]
    service.prepare(leis)
    token = service.manage("token", "--lei", ",".join(leis), "--minutes", "600").strip()
    service.stack.start()
    try:
        refiling = Refiling(service.stack.url, token, tmp_path, YEAR)
        refiling.begin(leis, rows=50)
        filings = [f"/v2/filing/institutions/{lei}/filings/{YEAR}" for lei in leis]
        with Readers(service.stack.url, token, [*filings, *DOWNLOADS]) as readers:
            for _ in range(RESTARTS):
                time.sleep(PAUSE_SECONDS)
                restart(service)
            time.sleep(PAUSE_SECONDS)
            refiling.end(wait=STALL_SECONDS)
        history = json.loads(service.manage("shell", "-v", "0", "-c", HISTORY))
    finally:
        service.stack.stop()
    outcome = compute_outcome(history, promised=refiling.promised, limit=STALL_SECONDS, missing=[])
    assert (refiling.troubles, readers.errors) == ([], [])
    assert readers.answers > 100
    assert outcome.is_whole, outcome
    assert outcome.signed >= INSTITUTIONS
