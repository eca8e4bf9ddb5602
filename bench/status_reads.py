"""`python bench/status_reads.py`: many users read the status of their submissions.

It runs its own service. 50 users, each a program with a personal token, read the status 200 times a
second in all: first alone, then while a file is filed again and again. Other requests are timed
meanwhile, and the same file is filed without readers first, to see whether either starves the
other.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

# `filing.py` beside this file has the name of a package, which must be imported instead.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench import report
from bench.files import FILER
from bench.other_requests import LIMIT_MS, Reads, reads_while, table
from bench.service import Service
from filing.demo import census as demo_census
from filing.demo.files import Recipe, make
from filing.lar.period import Period
from filing.reference.census import facts

YEAR = 2022
STATUS_MS = 50  # in which 95 % of the readers have an answer
PROCESSOR_MS = 3  # of the web processes for a read
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class StatusReads:
    """Reads of the status: times in milliseconds; processor: of the web processes for each."""

    meanwhile: str
    count: int
    per_second: float
    median: float
    p95: float
    most: float
    failed: int
    processor: float


class Users:
    """Users who read the status of their submissions, each with a connection that stays open."""

    def __init__(self, service: Service, token: str, paths: list[str], per_second: float) -> None:
        self._service, self._paths = service, paths
        self._headers = {"Authorization": f"Bearer {token}"}
        self._pause = len(paths) / per_second
        self._over = threading.Event()
        self._times: list[float] = []
        self._failed = 0

    def read(self, meanwhile: str, wait: Callable[[], object]) -> StatusReads:
        """Read until something has happened; return the times."""
        self._over.clear()
        self._times, self._failed = [], 0
        threads = [
            threading.Thread(target=self._read, args=(path, self._pause * at / len(self._paths)))
            for at, path in enumerate(self._paths)
        ]
        began, spent = time.monotonic(), self._processor_seconds()
        for thread in threads:
            thread.start()
        wait()
        self._over.set()
        for thread in threads:
            thread.join()
        spent, seconds = self._processor_seconds() - spent, time.monotonic() - began
        count = len(self._times)
        return StatusReads(
            meanwhile,
            count,
            count / seconds,
            statistics.median(self._times),
            statistics.quantiles(self._times, n=20)[18],
            max(self._times),
            self._failed,
            1000 * spent / count,
        )

    def _read(self, path: str, first: float) -> None:
        host, port = self._service.stack.address
        connection = http.client.HTTPConnection(host, port, timeout=60)
        due = time.monotonic() + first
        while not self._over.wait(max(0.0, due - time.monotonic())):
            due += self._pause
            began = time.perf_counter()
            connection.request("GET", path, headers=self._headers)
            answer = connection.getresponse()
            answer.read()
            self._times.append((time.perf_counter() - began) * 1000)
            self._failed += answer.status != 200
        connection.close()

    def _processor_seconds(self) -> float:
        """Return the processor time of the web processes so far."""
        total = 0
        for process in self._service.processes(b"gunicorn"):
            words = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
            total += int(words[11]) + int(words[12])
        return total / _TICKS


def main() -> None:
    """Measure and print; ends with an error above a limit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--users", type=int, default=50)
    parser.add_argument("--per-second", type=float, default=200, help="reads of all users")
    parser.add_argument("--seconds", type=float, default=15, help="of reads alone")
    parser.add_argument("--rows", type=int, default=200_000, help="of the file that is filed")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="hmda-bench-") as folder:
        reads, others, slower = _measured(Path(folder), options)
    alone, beside = reads
    checks = [
        report.at_most("ms of processor time for a read", alone.processor, PROCESSOR_MS),
        report.at_most("ms for 95 % of status reads, alone", alone.p95, STATUS_MS),
        report.at_most("ms for 95 % of status reads beside filing", beside.p95, STATUS_MS),
        *(
            report.at_most(f"{each.callers}: ms for 95 % of other requests", each.p95, LIMIT_MS)
            for each in others
        ),
    ]
    if options.json:
        told = {"status": [asdict(each) for each in reads], "others": [asdict(e) for e in others]}
        print(json.dumps({**told, "filing_slower": slower}))
    else:
        _show(reads, others, slower, checks)
    failed = sum(each.failed for each in reads) + sum(each.failed for each in others)
    if failed or not all(check.ok for check in checks):
        sys.exit("Reads were too slow or failed.")


def _measured(
    folder: Path, options: argparse.Namespace
) -> tuple[list[StatusReads], list[Reads], float]:
    """Return reads alone and beside filing, other requests, and how much slower filing was."""
    service = Service(folder, Period(YEAR))
    service.prepare()
    file = folder / "lar.txt"
    recipe = Recipe(
        period=Period(YEAR), lei=str(FILER["lei"]), rows=options.rows, tax_id="12-3456789"
    )
    file.write_bytes(b"".join(make(recipe, facts(demo_census.rows(YEAR)).tracts)))
    token = service.program_token()
    service.stack.start()
    try:
        paths = service.new_submissions(options.users, token)
        users = Users(service, token, paths, options.per_second)
        without = service.file(file, rows=options.rows, repeat=1).rest
        reads = [users.read("nothing", lambda: time.sleep(options.seconds))]
        filed: list[float] = []
        others: list[Reads] = []

        def file_and_ask() -> None:
            filing = threading.Thread(
                target=lambda: filed.append(service.file(file, rows=options.rows, repeat=2).rest)
            )
            filing.start()
            others.append(
                reads_while(service.stack.url, "status reads and filing", 0, None, filing.is_alive)
            )
            filing.join()

        reads.append(users.read("filing", file_and_ask))
    finally:
        service.stack.stop()
    return reads, others, filed[0] / without


def _show(
    reads: list[StatusReads], others: list[Reads], slower: float, checks: list[report.Check]
) -> None:
    out = report.console()
    out.print(f"{report.machine()}. Clocks of a shared machine are rough.\n")
    columns = ("reads", "a second", "meanwhile", "median ms", "95 % ms", "most ms", "processor ms")
    made = report.table_of("Status reads", *columns)
    for each in reads:
        times = (f"{each.median:.1f}", f"{each.p95:.1f}", f"{each.most:.0f}")
        rate = f"{each.per_second:.0f}"
        made.add_row(f"{each.count:,}", rate, each.meanwhile, *times, f"{each.processor:.1f}")
    out.print(made)
    out.print(table("Other requests", others))
    out.print(f"Processing a file took {slower:.2f} times as long as without readers.\n")
    report.show_checks(out, checks)


if __name__ == "__main__":
    main()
