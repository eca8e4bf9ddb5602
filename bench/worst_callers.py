"""`python bench/worst_callers.py`: callers without an account, each doing their worst.

It runs its own service with made-up public records and limits as shipped. Three callers with
addresses of their own, and four threads each, send the requests that cost most; meanwhile someone
reads small pages. Where the system has control groups and the bench may make one, the web processes
live in one of the size of a container. It prints what the web processes used, and whether any was
killed or any connection reset; and the processor seconds of each request alone.
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

# `filing.py` beside this file has the name of a package, which must be imported instead.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import httpx

from bench import report
from bench.browser import run_python
from bench.costly_files import make_workbook
from bench.other_requests import reads_while
from bench.service import Service
from filing.lar.years import Period

CALLERS, THREADS = 3, 4
CONTAINER_MB = 2048  # the web container of deploy/compose.yaml
_GROUP = Path("/sys/fs/cgroup/memory/worst-callers")
_LIMITS = ("LIMIT_PUBLIC", "LIMIT_AUTHENTICATED", "LIMIT_SIGN_IN", "LIMIT_PUBLIC_UPLOAD")
_VIEW = "/v2/data-browser-api/view"
_YEARS = "years=2018,2019,2020,2021,2022"


def _ask_assistant(leis: list[str]) -> dict[str, Any]:
    arguments = {"years": ["2022"], "measure": "count", "by": ["leis"], "leis": leis}
    return {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "compute_figures", "arguments": arguments},
    }


def list_requests() -> dict[str, dict[str, Any]]:
    """Return the requests that cost most, as arguments of `httpx.Client.request`."""

    def get(url: str) -> dict[str, Any]:
        return {"method": "GET", "url": url}

    def figures(by: str, measure: str) -> dict[str, Any]:
        return get(f"{_VIEW}/figures?{_YEARS}&by={by}&measure={measure}")

    def send(url: str, name: str, content: bytes) -> dict[str, Any]:
        return {"method": "POST", "url": url, "files": {"file": (name, content)}}

    # 240 kB, with a text of 30,000 characters in each of 20,000 cells.
    workbook = make_workbook(200, 100, "x" * 30_000)
    many_leis = [f"549300{number:014d}" for number in range(50_000)]
    medians = "loan_amount"
    return {
        "medians by leis, counties, ages": figures("leis,counties,ageapplicant", medians),
        "medians by counties, ages, races": figures("counties,ageapplicant,races", medians),
        "medians by tracts": figures("tracts", medians),
        "rates by leis, counties, debt": figures("leis,counties,debt_to_income", "denial_rate"),
        "page by counties, medians": get(f"/data/browser/?{_YEARS}&by=counties&measure={medians}"),
        "workbook of one text": send("/v2/public/lar/convert?year=2024", "a.xlsx", workbook),
        "CSV of 45 MB, converted": send(
            "/v2/public/lar/convert?year=2024", "a.csv", b"a,b,c\n" + b"1,2,3\n" * 7_500_000
        ),
        "50 MB of tiny lines, parsed": send("/v2/public/hmda/parse", "a.txt", b"2\n" * 25_000_000),
        "assistant, 50,000 LEIs": {
            "method": "POST",
            "url": "/v2/public/mcp",
            "json": _ask_assistant(many_leis),
            "headers": {"Accept": "application/json, text/event-stream"},
        },
        "assistant, JSON 1,000 deep": {
            "method": "POST",
            "url": "/v2/public/mcp",
            "content": b"[" * 1_000 + b"]" * 1_000,
            "headers": {"Content-Type": "application/json", "Accept": "application/json"},
        },
        "map of counties": get(f"/data/browser/map.svg?{_YEARS}&by=counties"),
        "Parquet of all records": get(f"{_VIEW}/nationwide/parquet?{_YEARS}&actions_taken=1,2,3"),
    }


class WebProcesses:
    """The web processes of a service: what they used, and how many ended."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self.before = set(service.processes(b"gunicorn"))

    def confine(self) -> bool:
        """Move them into a control group of the size of the container; return whether it worked."""
        try:
            _GROUP.mkdir(exist_ok=True)
            (_GROUP / "memory.limit_in_bytes").write_text(f"{CONTAINER_MB}M")
            with suppress(OSError):
                (_GROUP / "memory.memsw.limit_in_bytes").write_text(f"{CONTAINER_MB}M")
            for process in self.before:
                (_GROUP / "cgroup.procs").write_text(str(process))
        except OSError:
            return False
        return True

    def processor_seconds(self) -> float:
        """Return what the processes and all that they waited for have used."""
        ticks = 0
        for process in self._service.processes(b"gunicorn"):
            with suppress(OSError):
                words = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
                ticks += sum(map(int, words[11:15]))  # own, and of children that ended
        return ticks / os.sysconf("SC_CLK_TCK")

    def resident(self) -> list[float]:
        """Return the resident memory of each process in MB."""
        sizes = []
        for process in self._service.processes(b"gunicorn"):
            with suppress(OSError):
                pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
                sizes.append(pages * os.sysconf("SC_PAGE_SIZE") / 1e6)
        return sizes

    def killed(self) -> int:
        """Return how many ended since the start, or were killed for memory in the group."""
        ended = len(self.before - set(self._service.processes(b"gunicorn")))
        with suppress(OSError):
            words = (_GROUP / "memory.oom_control").read_text().split()
            return max(ended, int(words[words.index("oom_kill") + 1]))
        return ended


