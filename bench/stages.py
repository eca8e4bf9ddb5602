"""Stages of the work, each measured in a fresh process: `python -m bench.stages ...`.

The process has two polars threads, as the workers of the service have.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from statistics import median

from bench import files, plain_loop
from filing.edits import engine
from filing.edits.facts import EditFacts
from filing.lar import parser

ROOT = Path(__file__).resolve().parent.parent
# Files of a stage in its folder: where lines begin, rows that fail, and what is where in them.
OFFSETS, BAD_ROWS, FINDINGS = "offsets", "bad-rows", "findings"
INDEX, PLAIN_TOTALS = "index.json", "plain-totals.json"
PARSE, EDITS, PLAIN_LOOP = "parse", "parse and edits", "plain loop"


@dataclass(frozen=True, slots=True)
class Measure:
    """The cost of a stage: wall and processor seconds, and memory in MB.

    memory: the most that the process has held up to the end of the stage.
    """

    wall: float
    cpu: float
    memory: float


def middle(measures: Sequence[Measure]) -> Measure:
    """Return the median of each figure."""
    rows = [(cost.wall, cost.cpu, cost.memory) for cost in measures]
    return Measure(*(median(column) for column in zip(*rows, strict=True)))


def measure(
    stages: Sequence[str], file: Path, folder: Path, *, year: int, as_worker: bool = False
) -> dict[str, Measure]:
    """Run stages in order in one fresh process, and return the cost of each.

    folder: for their findings. as_worker: in a process that has loaded everything that a
    worker of the service loads.
    """
    environment = {**os.environ, "POLARS_MAX_THREADS": "2", "DATA_DIR": str(folder)}
    words = [",".join(stages), str(file), str(folder), str(year)]
    done = subprocess.run(
        [sys.executable, "-m", "bench.stages", *words, *(["--as-worker"] if as_worker else [])],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        check=True,
    )
    return {name: Measure(**figures) for name, figures in json.loads(done.stdout).items()}


def _parse(file: Path, folder: Path, _: EditFacts) -> None:
    with (folder / OFFSETS).open("wb") as offsets, (folder / BAD_ROWS).open("wb") as bad_rows:
        parser.scan_file(file, offsets, bad_rows)


def _edits(file: Path, folder: Path, facts: EditFacts) -> None:
    with (
        (folder / OFFSETS).open("wb") as offsets,
        (folder / BAD_ROWS).open("wb") as bad_rows,
        (folder / FINDINGS).open("wb") as findings,
    ):
        scan = parser.FileScan(offsets, bad_rows)
        _, report = engine.check_lines(file, scan, findings, lambda _: facts)
    assert report is not None
    index = {
        f"{outcome.edit.code} {outcome.edit.level.value}": (
            outcome.total,
            outcome.position,
            outcome.listed,
        )
        for outcome in report.outcomes
        if outcome.run
    }
    (folder / INDEX).write_text(json.dumps(index))


def _plain_loop(file: Path, folder: Path, facts: EditFacts) -> None:
    totals = plain_loop.count_failures(file, facts)
    (folder / PLAIN_TOTALS).write_text(json.dumps(totals))


def find_differences(folder: Path) -> list[str]:
    """Return a sentence for each edit that engine and plain loop have not counted alike."""
    engine_totals = {
        edit: total for edit, (total, *_) in json.loads((folder / INDEX).read_text()).items()
    }
    plain_totals = json.loads((folder / PLAIN_TOTALS).read_text())
    return [
        f"{edit}: the engine counts {engine_totals[edit]}, the plain loop {plain_totals[edit]}"
        for edit in sorted(engine_totals.keys() & plain_totals.keys())
        if engine_totals[edit] != plain_totals[edit]
    ]


_STAGES: dict[str, Callable[[Path, Path, EditFacts], None]] = {
    PARSE: _parse,
    EDITS: _edits,
    PLAIN_LOOP: _plain_loop,
}


def _measured(stage: str, file: Path, folder: Path, facts: EditFacts) -> Measure:
    began, spent = time.perf_counter(), _processor_seconds()
    _STAGES[stage](file, folder, facts)
    return Measure(time.perf_counter() - began, _processor_seconds() - spent, peak_memory())


def _processor_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def peak_memory(process: int | str = "self") -> float:
    """Return the most memory that a process has held, in MB.

    On Linux `ru_maxrss` would not do: a process inherits there what the one that started it held.
    """
    status = Path(f"/proc/{process}/status")
    if status.exists():
        lines = status.read_text().splitlines()
        return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2


def _become_worker() -> None:
    """Load what a worker of the service has loaded, so that the process is as large."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    import_module("django").setup()
    for name in ("config.celery", "filing.tasks", "filing.submissions.pipeline"):
        import_module(name)


def main() -> None:
    """Measure the stages that are asked for, and print the figures as JSON."""
    parser = argparse.ArgumentParser()
    parser.add_argument("stages")
    parser.add_argument("file", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("year", type=int)
    parser.add_argument("--as-worker", action="store_true")
    options = parser.parse_args()
    if options.as_worker:
        _become_worker()
    facts = files.facts(options.file, options.year)
    figures = {
        stage: asdict(_measured(stage, options.file, options.folder, facts))
        for stage in options.stages.split(",")
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
