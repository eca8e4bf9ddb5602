"""`python bench/differences.py`: how long two versions of a year take to be compared.

Made-up records are written as a build writes them, and again as a later version: of 200 records,
four have other values, one is gone, and one is new. With `--all`, every record has another value of
one derived column, as after a new census file. The comparison runs in a process of its own.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

# `filing.py` beside this file has the name of a package, which must be imported instead.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np
import polars as pl

from bench import report
from bench.processes import run_in_process
from bench.stages import Measure

YEAR = 2023
SECONDS, MEMORY_MB = 60, 2_000  # for two versions of 20 million records
_ORDER = ("state_code", "county_code", "lei")
_PART = 1 / 200  # of the records: removed, and as many added
# What changes in the later version: the share of records, and their new value.
_CHANGES = {
    "income": (0.01, pl.lit("77")),
    "interest_rate": (0.005, pl.lit("5.125")),
    "loan_amount": (0.002, pl.col("loan_amount") + 10_000),
    "census_tract": (0.002, pl.lit("NA")),
    "action_taken": (0.001, pl.lit("4")),
}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--all", action="store_true", help="change every record")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    os.environ |= {"DJANGO_SETTINGS_MODULE": "config.settings", "POLARS_MAX_THREADS": "2"}
    with tempfile.TemporaryDirectory(prefix="hmda-bench-") as folder:
        run_in_process(_write_versions, Path(folder), options.rows, options.all)
        cost, counts = run_in_process(_compare, Path(folder))
    checks = [
        report.at_most(f"seconds for {options.rows:,} records", cost.wall, SECONDS),
        report.at_most("MB at most", cost.memory, MEMORY_MB),
    ]
    if options.json:
        result = {"rows": options.rows, "cost": asdict(cost), "counts": counts}
        print(json.dumps({**result, "checks": [asdict(check) for check in checks]}))
        return
    out = report.console()
    out.print(f"{report.machine()}. Clocks of a shared machine are rough.\n")
    out.print(
        f"Two versions of {options.rows:,} records: {cost.wall:.1f} s, {cost.cpu:.1f} s of "
        f"processors, {cost.memory:,.0f} MB.\n{json.dumps(counts)}"
    )
    report.show_checks(out, checks)


def _write_versions(folder: Path, rows: int, is_all: bool) -> None:
    from databrowser.demo import rows as demo_rows
    from databrowser.publication import record_files

    world = demo_rows.DemoWorld.of(rows)

    def write(name: str, pieces: Iterator[pl.DataFrame]) -> None:
        with tempfile.TemporaryDirectory(dir=folder) as aside:
            record_files.write_sorted(pieces, folder / name, by=_ORDER, folder=Path(aside))

    write("before", demo_rows.demo_pieces(world, year=YEAR, rows=rows))
    pieces = demo_rows.demo_pieces(world, year=YEAR, rows=rows)
    if is_all:
        population = pl.lit("7").alias("tract_population")
        write("after", (piece.with_columns(population) for piece in pieces))
        return
    other = demo_rows.DemoWorld(world.places, world.institutions, seed=1)
    added = demo_rows.demo_pieces(other, year=YEAR, rows=int(rows * _PART))
    write("after", _later(pieces, added))


def _later(pieces: Iterator[pl.DataFrame], added: Iterator[pl.DataFrame]) -> Iterator[pl.DataFrame]:
    random = np.random.default_rng(0)
    for piece in pieces:
        chance = {name: pl.Series(random.random(piece.height)) for name in _CHANGES}
        changed = piece.with_columns(
            pl.when(chance[name] < share).then(value).otherwise(pl.col(name)).alias(name)
            for name, (share, value) in _CHANGES.items()
        )
        yield changed.filter(pl.Series(random.random(piece.height)) >= _PART)
    yield from added


def _compare(folder: Path) -> tuple[Measure, dict[str, int]]:
    import resource

    from databrowser.differences import comparison

    began = time.perf_counter()
    with tempfile.TemporaryDirectory(dir=folder) as aside:
        found = comparison.compare_files(folder / "before", folder / "after", Path(aside))
    seconds = time.perf_counter() - began
    used = resource.getrusage(resource.RUSAGE_SELF)
    unit = 1024**2 if sys.platform == "darwin" else 1024
    cost = Measure(seconds, used.ru_utime + used.ru_stime, used.ru_maxrss / unit)
    return cost, found.select(comparison.COUNTS).sum().row(0, named=True)


if __name__ == "__main__":
    main()
