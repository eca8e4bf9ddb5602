"""`python bench/graphs.py`: all quarterly graphs from made-up facts, and one of them in PostgreSQL.

All graphs are computed in a process of their own, from Parquet files of five years. The same rows
then answer one graph, median credit scores by loan type, here and in PostgreSQL, in turn; both must
come to the same figures. Reading a graph is measured over HTTP.
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
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median, quantiles
from typing import Any

# Modules beside this file have the names of packages, which must be imported first.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import duckdb
import httpx
import psycopg

from bench import report
from bench.service import Service
from bench.stages import ROOT, peak_memory
from filing.lar.years import Period
from graphs import measurement
from graphs.catalogue import BY_ENDPOINT, Graph
from graphs.demo import facts
from graphs.rules import BY_TYPE, COMMON, FEWEST

SERVER = "postgresql://postgres@127.0.0.1:5432/postgres"
YEARS = range(2020, 2025)
FILERS, OTHERS = [f"FILER{n:015}" for n in range(150)], [f"OTHER{n:015}" for n in range(4_000)]
GRAPH = BY_ENDPOINT["credit-scores"]
ALL_SECONDS, ALL_MB, READ_MS = 20, 1_536, 10
_DATABASE = "hmda_bench_graphs"
_COLUMNS = {
    "activity_year": "smallint",
    "quarter": "smallint",
    "lei": "text",
    "in_scope": "boolean",
    "action_taken": "smallint",
    "loan_type": "smallint",
    "lien_status": "smallint",
    "open_end_line_of_credit": "smallint",
    "conforming_loan_limit": "text",
    "applicant_credit_score": "smallint",
}
_ROWS_AT_ONCE = 50_000

Cells = dict[str, float]


@dataclass(frozen=True, slots=True)
class Result:
    """The measurements: seconds, MB, and reading in ms. one, peer: seconds for one graph.

    cpu: seconds of all processors, which hardly depend on what else a machine does.
    """

    rows: int
    graphs: int
    seconds: float
    cpu: float
    memory: float
    passes: list[float]
    one: float
    peer: float
    same: bool
    read: float
    read_p95: float


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000, help="of five years together")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--server", default=SERVER, help="PostgreSQL; blank leaves it out")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--part", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.part:
        what, words = options.part[0], json.loads(options.part[1])
        print(json.dumps(_compute(**words) if what == "compute" else _make(**words)))
        return
    with tempfile.TemporaryDirectory(prefix="hmda-bench-") as folder:
        result = _measured(Path(folder), options.rows, options.repeat, options.server)
    checks = _checks(result)
    if options.json:
        print(json.dumps({**asdict(result), "checks": [asdict(check) for check in checks]}))
    else:
        _show(result, checks)


def _measured(folder: Path, rows: int, repeat: int, server: str) -> Result:
    files = [str(folder / f"{year}.parquet") for year in YEARS]
    for year, file in zip(YEARS, files, strict=True):
        _part("make", file=file, year=year, rows=rows // len(YEARS))
    whole = [_part("compute", files=files, folder=str(folder / f"{n}")) for n in range(repeat)]
    ours, theirs, same = _one_graph(files, repeat, server)
    reads = _reads(folder / "service", 100 * repeat)
    return Result(
        rows=whole[0]["rows"],
        graphs=whole[0]["graphs"],
        seconds=median(run["seconds"] for run in whole),
        cpu=median(run["cpu"] for run in whole),
        memory=max(run["memory"] for run in whole),
        passes=[
            round(median(times), 2) for times in zip(*(e["passes"] for e in whole), strict=True)
        ],
        one=median(ours),
        peer=median(theirs) if theirs else 0.0,
        same=same,
        read=median(reads) * 1000,
        read_p95=quantiles(reads, n=20)[-1] * 1000,
    )


def _part(what: str, **words: Any) -> dict[str, Any]:
    """Do a part in a process of its own."""
    done = subprocess.run(
        [sys.executable, __file__, "--part", what, json.dumps(words)],
        cwd=ROOT,
        env={**os.environ, "POLARS_MAX_THREADS": "2"},
        stdout=subprocess.PIPE,
        check=True,
    )
    return dict(json.loads(done.stdout))


def _make(file: str, year: int, rows: int) -> dict[str, Any]:
    facts.make_facts(rows, year, filers=FILERS, others=OTHERS).write_parquet(file)
    return {"rows": rows}


def _compute(files: list[str], folder: str) -> dict[str, Any]:
    paths, workplace, passes = [Path(file) for file in files], Path(folder), []
    workplace.mkdir()
    began = before = time.perf_counter()
    cpu = time.process_time()

    def end_pass() -> None:
        nonlocal before
        passes.append(time.perf_counter() - before)
        before = time.perf_counter()

    measured = measurement.measure_all(
        measurement.FactsFiles(annual=paths[:-1], quarterly=paths[-1:]),
        FILERS,
        workplace=workplace,
        progress=end_pass,
    )
    return {
        "rows": measured.rows,
        "graphs": len(measured.lines),
        "seconds": time.perf_counter() - began,
        "cpu": time.process_time() - cpu,
        "memory": peak_memory(),
        "passes": passes,
    }


def _one_graph(
    files: Sequence[str], repeat: int, server: str
) -> tuple[list[float], list[float], bool]:
    """Return the seconds of one graph, ours and PostgreSQL's, in turn, and whether they agree."""
    with duckdb.connect() as base:
        base.execute("SET threads = 2")
        base.read_parquet(list(files)).create_view("loans")
        if not server:
            return [_timed(base, "quantile_cont({}, 0.5)")[0] for _ in range(repeat)], [], True
        with psycopg.connect(server, autocommit=True) as admin:
            admin.execute(f"DROP DATABASE IF EXISTS {_DATABASE}")
            admin.execute(f"CREATE DATABASE {_DATABASE}")
            try:
                with psycopg.connect(server, dbname=_DATABASE, autocommit=True) as peer:
                    _load(base, peer)
                    return _in_turn(base, peer, repeat)
            finally:
                admin.execute(f"DROP DATABASE {_DATABASE} WITH (FORCE)")


