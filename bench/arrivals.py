"""`python bench/arrivals.py`: how long a filer waits, from the last byte of a file to its results.

Files of some sizes are uploaded to a service of its own, one after the other, and then many at once
beside one alone. A plain loop over the same rules, in the same run, is what rates are divided by.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median

# `filing.py` beside this file has the name of a package, which must be imported instead.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench import report
from bench.files import write_lar
from bench.filing_costs import running_service
from bench.plain_loop import YEAR
from bench.service import lei_of
from bench.stages import PLAIN_LOOP, measure
from filing.client import FilingClient
from filing.lar.years import Period
from filing.statuses import Status

_PERIOD = Period(YEAR)
_PAUSE_SECONDS = 0.02
_PLAIN_ROWS = 10_000


def main() -> None:
    """Measure, and print a line for each file or number of files."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[10_000, 1_000_000])
    parser.add_argument("--at-once", type=int, default=16, help="files, each of --each records")
    parser.add_argument("--each", type=int, default=50_000)
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    plain = _plain_rate()
    print(f"{report.machine()}. Plain loop: {plain:,.0f} records/s.")
    leis = [lei_of(number) for number in range(options.at_once)]
    with (
        tempfile.TemporaryDirectory(prefix="hmda-bench-") as folder,
        running_service(leis, YEAR) as (_, client),
    ):
        paths = [Path(folder, f"{lei}.txt") for lei in leis]
        _wait(client, leis[0], _written(paths[0], leis[0], 100))  # loads what is loaded once
        for rows in options.rows:
            path = _written(paths[0], leis[0], rows)
            seconds = median(_wait(client, leis[0], path) for _ in range(options.repeat))
            print(f"{rows:,} records: {seconds:.2f} s, {rows / seconds / plain:.1f} x plain")
        for lei, path in zip(leis, paths, strict=True):
            _written(path, lei, options.each)
        alone = median(_wait(client, leis[0], paths[0]) for _ in range(options.repeat))
        begun = time.perf_counter()
        with ThreadPoolExecutor(options.at_once) as pool:
            list(pool.map(lambda lei, path: _wait(client, lei, path), leis, paths))
        together = (time.perf_counter() - begun) / options.at_once
        print(
            f"{options.at_once} files of {options.each:,} at once: {options.each / together:,.0f} "
            f"records/s, {alone / together:.2f} x one alone, on {os.cpu_count()} cores"
        )


def _plain_rate() -> float:
    with tempfile.TemporaryDirectory(prefix="hmda-bench-") as folder:
        path = _written(Path(folder, "plain.txt"), lei_of(0), _PLAIN_ROWS)
        return _PLAIN_ROWS / measure([PLAIN_LOOP], path, Path(folder), year=YEAR)[PLAIN_LOOP].wall


def _written(path: Path, lei: str, rows: int) -> Path:
    write_lar(path, lei=lei, rows=rows, year=YEAR)
    return path


def _wait(client: FilingClient, lei: str, path: Path) -> float:
    """Upload a file, and return the seconds from its last byte to its results."""
    number = client.create_submission(lei, _PERIOD).body["id"]["sequenceNumber"]
    sent = 0.0

    def note(_: int) -> None:
        nonlocal sent
        sent = time.perf_counter()

    client.upload(lei, _PERIOD, number, path, on_progress=note)
    while True:
        code = client.submission(lei, _PERIOD, number).body["status"]["code"]
        if Status(code).is_settled:
            return time.perf_counter() - sent
        time.sleep(_PAUSE_SECONDS)


if __name__ == "__main__":
    main()
