"""`python bench/browser.py`: the data browser beside PostgreSQL, on the same made-up rows.

Ten questions over HTTP, uncached and cached, and without HTTP in a process of their own, first and
later times; the same in PostgreSQL with suitable indexes; and a large download. Both sides must
return the same figures.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from statistics import median, quantiles
from typing import Any

# `filing.py` beside this file has the name of a package, which must be imported instead.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import httpx

from bench import browser_peer, report
from bench.browser_questions import Query, questions
from bench.service import Service
from bench.stages import ROOT
from filing.lar.years import Period

SERVER = "postgresql://postgres@127.0.0.1:5432/postgres"
DOWNLOAD = "/v2/data-browser-api/view/nationwide/csv?years=2018,2019,2020,2021,2022&actions_taken="
CACHED_MS, CSV_MB_S, FIRST_BYTE_MS, MEMORY_MB = 10, 100, 300, 500
TIMES_PEER, ON_QUESTIONS = 10, 8


@dataclass(frozen=True, slots=True)
class Row:
    """The times of a question in ms. bare: without HTTP. peer: of PostgreSQL, 0 without it."""

    name: str
    limit: int
    first: float
    bare: float
    http: float
    p95: float
    cached: float
    peer: float
    same: bool

    @property
    def ratio(self) -> float:
        return self.peer / self.bare


@dataclass(frozen=True, slots=True)
class Download:
    """A large CSV over HTTP. before, memory: peak MB of a web process."""

    megabytes: float
    seconds: float
    first_byte: float
    before: float
    memory: float


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000, help="of five years together")
    parser.add_argument("--repeat", type=int, default=20)
    parser.add_argument("--server", default=SERVER, help="PostgreSQL; blank leaves it out")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--bare", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.bare:
        print(json.dumps(_bare(json.loads(options.bare[0]), int(options.bare[1]))))
        return
    with tempfile.TemporaryDirectory(prefix="hmda-bench-") as data_dir:
        rows, download = _measured(Path(data_dir), options.rows, options.repeat, options.server)
    checks = _checks(rows, download)
    if options.json:
        result = {"rows": [asdict(row) for row in rows], "download": asdict(download)}
        print(json.dumps({**result, "checks": [asdict(check) for check in checks]}))
    else:
        _show(options.rows, rows, download, checks)


def _measured(data_dir: Path, count: int, repeat: int, server: str) -> tuple[list[Row], Download]:
    service = Service(data_dir, Period(2024))
    service.manage("prepare")
    facts = json.loads(run_python(service, "-m", "bench.browser_data", str(count)))
    service.stack.start()
    try:
        download = _downloaded(service)
        with ExitStack() as stack:
            client = stack.enter_context(httpx.Client(base_url=service.stack.url, timeout=300))
            files = [Path(file) for file in facts["files"]]
            peer = stack.enter_context(browser_peer.peer(server, files)) if server else None
            rows = [_row(service, client, question, repeat, peer) for question in questions(facts)]
        return rows, download
    finally:
        service.stack.stop()


def _row(service: Service, client: httpx.Client, query: Query, repeat: int, peer: Any) -> Row:
    bare = json.loads(
        run_python(service, __file__, "--bare", json.dumps(asdict(query)), str(repeat))
    )
    uncached = [_http_seconds(service, client, query, is_cached=False) for _ in range(repeat)]
    cached = [_http_seconds(service, client, query, is_cached=True) for _ in range(repeat)]
    theirs = browser_peer.seconds(peer, query, max(3, repeat // 4)) if peer else [0.0]
    return Row(
        name=query.name,
        limit=query.limit,
        first=bare["seconds"][0] * 1000,
        bare=median(bare["seconds"][1:]) * 1000,
        http=median(uncached) * 1000,
        p95=quantiles(uncached, n=20)[-1] * 1000,
        cached=median(cached) * 1000,
        peer=median(theirs) * 1000,
        same=not peer or _sorted_groups(browser_peer.answer(peer, query)) == bare["groups"],
    )


def _sorted_groups(groups: dict[tuple[str, ...], tuple[int, float]]) -> list[Any]:
    return sorted([list(group), *total] for group, total in groups.items())


def _http_seconds(
    service: Service, client: httpx.Client, query: Query, *, is_cached: bool
) -> float:
    """Return the seconds of a question over HTTP."""
    cache = Path(service.stack.environment["DATA_DIR"], "cache")
    if not is_cached:
        for entry in cache.glob("*.djcache"):
            entry.unlink(missing_ok=True)
    began = time.perf_counter()
    answer = client.get(query.address)
    seconds = time.perf_counter() - began
    answer.raise_for_status()
    assert answer.json()["servedFrom"] == ("cache" if is_cached else "db")
    return seconds


def _bare(values: dict[str, Any], repeat: int) -> dict[str, Any]:
    """Ask without HTTP, and return seconds and groups: the first time opens everything."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    import_module("django").setup()
    from django.http import QueryDict

    from databrowser.publication import serving
    from databrowser.query import totals
    from databrowser.query.questions import NATIONWIDE_GROUPS, PLACED_GROUPS, read_question

    query = Query(**values)
    parameters = QueryDict(query.address.partition("?")[2])
    rules = NATIONWIDE_GROUPS if "/nationwide/" in query.address else PLACED_GROUPS
    live = serving.live_data_sets()
    question = read_question(parameters, rules, published=[data_set.year for data_set in live])
    seconds = []
    for _ in range(repeat + 1):
        began = time.perf_counter()
        groups = totals.compute_totals(question, live)
        seconds.append(time.perf_counter() - began)
    plain = {group: (total.count, total.sum) for group, total in groups.items()}
    return {"seconds": seconds, "groups": _sorted_groups(plain)}


