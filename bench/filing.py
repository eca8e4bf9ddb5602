"""`python bench/filing.py`: the time and memory of parsing and of the edits.

A plain row-by-row loop over the same rules runs beside them and must count the same failures; if
not, the exit code is 1. Being slow is not an error.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

# This file has the name of the package it measures, which so has to come first.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench import files, report
from bench.files import Kind
from bench.plain_loop import YEAR
from bench.report import Figures, Memory, Result
from bench.stages import EDITS, PARSE, PLAIN_LOOP, find_differences, measure, middle

_COMPARED_ROWS = 100_000  # at most; the plain loop is slow
_MANY_ROWS = 1_000_000
_RUNS = 3
_MEMORY_ROWS = (500_000, 1_000_000)


class Disagreement(Exception):
    """The plain loop counts other failures than the engine; the message lists them."""


def main() -> int:
    """Measure, print, and return the exit code."""
    options = _arguments()
    with tempfile.TemporaryDirectory(prefix="hmda-bench-") as folder:
        try:
            result = _Bench(options, Path(folder)).run()
        except Disagreement as error:
            print(error, file=sys.stderr)
            return 1
    if options.json:
        print(json.dumps(asdict(result) | {"checks": [asdict(c) for c in report.checks(result)]}))
    else:
        report.show(result)
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=_numbers, default="100000,1000000", metavar="N[,N...]")
    parser.add_argument("--year", type=int, default=YEAR, help=f"default: {YEAR}")
    parser.add_argument(
        "--dirty", action="store_true", help="every row fails several quality edits"
    )
    parser.add_argument(
        "--repeat",
        type=int,
        help=f"runs, the median counts; default: {_RUNS}, and 1 of {_MANY_ROWS:,} rows and more",
    )
    parser.add_argument(
        "--memory",
        action="store_true",
        help="of workers in any case, at 500,000, 1,000,000 and the rows above",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    return parser.parse_args()


def _numbers(text: str) -> list[int]:
    numbers = sorted({int(number) for number in text.split(",")})
    if numbers[0] < 1:
        raise argparse.ArgumentTypeError("A file has one row at least.")
    return numbers


class _Bench:
    def __init__(self, options: argparse.Namespace, folder: Path) -> None:
        self.options, self.folder, self.year = options, folder, options.year
        self.kind = Kind.DIRTY if options.dirty else Kind.CLEAN
        self.result = Result(self.year, self.kind.value, report.machine())

    def run(self) -> Result:
        options, result = self.options, self.result
        # The plain loop has the rules of one year.
        compared = min(options.rows[-1], _COMPARED_ROWS) if self.year == YEAR else 0
        for rows in sorted({*options.rows, compared} - {0}):
            with_plain = [PLAIN_LOOP] if rows == compared else []
            figures = self._stages([PARSE, EDITS, *with_plain], self.kind, rows)
            if with_plain:
                if differences := find_differences(self.folder):
                    raise Disagreement("\n".join(("The plain loop disagrees:", *differences)))
                result.plain = figures.only(PLAIN_LOOP)
            result.engine.append(figures.only(PARSE, EDITS))
        if options.memory or options.rows[-1] >= _MANY_ROWS:
            result.memory = self._memory()
        return result

    def _file_of(self, kind: Kind, rows: int) -> Path:
        path = self.folder / f"{kind.name.lower()}-{rows}.txt"
        if not path.exists():
            _tell(f"making {rows:,} rows: {kind.value}")
            files.write(path, kind, rows=rows, year=self.year)
        return path

    def _stages(self, stages: list[str], kind: Kind, rows: int) -> Figures:
        """Return what each of the stages costs, each in a process of its own, in turn."""
        path = self._file_of(kind, rows)
        times = self._repeat(rows)
        _tell(f"{', '.join(stages)}: {rows:,} rows, {times} x")
        runs = [
            {stage: measure([stage], path, self.folder, year=self.year)[stage] for stage in stages}
            for _ in range(times)
        ]
        costs = {stage: middle([run[stage] for run in runs]) for stage in stages}
        return Figures(rows, path.stat().st_size, times, costs)

    def _memory(self) -> list[Memory]:
        """Return the memory of workers that have parsed and checked files, taken in turn."""
        sizes = sorted({*_MEMORY_ROWS, *(n for n in self.options.rows if n >= _MANY_ROWS)})
        paths = {rows: self._file_of(self.kind, rows) for rows in sizes}
        peaks: dict[int, list[float]] = {rows: [] for rows in sizes}
        for turn in range(self.options.repeat or _RUNS):
            for rows, path in paths.items():
                if turn and rows > _MANY_ROWS:
                    continue
                _tell(f"memory of a worker: {rows:,} rows")
                costs = measure((EDITS,), path, self.folder, year=self.year, as_worker=True)
                peaks[rows].append(costs[EDITS].memory)
        return [Memory(rows, peaks_of_size) for rows, peaks_of_size in peaks.items()]

    def _repeat(self, rows: int) -> int:
        return int(self.options.repeat or (1 if rows >= _MANY_ROWS else _RUNS))


def _tell(what: str) -> None:
    print(f"... {what}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
