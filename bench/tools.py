"""`python bench/tools.py`: the public tools beside a plain loop, bare and over HTTP.

Each tool answers the same list three ways: the engine in a process of its own, a plain Python loop
in another, and the running service over HTTP. All answers must be the same, byte for byte.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from statistics import median

# `filing.py` beside this file has the name of a package, which must be imported instead.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import httpx

from bench import check_digit, rate_spread, report
from bench.plain_loop import YEAR
from bench.service import Service
from bench.stages import peak_memory
from bench.tool import Tool
from filing.lar.years import Period

TOOLS = {tool.name: tool for tool in (*check_digit.TOOLS, *rate_spread.TOOLS)}
ENGINE, PLAIN, HTTP = "engine", "plain loop", "HTTP"
TIMES_PLAIN = 3
_LARGE = 10_000  # bytes
GROWTH_MB = 100  # more memory for the whole list than for a tenth of it


@dataclass(frozen=True, slots=True)
class Run:
    """The cost of a list answered one way: seconds, peak MB, and a hash of the answer.

    cpu: seconds of the processor; those of the service are not known.
    """

    seconds: float
    cpu: float
    memory: float
    answer: str


@dataclass(frozen=True, slots=True)
class Row:
    """The medians of some runs on a list."""

    tool: str
    way: str
    lines: int
    seconds: float
    cpu: float
    memory: float
    answer: str

    @property
    def rate(self) -> float:
        return self.lines / self.seconds


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--tool", action="append", choices=[*TOOLS], help="only this one")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(asdict(_one(*options.one))))
        return
    rows: list[Row] = []
    with (
        tempfile.TemporaryDirectory(prefix="hmda-bench-") as folder,
        tempfile.TemporaryDirectory(prefix="hmda-bench-") as data_dir,
        ExitStack() as stack,
    ):
        service = Service(Path(data_dir), Period(YEAR))
        service.manage("prepare")
        service.manage("shell", "-v", "0", "-c", rate_spread.LOAD_DEMO)
        service.stack.start()
        stack.callback(service.stack.stop)
        for name in options.tool or TOOLS:
            rows += _rows(TOOLS[name], Path(folder), service, options.rows, options.repeat)
    checks = _checks(rows)
    if options.json:
        result = {
            "rows": [asdict(row) for row in rows],
            "checks": [asdict(check) for check in checks],
        }
        print(json.dumps(result))
    else:
        _show(rows, checks)


def _rows(tool: Tool, folder: Path, service: Service, lines: int, repeat: int) -> Iterable[Row]:
    for count in (max(1, lines // 10), lines):
        path = folder / "list.txt"
        tool.write(path, count)
        ways = {
            ENGINE: lambda: _apart(tool, ENGINE, path),  # noqa: B023 -- called at once
            PLAIN: lambda: _apart(tool, PLAIN, path),  # noqa: B023
            HTTP: lambda: _over_http(tool, path, service),  # noqa: B023
        }
        for way, once in ways.items():
            runs = [once() for _ in range(repeat)]
            seconds = median(run.seconds for run in runs)
            cpu = median(run.cpu for run in runs)
            memory = max(run.memory for run in runs)
            yield Row(tool.name, way, count, seconds, cpu, memory, runs[0].answer)


def _apart(tool: Tool, way: str, path: Path) -> Run:
    """Answer a list in a fresh process."""
    done = subprocess.run(
        [sys.executable, __file__, "--one", tool.name, way, str(path)],
        env={**os.environ, "DATA_DIR": str(path.parent / "bare")},
        stdout=subprocess.PIPE,
        check=True,
    )
    return Run(**json.loads(done.stdout))


def _one(name: str, way: str, path: str) -> Run:
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    import_module("django").setup()
    tool = TOOLS[name]
    tool.prepare()
    answer = {ENGINE: tool.engine, PLAIN: tool.plain}[way]
    answer(Path(os.devnull))  # whatever is loaded at first use
    digest = hashlib.sha256()
    pieces: list[bytes] = []  # of a plain loop they are too small to be hashed one by one
    began, spent = time.perf_counter(), time.process_time()
    for piece in answer(Path(path)):
        pieces.append(piece)
        if len(pieces) == 1000 or len(piece) > _LARGE:
            digest.update(b"".join(pieces))
            pieces.clear()
    digest.update(b"".join(pieces))
    seconds, cpu = time.perf_counter() - began, time.process_time() - spent
    return Run(seconds, cpu, peak_memory(), digest.hexdigest())


def _over_http(tool: Tool, path: Path, service: Service) -> Run:
    digest = hashlib.sha256()
    began = time.perf_counter()
    with (
        path.open("rb") as file,
        httpx.stream(
            "POST",
            service.stack.url + tool.path,
            files={"file": file},
            headers={"Accept-Encoding": "identity"},
            timeout=300,
        ) as answer,
    ):
        answer.raise_for_status()
        for piece in answer.iter_bytes():
            digest.update(piece)
    return Run(time.perf_counter() - began, 0, service.web_memory(), digest.hexdigest())


def _checks(rows: list[Row]) -> list[report.Check]:
    checks = []
    for tool in {row.tool: TOOLS[row.tool] for row in rows}.values():
        of_tool = [row for row in rows if row.tool == tool.name]
        most = max(row.lines for row in of_tool)
        short = {row.way: row for row in of_tool if row.lines < most}
        long = {row.way: row for row in of_tool if row.lines == most}
        ratio = long[ENGINE].rate / long[PLAIN].rate
        answers = len({row.answer for row in long.values()})
        checks += [
            report.Check(f"{tool.name}: different answers", str(answers), "1", answers == 1),
            report.Check(
                f"{tool.name}: times the plain loop",
                f"{ratio:.1f}",
                f"at least {TIMES_PLAIN}",
                ratio >= TIMES_PLAIN,
            ),
        ]
        for way in set(short) & {ENGINE, HTTP}:
            growth = long[way].memory - short[way].memory
            name = f"{tool.name}: MB more for ten times the lines, {way}"
            ok = growth <= GROWTH_MB
            checks.append(report.Check(name, f"{growth:.0f}", f"at most {GROWTH_MB}", ok))
    return checks


def _show(rows: list[Row], checks: list[report.Check]) -> None:
    out = report.console()
    table = report.table_of(
        "Lists answered by the tools",
        "lines",
        "tool",
        "way",
        "seconds",
        "cpu s",
        "lines/s",
        "peak MB",
        "x plain",
    )
    plain = {(row.tool, row.lines): row.rate for row in rows if row.way == PLAIN}
    for row in rows:
        cpu = f"{row.cpu:.2f}" if row.cpu else ""
        figures = (f"{row.seconds:.2f}", cpu, f"{row.rate:,.0f}", f"{row.memory:.0f}")
        ratio = f"{row.rate / plain[row.tool, row.lines]:.2f}"
        table.add_row(f"{row.lines:,}", row.tool, row.way, *figures, ratio)
    out.print(f"{report.machine()}. Clocks of a shared machine are rough.\n")
    out.print(table)
    report.show_checks(out, checks)


if __name__ == "__main__":
    main()