def _downloaded(service: Service) -> Download:
    for _ in range(8):  # both web processes have answered something by then
        httpx.get(f"{service.stack.url}{DOWNLOAD}7", timeout=300)
    before, size, first = service.web_memory(), 0, 0.0
    began = time.perf_counter()
    with httpx.stream(
        "GET",
        f"{service.stack.url}{DOWNLOAD}1,3,4",
        headers={"Accept-Encoding": "identity"},
        timeout=300,
    ) as answer:
        for piece in answer.iter_raw():
            first = first or time.perf_counter() - began
            size += len(piece)
    seconds = time.perf_counter() - began
    return Download(size / 1e6, seconds, first, before, service.web_memory())


def run_python(service: Service, *words: str) -> str:
    """Return the last line that a program prints in the environment of a service."""
    done = subprocess.run(
        [sys.executable, *words],
        cwd=ROOT,
        env=service.stack.environment,
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    )
    return done.stdout.strip().splitlines()[-1]


def _checks(rows: Sequence[Row], download: Download) -> list[report.Check]:
    checks = [report.at_most(f"{row.name}: ms over HTTP, p95", row.p95, row.limit) for row in rows]
    checks.append(
        report.at_most("ms from the cache over HTTP", max(row.cached for row in rows), CACHED_MS)
    )
    if any(row.peer for row in rows):
        differ = [row.name for row in rows if not row.same]
        checks.append(report.Check("different figures", str(len(differ)), "0", not differ))
        faster = sum(row.ratio >= TIMES_PEER for row in rows)
        name = f"questions at least {TIMES_PEER} times as fast as PostgreSQL"
        checks.append(
            report.Check(name, str(faster), f"at least {ON_QUESTIONS}", faster >= ON_QUESTIONS)
        )
    speed = download.megabytes / download.seconds
    checks += [
        report.Check("CSV: MB/s", f"{speed:.0f}", f"at least {CSV_MB_S}", speed >= CSV_MB_S),
        report.at_most("CSV: ms to the first byte", download.first_byte * 1000, FIRST_BYTE_MS),
        report.at_most("CSV: MB in a web process", download.memory, MEMORY_MB),
    ]
    return checks


def _show(count: int, rows: Sequence[Row], download: Download, checks: list[report.Check]) -> None:
    out = report.console()
    table = report.table_of(
        f"Questions to {count:,} rows of five years, ms",
        *("", "question", "bare first", "bare", "HTTP", "HTTP p95", "cached", "PG", "PG / bare"),
    )
    for number, row in enumerate(rows, start=1):
        figures = (row.first, row.bare, row.http, row.p95, row.cached, row.peer, row.ratio)
        table.add_row(str(number), row.name, *(f"{figure:.1f}" for figure in figures))
    out.print(f"{report.machine()}. Clocks of a shared machine are rough.\n")
    out.print(table)
    out.print(
        f"CSV: {download.megabytes:,.0f} MB in {download.seconds:.1f} s, first byte after "
        f"{download.first_byte * 1000:.0f} ms; a web process held {download.before:.0f} MB before "
        f"and {download.memory:.0f} MB at most."
    )
    report.show_checks(out, checks)


if __name__ == "__main__":
    main()
