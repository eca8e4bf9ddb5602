"""Measures the audit chain: sealing and verifying a large number of entries.

    python bench/audit_chain.py                      a million entries, on SQLite
    python bench/audit_chain.py --entries 100000

With DATABASE_URL set, in a new database of that server, which is dropped afterward.
"""

from __future__ import annotations

import argparse
import random
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench import empty

BATCH = 5000
LIMIT_SECONDS = 60  # for verifying a million entries
ACTOR = {
    "actor_id": "6f1c0a52-6d6c-4f0e-9a55-2c1b6a4e8f10",
    "actor_username": "officer",
    "actor_email": "officer@bank.example",
    "address": "192.0.2.17",
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--entries", type=int, default=1_000_000, help="how many (a million)")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, empty.database(Path(folder)) as vendor:
        return _measure(arguments.entries, vendor)


def _measure(entries: int, vendor: str) -> int:
    from filing.audit.chain import sealing, verification

    write = _timed(lambda: _write(entries))
    seal = _timed(sealing.seal)
    checks = []
    verify = _timed(lambda: checks.append(verification.verify(full=True)))
    daily = _timed(lambda: checks.append(verification.verify()))
    found = sum(check.finding_count for check in checks)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{vendor}, {entries:,} entries, {found} findings, {memory:,.0f} MB at most")
    for name, seconds in (("write", write), ("seal", seal), ("verify", verify), ("again", daily)):
        print(f"  {name:8} {seconds:7.1f} s  {seconds / entries * 1e6:6.1f} µs per entry")
    allowed = LIMIT_SECONDS * entries / 1_000_000
    print(f"  verify takes {verify / allowed:.2f} of the time allowed")
    return int(bool(found) or verify > allowed)


def _timed(action: Callable[[], object]) -> float:
    began = time.perf_counter()
    action()
    return time.perf_counter() - began


def _write(entries: int) -> None:
    """Write entries as a season has them: half are status changes of submissions."""
    from filing.models import (
        Filing,
        FilingPeriod,
        Institution,
        StatusChange,
        Submission,
        TrailEntry,
    )

    chance = random.Random(1)
    institution = Institution.objects.create(
        activity_year=2024, lei="B" * 20, name="Bank", agency=9
    )
    day = datetime(2025, 1, 1, tzinfo=UTC)
    period = FilingPeriod.objects.create(
        year=2024, opens=day.date(), timely_until=day.date(), closes=day.date()
    )
    filing = Filing.objects.create(institution=institution, period=period)
    submissions = Submission.objects.bulk_create(
        Submission(filing=filing, sequence_number=number)
        for number in range(1, max(2, entries // 16))
    )

    def changes() -> Iterator[StatusChange]:
        for number in range(entries // 2):
            yield StatusChange(
                submission=chance.choice(submissions),
                after=1,
                event="CREATED",
                at=day + timedelta(seconds=number),
                **ACTOR,
                request_id=f"{chance.getrandbits(128):032x}",
            )

    def log() -> Iterator[TrailEntry]:
        for number in range(entries - entries // 2):
            yield TrailEntry(
                happening="signed in",
                at=day + timedelta(seconds=number),
                **ACTOR,
                request_id=f"{chance.getrandbits(128):032x}",
            )

    StatusChange.objects.bulk_create(changes(), batch_size=BATCH)
    TrailEntry.objects.bulk_create(log(), batch_size=BATCH)


if __name__ == "__main__":
    sys.exit(main())
