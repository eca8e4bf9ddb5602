"""`python bench/nodes.py`: what worker nodes add, and what the death of one costs.

It runs its own service: two web nodes and up to three worker nodes, each with a folder, a network
and a host name of its own where the system lets (as root), which share PostgreSQL, Redis and S3. A
worker node has one worker, which works on one file at a time.

For 1, 2 and 3 worker nodes: files are uploaded through both web nodes while workers are paused.
Then the workers run, and the time is taken until the last file has its result. In the end all
files are uploaded again, and a worker node is killed while it works on one. Reported are the
seconds until another node took that job, beside the lease, and that no filing was lost.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

# `filing.py` beside this file has the name of a package, which must be imported instead.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import psycopg

from bench import networks, servers
from bench.chaos import lei_of
from bench.machines import BEAT, LARGE, WEB, Machines, Node
from bench.stages import ROOT
from filing.client import FilingClient
from filing.demo import census as demo_census
from filing.demo import panel
from filing.demo.files import Recipe, make
from filing.lar.period import Period
from filing.reference import census as census_file
from filing.statuses import Status

YEAR = 2025
NODES = 3
SWEEP_SECONDS = 10
NOTICE_SECONDS = 5  # from the end of a lease and a sweep until a worker has taken the job
_UPLOADS = 4  # at the same time
_LONGEST_SECONDS = 1800
_ALWAYS = ("--opens", "2017-01-01", "--timely-until", "2098-01-01", "--closes", "2099-12-31")
_MAKE_TOKEN = """
from django.contrib.auth.models import User
from filing.access import SERVICE
from filing.models import Membership
from filing.people import personal_tokens
leis = {leis!r}
user = User.objects.create(username="bench", email="bench@bench.example")
Membership.objects.bulk_create([Membership(user=user, lei=lei) for lei in leis])
print(personal_tokens.make(user, name="bench", leis=leis, days=1, by=SERVICE)[0])
"""
_UNFINISHED = "SELECT count(*) FROM filing_submission WHERE status <> ALL(%s)"
_LAST_MOVE = "SELECT extract(epoch FROM max(at))::float8 FROM filing_statuschange"
_OWNERS = "SELECT id, owner FROM filing_job WHERE state = 'running' AND stage <> 'upload'"
_TAKEN = """
SELECT extract(epoch FROM min(started_at))::float8 FROM filing_attempt
WHERE job_id = %s AND started_at > to_timestamp(%s)
"""
_LOST = "SELECT count(*) FROM filing_attempt WHERE outcome = 'lost'"
_WRONG = "SELECT count(*) FROM filing_submission WHERE status <> %s"


@dataclass(frozen=True, slots=True)
class Rate:
    """The rate of some worker nodes. ratios: to that of one node."""

    nodes: int
    seconds: float
    files: float
    records: float
    ratio: float


@dataclass(frozen=True, slots=True)
class Death:
    """The cost of a node that was killed at work. taken: seconds until another took its job.

    more: seconds that all files took longer than with as many nodes, none of which died.
    lost_attempts: which had to be made again. wrong: filings without the right result.
    """

    lease: int
    taken: float
    more: float
    lost_attempts: int
    wrong: int

    @property
    def is_within(self) -> bool:
        """True if no filing was lost, and the job waited for at most a lease, a sweep and a bit."""
        most = self.lease + SWEEP_SECONDS + NOTICE_SECONDS
        return not self.wrong and self.lost_attempts == 1 and self.taken <= most


def main() -> None:
    """Measure and print; ends with an error if a death cost a filing, or more than a lease."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--files", type=int, default=200, help="each of another institution")
    parser.add_argument("--rows", type=int, default=1000, help="of each file (%(default)s)")
    parser.add_argument("--lease", type=int, default=30, help="JOB_LEASE_SECONDS (%(default)s)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    with _bench(options.files, options.rows, options.lease) as bench:
        rates: list[Rate] = []
        for number in range(1, NODES + 1):
            bench.add_node()
            seconds = bench.run()
            files = options.files / seconds
            first = rates[0].files if rates else files
            rates.append(Rate(number, seconds, files, files * options.rows, files / first))
        death = bench.lose_a_node(options.lease, rates[-1].seconds)
    if options.json:
        print(json.dumps({"rates": [asdict(rate) for rate in rates], "death": asdict(death)}))
    else:
        print(_text(options, rates, death))
    if not death.is_within:
        sys.exit(1)


class Bench:
    """The service, and the files that its institutions send again and again."""

    def __init__(self, machines: Machines, files: dict[str, Path], token: str) -> None:
        self._machines, self._files, self._token = machines, files, token
        self._web = [machines.add(name, WEB) for name in ("web-1", "web-2")]
        self._workers: list[Node] = []
        self._database = psycopg.connect(machines.settings["DATABASE_URL"], autocommit=True)
        for node in self._web:
            node.wait_until_ready()

    def add_node(self) -> None:
        """Start another worker node; the first one also runs beat."""
        programs = (LARGE,) if self._workers else (LARGE, BEAT)
        node = self._machines.add(f"worker-{len(self._workers) + 1}", *programs)
        node.wait_until_ready()
        self._workers.append(node)

    def run(self) -> float:
        """Return the seconds that the workers take for all files."""
        self._upload()
        return self._finish(self._begin())

    def lose_a_node(self, lease: int, usual: float) -> Death:
        """Kill a node at work. usual: the seconds that all files take if none dies."""
        self._upload()
        began = self._begin()
        job, killed = self._kill_one()
        seconds = self._finish(began)
        (taken,) = self._row(_TAKEN, job, killed)
        return Death(
            lease=lease,
            taken=taken - killed,
            more=seconds - usual,
            lost_attempts=int(self._row(_LOST)[0]),
            wrong=int(self._row(_WRONG, Status.VERIFIED)[0]),
        )

    def close(self) -> None:
        """Close what this process has open."""
        self._database.close()

    def _upload(self) -> None:
        """Upload every file as a new submission, through both web nodes, while workers wait."""
        for node in self._workers:
            node.freeze()
        with ThreadPoolExecutor(_UPLOADS) as pool:
            list(pool.map(self._file, self._files, range(len(self._files))))

    def _file(self, lei: str, number: int) -> None:
        node = self._web[number % len(self._web)]
        with FilingClient(node.url, self._token) as client:
            created = client.create_submission(lei, Period(YEAR))
            sequence_number = int(created.body["id"]["sequenceNumber"])
            client.upload(lei, Period(YEAR), sequence_number, self._files[lei])

    def _begin(self) -> float:
        for node in self._workers:
            node.thaw()
        return time.time()

    def _finish(self, began: float) -> float:
        """Return the seconds from the begin to the last move of a submission."""
        settled = [int(status) for status in Status if status.is_settled]
        while self._row(_UNFINISHED, settled)[0]:
            if time.time() - began > _LONGEST_SECONDS:
                raise TimeoutError("The files are not done.")
            time.sleep(0.2)
        return float(self._row(_LAST_MOVE)[0]) - began

    def _kill_one(self) -> tuple[int, float]:
        """Kill a node that works on a job; return the job, and when."""
        while True:
            for job, owner in self._database.execute(_OWNERS).fetchall():
                for node in self._workers:
                    if int(owner.split(":")[1]) not in node.processes():
                        continue
                    node.freeze()
                    if (job, owner) in self._database.execute(_OWNERS).fetchall():
                        killed = time.time()
                        node.kill()
                        return job, killed
                    node.thaw()  # it had just finished

    def _row(self, statement: str, *values: object) -> tuple[float, ...]:
        row = self._database.execute(statement.encode(), values).fetchone()
        assert row is not None
        return tuple(row)


@contextmanager
def _bench(files: int, rows: int, lease: int) -> Iterator[Bench]:
    leis = [lei_of(number) for number in range(files)]
    with (
        tempfile.TemporaryDirectory(prefix="hmda-bench-") as name,
        networks.network() as network,
        servers.running(Path(name), network) as started,
    ):
        folder = Path(name, "nodes")
        folder.mkdir()
        machines = Machines(
            folder,
            network,
            started.settings,
            OIDC_ISSUER="http://provider.test/realms/hmda2",  # no one signs in
            JOB_LEASE_SECONDS=str(lease),
            JOB_SWEEP_SECONDS=str(SWEEP_SECONDS),
        )
        try:
            bench = Bench(machines, _files(folder, leis, rows), _prepare(machines, leis))
            yield bench
            bench.close()
        finally:
            machines.end()


def _prepare(machines: Machines, leis: list[str]) -> str:
    """Fill the database; return a token for all institutions."""
    like = panel.institutions()[0]
    lines = ["activity_year,lei,name,tax_id,agency,email_domains,quarterly_filer"]
    lines += [
        f"{YEAR},{lei},Bank {number},{like['tax_id']},{like['agency']},b{number}.example,false"
        for number, lei in enumerate(leis)
    ]
    path = machines.desk / "panel.csv"
    path.write_text("\n".join(lines) + "\n")
    commands = (
        ("prepare",),
        ("load_institutions", "--strict", str(path)),
        ("load_census", str(YEAR), "--demo"),
        ("open_season", str(YEAR), *_ALWAYS),
        ("shell", "-v", "0", "-c", _MAKE_TOKEN.format(leis=leis)),
    )
    output = ""
    for words in commands:
        output = subprocess.run(
            [sys.executable, str(ROOT / "manage.py"), *words],
            env=machines.environment,
            stdout=subprocess.PIPE,
            check=True,
            text=True,
        ).stdout
    return output.strip()


def _files(folder: Path, leis: list[str], rows: int) -> dict[str, Path]:
    """Write a file for each institution, which triggers no edit."""
    tracts = census_file.facts(demo_census.rows(YEAR)).tracts
    like = panel.institutions()[0]
    files = {}
    for lei in leis:
        recipe = Recipe(
            period=Period(YEAR), lei=lei, rows=rows, tax_id=like["tax_id"], agency=like["agency"]
        )
        files[lei] = folder / f"{lei}.txt"
        files[lei].write_bytes(b"".join(make(recipe, tracts)))
    return files


def _text(options: argparse.Namespace, rates: list[Rate], death: Death) -> str:
    cores = os.cpu_count() or 1
    lines = [f"{options.files} files of {options.rows} records, 2 web nodes, {cores} cores"]
    lines += [
        f"{rate.nodes} worker node{'s' if rate.nodes > 1 else ' '}: {rate.seconds:.1f} s, "
        f"{rate.files:.1f} files/s, {rate.records:,.0f} records/s, {rate.ratio:.2f} of one node"
        for rate in rates
    ]
    if cores < NODES:
        lines.append(
            f"All nodes share {cores} cores: more worker nodes than that cannot help here."
        )
    lines.append(
        f"a node died: its job was taken after {death.taken:.1f} s (lease {death.lease} s); all "
        f"files took {death.more:+.1f} s; attempts made again {death.lost_attempts}, filings "
        f"without the right result {death.wrong}"
    )
    return "\n".join(lines)


if __name__ == "__main__":
    main()
