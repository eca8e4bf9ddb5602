"""What one filing costs, up to its receipt and public records: measured on a service of its own."""

from __future__ import annotations

import json
import os
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from bench.files import write_lar
from bench.service import Service, lei_of
from bench.stages import peak_memory
from filing.client import FilingClient, file
from filing.lar.years import Period

YEAR = 2025
_VERIFIED_EDITS = {"Q611": 1, "Q637": 1}  # a quality and a macro edit, which a filer verifies
_WHOLE = 1 << 40  # bytes up to which a file is sent in one request
_PUBLIC_SECONDS = 600
_SAMPLE_SECONDS = 0.25
_TICKS = os.sysconf("SC_CLK_TCK")
# Prints seconds of workers and stored bytes of each institution's file, and the database's size.
_COSTS = """
import json
from django.core.files.storage import default_storage as store
from django.db import connection
from databrowser.models import ModifiedLar
from filing import storage
from filing.models import Attempt, Signature, Submission
def size(folder):
    folders, files = store.listdir(folder)
    inner = sum(size(f"{folder}/{name}") for name in folders)
    return inner + sum(store.size(f"{folder}/{name}") for name in files)
def seconds(**jobs):
    tries = Attempt.objects.filter(**jobs).exclude(job__stage="upload")
    return sum((each.ended_at - each.started_at).total_seconds() for each in tries)
lars = {each.submission_id: each for each in ModifiedLar.objects.all()}
filed = {}
for each in Submission.objects.exclude(raw_file=""):
    base = storage.name_folder(each)
    kept = {}
    for name in store.listdir(base)[0]:
        kind = name.partition("-")[0]
        kept[kind] = kept.get(kind, 0) + size(f"{base}/{name}")
    worked = seconds(job__submission=each)
    if each.pk in lars:
        worked += seconds(job=lars[each.pk].job_id)
    filed[each.lei] = {"seconds": worked, "bytes": kept}
with connection.cursor() as cursor:
    cursor.execute("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")
    (database,) = cursor.fetchone()
unpublished = Signature.objects.count() - ModifiedLar.objects.made().count()
print(json.dumps({"filed": filed, "database": database, "unpublished": unpublished}))
"""


@dataclass(frozen=True, slots=True)
class Cost:
    """What a file costs alone, and what each of its records adds."""

    file: float
    record: float

    def of(self, files: float, records: float) -> float:
        """Return the cost of a number of files that have a number of records in all."""
        return files * self.file + records * self.record


@dataclass(frozen=True, slots=True)
class Costs:
    """The costs of filings up to their receipts.

    worker, web: processor seconds; worker: of one worker at work, its waits for the disk included.
    kept: bytes of an upload in the storage. public: bytes of the public records of a signed one.
    database: bytes for each upload. worker_mb, web_mb: the most that one process held.
    """

    worker: Cost
    web: Cost
    kept: Cost
    public: Cost
    database: float
    worker_mb: float
    web_mb: float


def fit_cost(small: tuple[int, float], large: tuple[int, float]) -> Cost:
    """Return the cost that fits two files, each given by its records and what it cost."""
    record = max((large[1] - small[1]) / (large[0] - small[0]), 0.0)
    return Cost(max(small[1] - record * small[0], 0.0), record)


def measure_costs(*, rows: Sequence[int], repeat: int) -> Costs:
    """Return the costs, measured on a service of its own. rows: of small files and a large one."""
    small, large = rows
    leis = [lei_of(number) for number in range(repeat + 2)]
    with running_service(leis, YEAR) as (service, client):
        paths = {lei: service.data_dir / f"{lei}.txt" for lei in leis}
        for lei, path in paths.items():
            records = large if lei == leis[-1] else small
            write_lar(path, lei=lei, rows=records, year=YEAR, fails=_VERIFIED_EDITS)
        _file(client, leis[0], paths)  # the first one finds nothing loaded
        before = _read_costs(service)
        with _worker_memory(service) as memory:
            spent = [_web_seconds(service)]
            for lei in leis[1:-1]:
                _file(client, lei, paths)
            spent.append(_web_seconds(service))
            after = _read_costs(service)
            _file(client, leis[-1], paths)
            spent.append(_web_seconds(service))
        costs = _read_costs(service)
        web_mb = service.web_memory()
    *smalls, one = [costs["filed"][lei] for lei in leis[1:]]

    def fit(value: Callable[[Any], float]) -> Cost:
        return fit_cost((small, median(map(value, smalls))), (large, value(one)))

    return Costs(
        worker=fit(lambda each: each["seconds"]),
        web=fit_cost((small, (spent[1] - spent[0]) / repeat), (large, spent[2] - spent[1])),
        kept=fit(lambda each: sum(n for kind, n in each["bytes"].items() if kind != "disclose")),
        public=fit(lambda each: each["bytes"].get("disclose", 0)),
        database=(after["database"] - before["database"]) / repeat,
        worker_mb=memory[0],
        web_mb=web_mb,
    )


@contextmanager
def running_service(leis: list[str], year: int) -> Iterator[tuple[Service, FilingClient]]:
    """Yield a service of some institutions, and a client that files for them."""
    with tempfile.TemporaryDirectory(prefix="hmda-bench-") as folder:
        service = Service(Path(folder), Period(year))
        service.prepare(leis)
        token = service.manage("token", "--lei", ",".join(leis), "--minutes", "600").strip()
        service.stack.start()
        try:
            with FilingClient(service.stack.url, token) as client:
                yield service, client
        finally:
            service.stack.stop()


def _file(client: FilingClient, lei: str, paths: dict[str, Path]) -> None:
    """File up to the receipt."""
    outcome = file(
        *(client, paths[lei]), lei=lei, period=Period(YEAR), verify=True, sign=True, piece=_WHOLE
    )
    assert outcome.receipt, outcome


def _read_costs(service: Service) -> dict[str, Any]:
    """Return the costs so far, once the public records of all that is signed are made."""
    until = time.monotonic() + _PUBLIC_SECONDS
    while True:
        costs: dict[str, Any] = json.loads(service.manage("shell", "-v", "0", "-c", _COSTS))
        if not costs["unpublished"]:
            return costs
        if time.monotonic() > until:
            raise TimeoutError(f"{costs['unpublished']} signed files have no public records.")
        time.sleep(1)


def _web_seconds(service: Service) -> float:
    """Return the processor time of the web processes so far."""
    ticks = 0
    for process in service.processes(b"gunicorn"):
        words = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        ticks += int(words[11]) + int(words[12])
    return ticks / _TICKS


@contextmanager
def _worker_memory(service: Service) -> Iterator[list[float]]:
    """Watch the workers; the list has the most that any of them held so far, in MB."""
    most, over = [0.0], threading.Event()

    def watch() -> None:
        while not over.wait(_SAMPLE_SECONDS):
            for process in service.processes(b"worker"):
                with suppress(FileNotFoundError, ProcessLookupError, StopIteration):
                    most[0] = max(most[0], peak_memory(process))

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield most
    finally:
        over.set()
        thread.join()
