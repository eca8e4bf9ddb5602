"""`python bench/publication.py`: a published file from its import to a published data set.

A made-up national file is loaded with `load_public_lar` and built with `publish`, each in a process
of its own. A plain loop of the standard library over lines of the same file, which only counts what
each state has, is the measure of how fast that is.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path

# `filing.py` beside this file has the name of a package, which must be imported instead.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench import report
from bench.service import Service
from bench.stages import ROOT, Measure
from filing.lar.years import Period

YEAR = 2023
PLAIN_ROWS = 200_000
MEMORY_MB = 3_000  # PUBLISH_MEMORY_MB, and what the process holds beside it
JOB_SECONDS = 3_600  # what a job may take
NATIONAL_ROWS = 25_000_000  # the largest years


@dataclass(frozen=True, slots=True)
class Step:
    """A command, what it has cost, and how much of the work of a plain loop that is."""

    name: str
    rows: int
    cost: Measure
    times_plain: float

    @property
    def rate(self) -> float:
        """Rows per second."""
        return self.rows / self.cost.wall


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="hmda-bench-") as data_dir:
        steps, sizes = _measured(Path(data_dir), options.rows)
    checks = _checks(steps)
    if options.json:
        result = {"steps": [asdict(step) for step in steps], "megabytes": sizes}
        print(json.dumps({**result, "checks": [asdict(check) for check in checks]}))
    else:
        _show(steps, sizes, checks)


def _measured(data_dir: Path, rows: int) -> tuple[list[Step], dict[str, float]]:
    service = Service(data_dir, Period(YEAR))
    service.manage("prepare")
    file = data_dir / "national.csv"
    service.manage("make_public_lar", "--rows", str(rows), "--years", str(YEAR), "--out", str(file))
    plain = _plain_rate(file)
    steps = []
    for name, *words in (("import", "load_public_lar", str(file)), ("build", "publish", str(YEAR))):
        cost = _cost(service, *words)
        steps.append(Step(name, rows, cost, rows / cost.wall / plain))
    folder = next((data_dir / "files" / "publication" / "years" / str(YEAR)).iterdir())
    sizes = {file.name: file.stat().st_size / 1e6 for file in sorted(folder.iterdir())}
    return steps, {file.name: file.stat().st_size / 1e6, **sizes}


def _cost(service: Service, *words: str) -> Measure:
    """Run a management command and return what it has cost.

    This process is small, so that what the command inherits of its memory is no part of the most.
    """
    began = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, str(ROOT / "manage.py"), *words],
        env=service.stack.environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, words
    unit = 1024**2 if sys.platform == "darwin" else 1024
    seconds = time.perf_counter() - began
    return Measure(seconds, used.ru_utime + used.ru_stime, used.ru_maxrss / unit)


def _plain_rate(file: Path) -> float:
    """Return how many rows a second a plain loop counts by state."""
    began, by_state = time.perf_counter(), Counter[str]()
    with file.open(newline="") as stream:
        rows = csv.DictReader(stream)
        for _, row in zip(range(PLAIN_ROWS), rows, strict=False):
            by_state[row["state_code"]] += 1
    return by_state.total() / (time.perf_counter() - began)


def _checks(steps: list[Step]) -> list[report.Check]:
    checks = []
    for step in steps:
        memory, seconds = step.cost.memory, NATIONAL_ROWS / step.rate
        checks += [
            report.at_most(f"{step.name}: MB at most", memory, MEMORY_MB),
            report.at_most(
                f"{step.name}: seconds for {NATIONAL_ROWS:,} rows at this speed",
                seconds,
                JOB_SECONDS,
            ),
        ]
    return checks


def _show(steps: list[Step], sizes: dict[str, float], checks: list[report.Check]) -> None:
    out = report.console()
    out.print(f"{report.machine()}. Clocks of a shared machine are rough.\n")
    table = report.table_of(
        "A published file, from its import to a published data set",
        *("rows", "step", "wall s", "cpu s", "rows/s", "peak MB", "x plain count"),
    )
    for step in steps:
        figures = (f"{step.cost.wall:.1f}", f"{step.cost.cpu:.1f}", f"{step.rate:,.0f}")
        table.add_row(
            *(f"{step.rows:,}", step.name, *figures),
            *(f"{step.cost.memory:,.0f}", f"{step.times_plain:.2f}"),
        )
    out.print(table)
    out.print(", ".join(f"{name}: {size:,.1f} MB" for name, size in sizes.items()))
    report.show_checks(out, checks)


if __name__ == "__main__":
    main()