def _in_turn(base: Any, peer: Any, repeat: int) -> tuple[list[float], list[float], bool]:
    ours, theirs, same = [], [], True
    for _ in range(repeat):
        seconds, cells = _timed(base, "quantile_cont({}, 0.5)")
        ours.append(seconds)
        seconds, of_peer = _timed(peer, "percentile_cont(0.5) WITHIN GROUP (ORDER BY {})")
        theirs.append(seconds)
        same = same and cells == of_peer
    return ours, theirs, same


def _load(base: duckdb.DuckDBPyConnection, peer: psycopg.Connection) -> None:
    """Load what the graph needs into a table that is not logged, in PostgreSQL's favour."""
    columns = ", ".join(f"{name} {kind}" for name, kind in _COLUMNS.items())
    peer.execute(f"CREATE UNLOGGED TABLE loans ({columns})")
    line = f"concat_ws(chr(9), {', '.join(_COLUMNS)}) || chr(10)"
    with peer.cursor() as cursor:
        with cursor.copy("COPY loans FROM STDIN") as copy:
            lines = base.from_query(f"SELECT {line} FROM loans")
            for batch in lines.to_arrow_reader(_ROWS_AT_ONCE):
                copy.write("".join(batch.column(0).to_pylist()))
        cursor.execute("VACUUM ANALYZE loans")


def _timed(base: Any, figure: str) -> tuple[float, Cells]:
    began = time.perf_counter()
    rows = base.execute(_question(GRAPH, figure)).fetchall()
    cells = {f"{year}-Q{quarter} {series}": float(value) for year, quarter, series, value in rows}
    return time.perf_counter() - began, cells


def _question(graph: Graph, figure: str) -> str:
    """Return the question of a graph by type, with the conditions of the catalogue."""
    measure = graph.measure
    cases = " ".join(f"WHEN {series.rule.sql} THEN {n}" for n, series in enumerate(BY_TYPE))
    value = figure.format(measure.value)
    return (
        f"SELECT activity_year, quarter, CASE {cases} END AS series, {value} FROM loans "
        f"WHERE {COMMON.sql} AND {measure.rows.sql} AND {measure.usable.sql} "
        f"AND lei LIKE 'FILER%' GROUP BY 1, 2, 3 HAVING count(*) >= {FEWEST}"
    )


def _reads(folder: Path, count: int) -> list[float]:
    """Return the seconds of reading a graph over HTTP from a service of its own."""
    folder.mkdir()
    service = Service(folder, Period(2024))
    service.manage("prepare", "--demo")
    service.stack.start()
    try:
        with httpx.Client(base_url=service.stack.url, timeout=60) as client:
            return [_read(client) for _ in range(count + 10)][10:]
    finally:
        service.stack.stop()


def _read(client: httpx.Client) -> float:
    began = time.perf_counter()
    answer = client.get(f"/quarterly-data/graphs/{GRAPH.endpoint}").raise_for_status()
    assert answer.json()["series"]
    return time.perf_counter() - began


def _checks(result: Result) -> list[report.Check]:
    checks = [
        report.at_most(f"s for {result.graphs} graphs", result.seconds, ALL_SECONDS),
        report.at_most("MB for them", result.memory, ALL_MB),
        report.at_most("ms to read one over HTTP", result.read, READ_MS),
    ]
    if result.peer:
        ratio = result.peer / result.one
        checks += [
            report.Check(
                "other figures than PostgreSQL", str(not result.same), "False", result.same
            ),
            report.Check("times PostgreSQL, one graph", f"{ratio:.0f}", "over 1", ratio > 1),
        ]
    return checks


def _show(result: Result, checks: list[report.Check]) -> None:
    out = report.console()
    out.print(f"{report.machine()}. Clocks of a shared machine are rough.\n")
    out.print(
        f"{result.graphs} graphs from {result.rows:,} rows: {result.seconds:.1f} s "
        f"({result.cpu:.1f} s of processors), {result.memory:.0f} MB.\n"
        f"Passes: {', '.join(f'{seconds:.2f}' for seconds in result.passes)} s.\n"
        f"Median credit scores by type alone: {result.one:.2f} s; PostgreSQL, percentile_cont: "
        f"{result.peer:.2f} s.\n"
        f"Reading a graph over HTTP: {result.read:.1f} ms, p95 {result.read_p95:.1f} ms."
    )
    report.show_checks(out, checks)


if __name__ == "__main__":
    main()
