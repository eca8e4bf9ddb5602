"""`python bench/rolling_restart.py`: a rolling restart while callers upload, read and download.

It runs its own service in a temporary folder. Institutions file without pause; others read the
status of submissions, over new connections and kept ones, and download. Meanwhile all processes
load the code again, as an upgrade makes them: web processes, workers and beat. Counted are refused
and broken connections, responses with 5xx, and files that were confirmed and are not there.

`DATABASE_URL` and `CELERY_BROKER_URL` may name a PostgreSQL database and a Redis, both empty; else
SQLite and a folder.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import httpx

# `filing.py` beside this file has the name of a package, which must be imported instead.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.chaos import YEAR, Setting, lei_of, prepared
from bench.service import Service
from bench.standstill import HISTORY, Outcome, outcome
from filing.client import FilingClient, Refused, Unreachable
from filing.demo import census as demo_census
from filing.demo import panel
from filing.demo.files import Recipe, make
from filing.lar.period import Period
from filing.reference import census as census_file
from filing.statuses import Status

PERIOD = Period(YEAR)
REASON = "The same file is filed again and again."
_RESTART_SECONDS = 180  # for all old web processes to end
_STALL_SECONDS = 120
_LAST_SECONDS = 120  # for files to be finished in the end
_PAUSE_SECONDS = 0.05
_DOWNLOADS = ("/v2/public/edits", "/docs/openapi.json", "/static/site.css")


@dataclass(slots=True)
class Calls:
    """The calls of a run, by kind: seconds of those that were answered, and what went wrong."""

    seconds: dict[str, list[float]] = field(default_factory=dict)
    statuses: Counter[str] = field(default_factory=Counter)
    refused: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)
    _guard: threading.Lock = field(default_factory=threading.Lock)

    def answered(self, kind: str, status: int, seconds: float) -> None:
        """Count a response."""
        with self._guard:
            self.statuses[f"{kind} {status}"] += 1
            self.seconds.setdefault(kind, []).append(seconds)

    def failed(self, kind: str, error: BaseException) -> None:
        """Count a call without a response."""
        cause: BaseException | None = error
        is_refused = False
        while cause is not None:
            is_refused = is_refused or isinstance(
                cause, httpx.ConnectError | ConnectionRefusedError
            )
            cause = cause.__cause__ or cause.__context__
        with self._guard:
            (self.refused if is_refused else self.broken).append(f"{kind}: {error}")

    def errors(self) -> dict[str, int]:
        """Return how many responses had 5xx, by kind and status."""
        return {key: n for key, n in sorted(self.statuses.items()) if key.split()[1] >= "500"}

    def figures(self) -> dict[str, dict[str, float]]:
        """Return the number of responses of each kind, and their median, p95 and most seconds."""
        return {
            kind: {
                "number": len(each),
                "median": round(_share(each, 0.5), 3),
                "p95": round(_share(each, 0.95), 3),
                "most": round(max(each), 3),
            }
            for kind, each in sorted(self.seconds.items())
        }


def _share(seconds: list[float], share: float) -> float:
    ascending = sorted(seconds)
    return ascending[min(len(ascending) - 1, int(share * len(ascending)))]


class Callers:
    """The callers of a run. promised: the last confirmation of the service for each submission."""

    def __init__(self, service: Service, token: str, folder: Path) -> None:
        self.calls, self.promised = Calls(), dict[str, str]()
        self._url, self._token, self._folder = service.stack.url, token, folder
        self._over = threading.Event()
        self._threads: list[threading.Thread] = []
        self._tracts = census_file.facts(demo_census.rows(YEAR)).tracts

    def begin(self, leis: list[str], *, rows: int, readers: int) -> None:
        """Start a filer for each LEI, and readers and downloaders, each in a thread."""
        for lei in leis:
            self._start(self._file, lei, self._lar(lei, rows))
        for number in range(readers):
            self._start(self._read, leis[number % len(leis)], number % 2 == 0)
            self._start(self._download, number % 2 == 0)

    def end(self) -> None:
        """Let the filers finish the submission that they have begun."""
        self._over.set()
        for thread in self._threads:
            thread.join()

    def _start(self, work: Callable[..., None], *arguments: Any) -> None:
        thread = threading.Thread(target=work, args=arguments, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _lar(self, lei: str, rows: int) -> Path:
        like = panel.institutions()[0]
        recipe = Recipe(
            period=PERIOD, lei=lei, rows=rows, tax_id=like["tax_id"], agency=like["agency"]
        )
        file = self._folder / f"{lei}.txt"
        file.write_bytes(b"".join(make(recipe, self._tracts)))
        return file

    def _call(self, kind: str, call: Callable[[], Any]) -> Any:
        """Return the answer, or None for a refusal or a broken connection; count it."""
        began = time.perf_counter()
        try:
            answer = call()
        except Refused as error:
            self.calls.answered(kind, error.status, time.perf_counter() - began)
            return None
        except (Unreachable, httpx.HTTPError) as error:
            self.calls.failed(kind, error)
            return None
        status = answer.status if hasattr(answer, "status") else answer.status_code
        self.calls.answered(kind, status, time.perf_counter() - began)
        return answer

    def _file(self, lei: str, file: Path) -> None:
        with FilingClient(self._url, self._token) as client:
            self._call("start", lambda: client.start_filing(lei, PERIOD))
            while not self._over.is_set():
                created = self._call("create", lambda: client.create_submission(lei, PERIOD))
                if created is None:
                    time.sleep(_PAUSE_SECONDS)
                    continue
                self._finish(client, lei, int(created.body["id"]["sequenceNumber"]), file)

    def _finish(self, client: FilingClient, lei: str, number: int, file: Path) -> None:
        where, name = (lei, PERIOD, number), f"{lei}-{PERIOD}-{number}"
        self.promised[name] = "created"
        until = time.monotonic() + _LAST_SECONDS
        while time.monotonic() < until:
            state = self._call("status", lambda: client.submission(*where))
            code = state.body["status"]["code"] if state else None
            if code == Status.CREATED:
                if self._call("upload", lambda: client.upload(*where, file)):
                    self.promised[name] = "uploaded"
            elif code == Status.VERIFIED:
                if self._call("sign", lambda: client.sign(*where, reason=REASON)):
                    self.promised[name] = "signed"
            elif code is not None and Status(code).is_settled:
                return
            time.sleep(_PAUSE_SECONDS)

    def _read(self, lei: str, is_kept: bool) -> None:
        address = f"/v2/filing/institutions/{lei}/filings/{YEAR}"
        headers = {"Authorization": f"Bearer {self._token}"}
        self._get("read", [address], is_kept, headers)

    def _download(self, is_kept: bool) -> None:
        self._get("download", list(_DOWNLOADS), is_kept, {})

    def _get(self, kind: str, addresses: list[str], is_kept: bool, headers: dict[str, str]) -> None:
        limits = httpx.Limits(max_keepalive_connections=1 if is_kept else 0)
        with httpx.Client(
            base_url=self._url, headers=headers, limits=limits, timeout=60, trust_env=False
        ) as client:
            while not self._over.is_set():
                for address in addresses:
                    self._call(kind, partial(client.get, address))
                time.sleep(_PAUSE_SECONDS)


@dataclass(frozen=True, slots=True)
class Report:
    """The figures of a run. restarts: seconds until the last old web process had ended."""

    setting: dict[str, float]
    load_average: list[float]
    restarts: list[float]
    refused: list[str]
    broken: list[str]
    errors: dict[str, int]
    calls: dict[str, dict[str, float]]
    outcome: dict[str, Any]
    is_whole: bool

    def text(self) -> str:
        """Return the report as lines."""
        lines = [
            f"load average {' to '.join(map(str, self.load_average))}, "
            f"restarts {len(self.restarts)}, in seconds: {', '.join(map(str, self.restarts))}",
            f"refused connections {len(self.refused)}, broken {len(self.broken)}, "
            f"5xx {sum(self.errors.values())} {self.errors or ''}".rstrip(),
            f"submissions {self.outcome['submissions']}, signed {self.outcome['signed']}, "
            f"failed {self.outcome['failed']}, lost {len(self.outcome['lost'])}, "
            f"doubled {len(self.outcome['doubled'])}",
            "seconds          number   median      p95     most",
        ]
        lines += [
            f"{kind:12} {each['number']:10,.0f} {each['median']:8.3f} {each['p95']:8.3f} "
            f"{each['most']:8.3f}"
            for kind, each in self.calls.items()
        ]
        return "\n".join([*lines, *self.refused[:10], *self.broken[:10]])


def run(
    folder: Path, *, restarts: int, institutions: int, readers: int, rows: int, pause: float
) -> Report:
    """Run a service in an empty folder, restart it under load, and return the figures."""
    setting = Setting(minutes=0, institutions=institutions, faults=0, lease=30, rows=rows, seed=1)
    service = prepared(setting, folder)
    leis = [lei_of(number) for number in range(institutions)]
    token = service.manage("token", "--lei", ",".join(leis), "--minutes", "600").strip()
    loads = [round(os.getloadavg()[0], 1)]
    service.stack.start()
    try:
        callers = Callers(service, token, folder)
        callers.begin(leis, rows=rows, readers=readers)
        seconds = []
        for _ in range(restarts):
            time.sleep(pause)
            seconds.append(_restart(service))
        time.sleep(pause)
        callers.end()
        history = json.loads(service.manage("shell", "-v", "0", "-c", HISTORY))
    finally:
        service.stack.stop()
    loads.append(round(os.getloadavg()[0], 1))
    found: Outcome = outcome(history, promised=callers.promised, limit=_STALL_SECONDS, missing=[])
    calls = callers.calls
    return Report(
        setting={"restarts": restarts, "institutions": institutions, "readers": readers}
        | {"rows": rows, "pause": pause},
        load_average=loads,
        restarts=seconds,
        refused=calls.refused,
        broken=calls.broken,
        errors=calls.errors(),
        calls=calls.figures(),
        outcome=asdict(found),
        is_whole=found.is_whole and not (calls.refused or calls.broken or calls.errors()),
    )


def _restart(service: Service) -> float:
    """Make every process load its code again; return the seconds until the old ones have ended."""
    # The one that starts the others stays; it loads the code in the same process.
    before = set(service.processes(b"gunicorn")[1:])
    began = time.monotonic()
    service.stack.reload()
    while time.monotonic() < began + _RESTART_SECONDS:
        now = set(service.processes(b"gunicorn")[1:])
        if not before & now and len(now) >= len(before):
            return round(time.monotonic() - began, 1)
        time.sleep(0.1)
    raise TimeoutError(f"Web processes from before the restart still run: {before & now}")


def main() -> None:
    """Run and print the figures; end with an error if anything was refused, broken or lost."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--restarts", type=int, default=5)
    parser.add_argument("--institutions", type=int, default=8, help="that file without pause")
    parser.add_argument("--readers", type=int, default=4, help="and as many that download")
    parser.add_argument("--rows", type=int, default=200, help="of each file")
    parser.add_argument("--pause", type=float, default=10, help="seconds before each restart")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    arguments = vars(parser.parse_args())
    as_json = arguments.pop("json")
    with tempfile.TemporaryDirectory(prefix="hmda-bench-") as folder:
        report = run(Path(folder), **arguments)
    print(json.dumps(asdict(report)) if as_json else report.text())
    if not report.is_whole:
        sys.exit(1)


if __name__ == "__main__":
    main()
