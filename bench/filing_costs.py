"""What one filing costs, up to its receipt and public records: measured on a service of its own."""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from bench.day_filers import Filers
from bench.day_service import VERIFIED_EDITS, Day, progress, running, worker_memory
from bench.service import Service

_PUBLIC_SECONDS = 600
_TICKS = os.sysconf("SC_CLK_TCK")
# Prints seconds of workers and stored bytes of each submission, and the size of the database.
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
    base = storage.folder(each)
    kept = {}
    for name in store.listdir(base)[0]:
        kind = name.partition("-")[0]
        kept[kind] = kept.get(kind, 0) + size(f"{base}/{name}")
    worked = seconds(job__submission=each)
    if each.pk in lars:
        worked += seconds(job=lars[each.pk].job_id)
    filed[str(each)] = {"records": each.lines - 1, "seconds": worked, "bytes": kept}
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


def cost_of(small: tuple[int, float], large: tuple[int, float]) -> Cost:
    """Return the cost that fits two files, each given by its records and what it cost."""
    record = max((large[1] - small[1]) / (large[0] - small[0]), 0.0)
    return Cost(max(small[1] - record * small[0], 0.0), record)


def measured(*, rows: Sequence[int], repeat: int) -> Costs:
    """Return the costs, measured on a service of its own. rows: of small files and a large one."""
    small, large = rows
    with running(institutions=repeat + 2) as day:
        files = {
            lei: day.file(lei, rows=large if lei == day.leis[-1] else small, fails=VERIFIED_EDITS)
            for lei in day.leis
        }
        _file(day, files, day.leis[0])  # the first one finds nothing loaded
        before = _costs_of(day)
        with worker_memory(day.service) as memory:
            spent = [_web_seconds(day.service)]
            for lei in day.leis[1:-1]:
                _file(day, files, lei)
            spent.append(_web_seconds(day.service))
            after = _costs_of(day)
            _file(day, files, day.leis[-1])
            spent.append(_web_seconds(day.service))
        result = _costs_of(day)
        web_mb = day.service.web_memory()
    filed = [result["filed"][day.name(lei, 1)] for lei in day.leis[1:]]
    *smalls, one = filed

    def fit(value: Callable[[Any], float]) -> Cost:
        return cost_of((small, median(map(value, smalls))), (large, value(one)))

    web = (small, (spent[1] - spent[0]) / repeat), (large, spent[2] - spent[1])
    return Costs(
        worker=fit(lambda each: each["seconds"]),
        web=cost_of(*web),
        kept=fit(lambda each: sum(n for kind, n in each["bytes"].items() if kind != "disclose")),
        public=fit(lambda each: each["bytes"].get("disclose", 0)),
        database=(after["database"] - before["database"]) / repeat,
        worker_mb=memory[0],
        web_mb=web_mb,
    )


def _file(day: Day, files: dict[str, Path], lei: str) -> None:
    """File once, up to the receipt."""

    async def whole() -> None:
        filers = Filers(day)
        filer = filers.of(lei)
        await filer.start()
        number = await filer.create()
        await filer.upload(number, files[lei])
        await filer.finish(number, await filer.wait(number))
        await filers.close()
        assert not filers.log.broken(), filers.log.broken()

    progress(f"filing {files[lei].stat().st_size:,} bytes")
    asyncio.run(whole())


def _costs_of(day: Day) -> dict[str, Any]:
    """Return the costs so far, once the public records of all that is signed are made."""
    until = time.monotonic() + _PUBLIC_SECONDS
    while True:
        costs: dict[str, Any] = json.loads(day.service.manage("shell", "-v", "0", "-c", _COSTS))
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


def read_costs(text: str) -> Costs:
    """Return costs that were written as JSON."""
    values: dict[str, Any] = json.loads(text)
    costs = {name: Cost(**value) for name, value in values.items() if isinstance(value, dict)}
    return Costs(**(values | costs))
