"""The report of a benchmark: figures, tables, and a line for each limit."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from statistics import median

from rich.console import Console
from rich.table import Table

from bench.stages import EDITS, Measure

MEMORY_MB = 700
GROWTH_PERCENT = 20
_WIDTH = 110  # characters a line


@dataclass(frozen=True, slots=True)
class Figures:
    """The costs of the stages on a file, medians of a number of runs."""

    rows: int
    size: int
    runs: int
    stages: dict[str, Measure]

    def only(self, *stages: str) -> Figures:
        """Return the figures of some of the stages."""
        return Figures(
            self.rows, self.size, self.runs, {name: self.stages[name] for name in stages}
        )

    @property
    def rate(self) -> float:
        """Rows per second of parsing and edits: of the last stage, which is all of the work."""
        return self.rows / list(self.stages.values())[-1].wall


@dataclass(frozen=True, slots=True)
class Memory:
    """The peak memory of some workers for a file of a number of rows, in MB.

    It differs from run to run: what is freed goes back to the system in its own time.
    """

    rows: int
    peaks: list[float]


@dataclass(slots=True)
class Result:
    """All measurements of a run."""

    year: int
    wrong: str
    machine: str
    engine: list[Figures] = field(default_factory=list)
    plain: Figures | None = None
    memory: list[Memory] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Check:
    """A figure beside its limit."""

    name: str
    figure: str
    limit: str
    ok: bool


def at_most(name: str, figure: float, limit: int) -> Check:
    """Return the check that a figure is at most its limit."""
    return Check(name, f"{figure:,.1f}", f"at most {limit:,}", figure <= limit)


def machine() -> str:
    """Return the machine of the figures, and its load."""
    load = os.getloadavg()[0]
    return f"{os.cpu_count()} cores, load {load:.1f} at the start"


def checks(result: Result) -> list[Check]:
    """Return every figure that has a limit."""
    limit_checks: list[Check] = []
    if result.plain:
        limit_checks += [
            _check(f"times the plain loop, {figures.rows:,} rows", ratio, ratio > 1, "over 1")
            for figures in result.engine
            for ratio in [figures.rate / result.plain.rate]
        ]
    limit_checks += [
        _memory_check(f"{memory.rows:,} rows", max(memory.peaks)) for memory in result.memory
    ]
    if result.memory:
        fewest, most = result.memory[0], result.memory[-1]
        percent = (median(most.peaks) / median(fewest.peaks) - 1) * 100
        name = f"% more memory from {fewest.rows:,} to {most.rows:,} rows, by medians"
        limit_checks.append(
            _check(name, percent, percent < GROWTH_PERCENT, f"under {GROWTH_PERCENT}")
        )
    return limit_checks


def _memory_check(subject: str, memory: float) -> Check:
    name = f"MB at most in a worker, {subject}"
    return _check(name, memory, memory <= MEMORY_MB, f"at most {MEMORY_MB}")


def _check(name: str, figure: float, ok: bool, limit: str) -> Check:
    return Check(name, f"{figure:.1f}", limit, ok)


def console() -> Console:
    """Return the console for tables, wide enough also without a terminal."""
    out = Console(highlight=False)
    if not out.is_terminal:
        out.width = _WIDTH
    return out


def show(result: Result) -> None:
    """Print the tables and the checks."""
    out = console()
    out.print(f"Filing {result.year}, wrong with the file: {result.wrong}.")
    out.print(
        f"{result.machine}; two polars threads a process. Clocks of a shared machine are rough.\n"
    )
    out.print(_stages(result))
    if result.plain is None:
        out.print("The plain loop has the rules of another year and was not run.")
    if result.memory:
        out.print(_memory(result.memory))
    show_checks(out, checks(result))


def show_checks(out: Console, results: list[Check]) -> None:
    """Print a line for each check."""
    out.print()
    for check in results:
        verdict = "ok" if check.ok else "NOT OK"
        out.print(f"{check.name}: {check.figure} (limit: {check.limit}) {verdict}")


def table_of(title: str, *columns: str) -> Table:
    """Return an empty table of numbers, the second column for words."""
    table = Table(title=title, title_justify="left")
    for number, name in enumerate(columns):
        table.add_column(name, justify="right" if number != 1 else "left")
    return table


def _stages(result: Result) -> Table:
    table = table_of(
        "Stages, each in a process of its own",
        *("rows", "stage", "runs", "wall s", "cpu s", "rows/s", "MB/s", "peak MB", "x plain"),
    )
    for figures in result.engine:
        for name, stage in figures.stages.items():
            is_whole = result.plain and name == EDITS
            ratio = f"{figures.rate / result.plain.rate:.1f}" if is_whole and result.plain else ""
            table.add_row(*_cells(figures, name, stage), ratio, end_section=name == EDITS)
    if result.plain:
        ((name, stage),) = result.plain.stages.items()
        table.add_row(*_cells(result.plain, name, stage), "1.0")
    return table


def _cells(figures: Figures, name: str, cost: Measure) -> list[str]:
    return [
        f"{figures.rows:,}",
        name,
        str(figures.runs),
        f"{cost.wall:.2f}",
        f"{cost.cpu:.2f}",
        f"{figures.rows / cost.wall:,.0f}",
        f"{figures.size / 1e6 / cost.wall:,.0f}",
        f"{cost.memory:.0f}",
    ]


def _memory(memory: list[Memory]) -> Table:
    title = "Memory of workers, a fresh one for each run of parsing and edits"
    table = table_of(title, "rows", "peak MB of each run", "median", "most")
    for worker in memory:
        peaks = ", ".join(f"{peak:.0f}" for peak in worker.peaks)
        table.add_row(
            f"{worker.rows:,}", peaks, f"{median(worker.peaks):.0f}", f"{max(worker.peaks):.0f}"
        )
    return table
