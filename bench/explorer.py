"""`python bench/explorer.py`: readers of the data browser at once, each with ten clicks.

A reader opens the page, chooses years, a state, values, a measure and groupings, goes into a county
and to a lender. Readers choose differently, so few answers are cached. Times are those of the parts
that the script of the page asks for, over HTTP.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles
from typing import Any

# `filing.py` beside this file has the name of a package, which must be imported instead.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import httpx

from bench import browser, report
from bench.browser_data import YEARS
from bench.service import Service
from databrowser.dimensions.catalogue import FILTERS
from filing.lar.years import Period

PAGE = "/data/browser/"
LIMITS_MS = {20: 150, 50: 500}  # the 95th percentile with so many readers at once
SECONDS_BETWEEN = 2.0  # clicks of a reader, on average
_RATES = ("denial_rate", "origination_rate")
_MEDIANS = ("loan_amount", "interest_rate", "income")
_STATES = ("CA", "TX", "FL", "NY", "OH", "IL", "PA", "GA", "NC", "MI", "WA", "VA")


@dataclass(frozen=True, slots=True)
class Readers:
    """The times of all clicks of some readers at once, in ms, and what a web process held in MB."""

    number: int
    times: list[float]
    memory: float

    @property
    def p95(self) -> float:
        return quantiles(self.times, n=20)[-1]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000, help="of five years together")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="hmda-bench-") as data_dir:
        measured = _measured(Path(data_dir), options.rows)
    checks = [
        report.at_most(f"{each.number} readers: ms, p95", each.p95, LIMITS_MS[each.number])
        for each in measured
    ]
    if options.json:
        result = [
            {"readers": each.number, "median": median(each.times), "p95": each.p95}
            for each in measured
        ]
        print(json.dumps({"figures": result, "memory": measured[-1].memory}))
        return
    out = report.console()
    table = report.table_of(f"Clicks on {options.rows:,} rows", "readers", "median", "p95", "MB")
    for each in measured:
        figures = (median(each.times), each.p95, each.memory)
        table.add_row(str(each.number), *(f"{figure:,.0f}" for figure in figures))
    out.print(table)
    report.show_checks(out, checks)


def _measured(data_dir: Path, count: int) -> list[Readers]:
    service = Service(data_dir, Period(2024))
    service.manage("prepare")
    facts = json.loads(browser.run_python(service, "-m", "bench.browser_data", str(count)))
    service.stack.start()
    try:
        httpx.get(f"{service.stack.url}{PAGE}", timeout=300).raise_for_status()
        return [_read(service, facts, number) for number in LIMITS_MS]
    finally:
        service.stack.stop()


def _read(service: Service, facts: dict[str, Any], number: int) -> Readers:
    """Let some readers click at once."""
    with ThreadPoolExecutor(number) as pool:
        sessions = pool.map(
            lambda seed: _session(service.stack.url, facts, random.Random(seed)),
            range(1000 * number, 1000 * number + number),
        )
        times = [milliseconds for session in sessions for milliseconds in session]
    return Readers(number, times, service.web_memory())


def _session(url: str, facts: dict[str, Any], chance: random.Random) -> list[float]:
    times = []
    with httpx.Client(base_url=url, timeout=300, headers={"HX-Request": "true"}) as client:
        for query in _clicks(facts, chance):
            time.sleep(chance.uniform(0, 2 * SECONDS_BETWEEN))
            began = time.perf_counter()
            client.get(f"{PAGE}?{query}").raise_for_status()
            times.append((time.perf_counter() - began) * 1000)
    return times


def _clicks(facts: dict[str, Any], chance: random.Random) -> Iterator[str]:
    """Yield the queries of ten clicks, each of which changes a little."""
    years = ",".join(map(str, sorted(chance.sample(YEARS, chance.randint(1, len(YEARS))))))
    one, other, third = (each for each in chance.sample(FILTERS[1:], 3))
    values = ",".join(chance.sample(one.values, min(2, len(one.values))))
    state = chance.choice(_STATES)
    rate, middle = chance.choice(_RATES), chance.choice(_MEDIANS)
    yield f"years={years}"
    yield f"years={years}&{one.parameter}={values}"
    yield f"years={years}&{one.parameter}={values}&by={other.parameter}"
    yield f"years={years}&{one.parameter}={values}&by=years&measure={rate}"
    yield f"years={years}&states={state}&measure={rate}&by=counties"
    yield f"years={years}&states={state}&measure={middle}&by={other.parameter}"
    yield f"years={years}&states={state}&measure={rate}&by={other.parameter},{third.parameter}"
    yield f"years={years}&counties={facts['county']}&by=tracts"
    yield f"years={years}&states={state}&by=leis"
    yield f"years={years}&leis={facts['large']}&by=leis&peers=size&measure={middle}"


if __name__ == "__main__":
    main()