@contextmanager
def watched_group(peak: dict[str, float]) -> Iterator[None]:
    """Keep the most that the group held, without the page cache, in MB."""
    over = threading.Event()

    def look() -> None:
        while not over.wait(0.25):
            with suppress(OSError):
                lines = (_GROUP / "memory.stat").read_text().splitlines()
                held = dict(line.split() for line in lines)
                peak["MB"] = max(peak.get("MB", 0), int(held["total_rss"]) / 1e6)

    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    yield
    over.set()
    thread.join()


def call_repeatedly(
    url: str, requests: list[dict[str, Any]], address: str, until: float, answers: Any
) -> None:
    """Send the requests in turn from an address of this machine, and count the answers."""
    transport = httpx.HTTPTransport(local_address=address)
    with httpx.Client(base_url=url, timeout=120, transport=transport) as client:
        number = 0
        while time.monotonic() < until:
            request = requests[number % len(requests)]
            number += 1
            try:
                with client.stream(**request) as answer:
                    for _ in answer.iter_bytes():
                        if time.monotonic() > until:
                            break
                answers[str(answer.status_code)] += 1
                if answer.status_code in (429, 503):
                    time.sleep(0.2)
            except httpx.TimeoutException:
                answers["no answer in 120 s"] += 1
            except httpx.TransportError as error:
                # An upload is refused before it was sent whole: the answer may not be read.
                answers[type(error).__name__] += 1


def main() -> int:
    """Measure and print; return 1 if a process was killed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=2_000_000, help="public records of five years")
    parser.add_argument("--minutes", type=float, default=10)
    options = parser.parse_args()
    out = report.console()
    with tempfile.TemporaryDirectory(prefix="hmda-bench-") as folder:
        service = Service(Path(folder), Period(2024))
        for name in _LIMITS:
            service.stack.environment.pop(name)
        service.stack.environment["ASSISTANTS_ENABLED"] = "True"
        service.manage("prepare")
        json.loads(run_python(service, "-m", "bench.browser_data", str(options.rows)))
        service.stack.start()
        try:
            web = WebProcesses(service)
            is_confined = web.confine()
            requests = list_requests()
            table = report.table_of(
                "One request alone", "request", "answer", "seconds", "processor s", "MB more"
            )  # fmt: skip
            for name, request in requests.items():
                cpu, resident, began = web.processor_seconds(), web.resident(), time.monotonic()
                try:
                    with httpx.Client(base_url=service.stack.url, timeout=300) as client:
                        status = str(client.request(**request).status_code)
                except httpx.TransportError as error:
                    status = type(error).__name__
                seconds = time.monotonic() - began
                time.sleep(0.5)
                more = max(now - then for now, then in zip(web.resident(), resident, strict=False))
                used = web.processor_seconds() - cpu
                table.add_row(name, status, f"{seconds:.2f}", f"{used:.2f}", f"{more:+.0f}")
            out.print(table)
            answers: collections.Counter[str] = collections.Counter()
            until = time.monotonic() + 60 * options.minutes
            rotated = list(requests.values())
            threads = [
                threading.Thread(
                    target=call_repeatedly,
                    args=(
                        service.stack.url,
                        rotated[3 * number :] + rotated[: 3 * number],
                        f"127.0.0.{2 + number % CALLERS}",
                        until,
                        answers,
                    ),
                    daemon=True,
                )
                for number in range(CALLERS * THREADS)
            ]
            peak: dict[str, float] = {}
            with watched_group(peak):
                for thread in threads:
                    thread.start()
                reads = reads_while(service.stack.url, "worst callers", 60 * options.minutes - 5)
                for thread in threads:
                    thread.join()
            killed = web.killed()
        finally:
            service.stack.stop()
            with suppress(OSError):
                _GROUP.rmdir()
    out.print(dict(sorted(answers.items())))
    out.print(reads)
    kind = f"in a control group of {CONTAINER_MB} MB" if is_confined else "without a control group"
    out.print(f"Web processes {kind}: most {peak.get('MB', 0):,.0f} MB, killed or ended: {killed}")
    return int(killed > 0)


if __name__ == "__main__":
    sys.exit(main())
