"""How long pages and figures take: what `people.py` and `season_figures.py` share."""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from statistics import quantiles
from typing import Any

from bench import report

PAGE_MS = 300
BASIS = "plain count"  # with which all times are compared
Times = dict[str, dict[str, float]]


def run_bench(
    about: str,
    sizes: Mapping[str, tuple[int, str]],
    *,
    make: Callable[[argparse.Namespace], None],
    measure: Callable[[int], Times],
) -> None:
    """Make rows in a service of its own, measure, and print.

    sizes: of what is made, each with its default and help. measure: takes the number of reads, and
    returns the times of `BASIS` and of each page.
    """
    parser = argparse.ArgumentParser(description=about)
    for name, (default, words) in sizes.items():
        parser.add_argument(f"--{name}", type=int, default=default, help=words)
    parser.add_argument("--reads", type=int, default=10, help="times that each page is asked")
    parser.add_argument("--folder", type=Path, help="keep the data here, and use it again")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="hmda-bench-") as folder:
        _start_service(options.folder or Path(folder))
        make(options)
        times = measure(options.reads)
    if options.json:
        print(json.dumps(times))
    else:
        _show(times, ", ".join(f"{getattr(options, name):,} {name}" for name in sizes))


def _start_service(folder: Path) -> None:
    """Set up the service on a folder of its own."""
    folder.mkdir(exist_ok=True)
    os.environ |= {"DATA_DIR": str(folder), "DJANGO_SETTINGS_MODULE": "config.settings"}
    os.environ |= dict.fromkeys(("CELERY_BROKER_URL", "CACHE_URL", "STORAGE_URL"), "")
    os.environ["LOG_LEVEL"] = "warning"
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)


def time_calls(work: Callable[[], Any], reads: int) -> dict[str, float]:
    """Return milliseconds of the processor: of the first call, and of the others.

    The database is in the same process. Other work on the machine counts for nothing so.
    """
    seconds = []
    for _ in range(reads + 1):
        began = time.process_time()
        work()
        seconds.append(1_000 * (time.process_time() - began))
    first, *others = seconds
    cuts = quantiles(others, n=20, method="inclusive")
    return {"first": first, "p50": cuts[9], "p95": cuts[18]}


def _show(times: Times, title: str) -> None:
    table = report.table_of(title, "what", "first ms", "p50 ms", "p95 ms", "times the count")
    for name, each in times.items():
        cells = [f"{each[key]:.1f}" for key in ("first", "p50", "p95")]
        table.add_row(name, *cells, f"{each['p50'] / times[BASIS]['p50']:.1f}")
    out = report.console()
    out.print(f"{report.machine()}. Clocks of a shared machine are rough.\n")
    out.print(table)
    pages = {name: each["p95"] for name, each in times.items() if name != BASIS}
    slowest = max(pages, key=pages.__getitem__)
    report.show_checks(
        out, [report.at_most(f"ms for 95 % of the answers of {slowest}", pages[slowest], PAGE_MS)]
    )
