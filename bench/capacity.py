"""`python bench/capacity.py`: what a filing season needs, computed from what one filing costs.

It runs its own service, files small files and a large one up to their receipts, and reads from the
job table how long workers were at work, from the system how much processor time the web processes
took, and from the storage how many bytes are kept. Two sizes give what a file costs alone and
what each record adds. From that it computes a national season and one of ten times that size, as
shares of a machine, and prints the tables of `docs/capacity.md`.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

# `filing.py` beside this file has the name of a package, which must be imported instead.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.filing_costs import Costs, measure_costs


@dataclass(frozen=True, slots=True)
class Season:
    """A filing season.

    uploads: of each institution; only the last is signed. last_day: the share of the uploads on
    the last day. busiest_hour: the share of that day's uploads in its busiest hour.
    """

    name: str
    institutions: int
    records: int
    uploads: float = 2
    last_day: float = 0.5
    busiest_hour: float = 0.25


@dataclass(frozen=True, slots=True)
class Machine:
    """What there is of each resource: a machine as a small site has it."""

    cores: int = 4
    memory_gb: float = 16
    connections: int = 97
    disk_gb: float = 500


@dataclass(frozen=True, slots=True)
class Needs:
    """What a season needs. hour: of the busiest one, in core seconds of workers and of web."""

    day_files: float
    day_records: float
    day_worker_hours: float
    hour_worker_cores: float
    hour_web_cores: float
    workers: int
    web_processes: int
    memory_gb: float
    connections: int
    kept_gb: float
    public_gb: float
    database_gb: float

    def shares(self, machine: Machine) -> dict[str, float]:
        """Return the share of a machine's resources that is used: above 1 is too much."""
        return {
            "cores": (self.hour_worker_cores + self.hour_web_cores) / machine.cores,
            "memory": self.memory_gb / machine.memory_gb,
            "database connections": self.connections / machine.connections,
            "disk": (self.kept_gb + self.public_gb + self.database_gb) / machine.disk_gb,
        }


NATIONAL = Season("national", 5_000, 25_000_000)
TENFOLD = Season("ten times that", 50_000, 250_000_000)
BUSY = 0.6  # the share of its time that a worker or web process may be at work, or queues grow
_LEAST = 2  # workers, one of them for large files; and web processes, one while one is replaced
_WORKER_CONNECTIONS, _OTHER_CONNECTIONS = 2, 3 + 5  # as `manage.py doctor` counts them
_WEB_THREADS = 24
_SERVERS_GB = 2  # PostgreSQL, Redis, beat and the system


def needs(costs: Costs, season: Season) -> Needs:
    """Return what a season needs at its busiest, with each upload counted as signed."""
    files, records = season.institutions * season.uploads, season.records * season.uploads
    day = (files * season.last_day, records * season.last_day)
    hour = tuple(each * season.busiest_hour for each in day)
    worker_cores, web_cores = (cost.of(*hour) / 3600 for cost in (costs.worker, costs.web))
    workers, web = (max(_LEAST, math.ceil(cores / BUSY)) for cores in (worker_cores, web_cores))
    return Needs(
        day_files=day[0],
        day_records=day[1],
        day_worker_hours=costs.worker.of(*day) / 3600,
        hour_worker_cores=worker_cores,
        hour_web_cores=web_cores,
        workers=workers,
        web_processes=web,
        memory_gb=_SERVERS_GB + (workers * costs.worker_mb + web * costs.web_mb) / 1000,
        connections=web * _WEB_THREADS + workers * _WORKER_CONNECTIONS + _OTHER_CONNECTIONS,
        kept_gb=costs.kept.of(files, records) / 1e9,
        public_gb=costs.public.of(season.institutions, season.records) / 1e9,
        database_gb=files * costs.database / 1e9,
    )


def document(costs: Costs) -> str:
    """Return the tables of the document."""
    return "\n".join([*_costs(costs), "", *_seasons(costs)])


def _costs(costs: Costs) -> Iterator[str]:
    yield from _head("Cost", "A file alone", "Each million records more")
    for name, cost, unit, scale in (
        ("Worker, seconds", costs.worker, "", 1.0),
        ("Web processes, processor seconds", costs.web, "", 1.0),
        ("Storage of an upload, MB", costs.kept, "", 1e6),
        ("Public records of a signed file, MB", costs.public, "", 1e6),
    ):
        values = (cost.file / scale, cost.record * 1e6 / scale)
        yield _row(name, *(f"{value:,.3g}{unit}" for value in values))
    yield _row("Database, kB", f"{costs.database / 1e3:,.3g}", "0")
    yield ""
    yield (
        f"A worker held at most {costs.worker_mb:,.0f} MB, a web process {costs.web_mb:,.0f} MB. "
        f"A record is kept in {costs.kept.record:,.0f} bytes, and in {costs.public.record:,.0f} "
        "more once it is public."
    )


def _seasons(costs: Costs) -> Iterator[str]:
    seasons = (NATIONAL, TENFOLD)
    needed = [needs(costs, season) for season in seasons]
    yield from _head("", *(season.name for season in seasons))
    rows: list[tuple[str, list[str]]] = [
        ("Institutions", [f"{each.institutions:,}" for each in seasons]),
        ("Records", [f"{each.records:,}" for each in seasons]),
        ("Uploads on the last day", [f"{each.day_files:,.0f}" for each in needed]),
        ("Records in them", [f"{each.day_records:,.0f}" for each in needed]),
        ("Hours of one worker for that day", [f"{each.day_worker_hours:,.1f}" for each in needed]),
        (
            "Cores that workers keep busy in its busiest hour",
            [f"{each.hour_worker_cores:,.2f}" for each in needed],
        ),
        ("Cores that web processes keep busy", [f"{each.hour_web_cores:,.2f}" for each in needed]),
        ("Workers", [f"{each.workers:,}" for each in needed]),
        ("Web processes", [f"{each.web_processes:,}" for each in needed]),
        ("Memory, GB", [f"{each.memory_gb:,.1f}" for each in needed]),
        ("Database connections", [f"{each.connections:,}" for each in needed]),
        ("Storage of all uploads, GB", [f"{each.kept_gb:,.1f}" for each in needed]),
        ("Storage of public records, GB", [f"{each.public_gb:,.1f}" for each in needed]),
        ("Database, GB", [f"{each.database_gb:,.2f}" for each in needed]),
    ]
    for name, values in rows:
        yield _row(name, *values)
    yield ""
    machine = Machine()
    yield (
        f"Of one machine with {machine.cores} cores, {machine.memory_gb:g} GB of memory, "
        f"{machine.connections} connections and {machine.disk_gb:g} GB of disk that is, "
        "most used first:"
    )
    yield ""
    for season, each in zip(seasons, needed, strict=True):
        shares = sorted(each.shares(machine).items(), key=lambda share: -share[1])
        yield f"- {season.name}: " + ", ".join(f"{name} {value:.0%}" for name, value in shares)


def _head(*names: str) -> Iterator[str]:
    yield _row(*names)
    yield "|---" * len(names) + "|"


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Measure, compute, and print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--small", type=int, default=1_000, help="records of the small files")
    parser.add_argument("--large", type=int, default=300_000, help="records of the large file")
    parser.add_argument("--repeat", type=int, default=10, help="small files")
    options = parser.parse_args()
    print(document(measure_costs(rows=(options.small, options.large), repeat=options.repeat)))


if __name__ == "__main__":
    main()
