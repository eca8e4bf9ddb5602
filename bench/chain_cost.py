"""Measures what fingerprints, sealing and signed receipts add to a filing.

    python bench/chain_cost.py                    60 filings each way, of 100 rows
    python bench/chain_cost.py --filings 20 --rows 1000

Filings with and without them alternate in one process, each from the creation of a submission to
its receipt: upload, parsing, edits, verification, signature. Entries are sealed by the signature,
and by sweeps between jobs as in a worker. With DATABASE_URL set, in a new database of that server.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench import empty

LIMIT = 1.05
YEAR = 2024


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--filings", type=int, default=60, help="how many each way (60)")
    parser.add_argument("--rows", type=int, default=100, help="of each file (100)")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, empty.database(Path(folder)) as vendor:
        return _compare(arguments.filings, arguments.rows, vendor, Path(folder))


def _compare(filings: int, rows: int, vendor: str, folder: Path) -> int:
    path = folder / "lar.txt"
    file = _filer(path, rows)
    with_chain, without = [], []
    file()  # what is loaded only once
    for turn in range(2 * filings):
        if turn % 2:
            with_chain.append(_processor_time(file))
            continue
        with _no_chain():
            without.append(_processor_time(file))
    here, there = map(statistics.median, (with_chain, without))
    ratio = here / there
    print(f"{vendor}, {filings} x 2 filings of {rows:,} rows, median processor time")
    print(f"  without  {there * 1000:7.1f} ms")
    print(f"  with     {here * 1000:7.1f} ms, {(here - there) * 1000:.1f} ms more")
    print(f"  ratio    {ratio:7.3f}, allowed {LIMIT}")
    return int(ratio > LIMIT)


def _processor_time(action: Callable[[], object]) -> float:
    began = time.process_time()
    action()
    return time.process_time() - began


def _filer(path: Path, rows: int) -> Callable[[], None]:
    """Return a function that files a made-up file once, in its own submission."""
    from filing import submissions
    from filing.access import Caller
    from filing.demo import census
    from filing.demo.files import Recipe, make
    from filing.files.digests import sha256
    from filing.jobs import claims, loop, sweeper
    from filing.lar.period import Period
    from filing.models import Filing, FilingPeriod, Institution, Job, Submission
    from filing.statuses import Status

    lei, period = "5493000000000CHAIN00", Period(YEAR)
    recipe = Recipe(period=period, lei=lei, rows=rows, tax_id="12-3456789", fails={})
    path.write_bytes(b"".join(make(recipe, census.rows(YEAR)["census_tract"])))
    ann = Caller(id="user-1", username="ann", email="ann@bank.example", leis=frozenset({lei}))
    institution = Institution.objects.create(
        activity_year=YEAR, lei=lei, name="Bank", agency=9, tax_id="12-3456789"
    )
    day = date(2020, 1, 1)
    of_year = FilingPeriod.objects.create(
        year=YEAR, opens=day, timely_until=day, closes=day.replace(year=2090)
    )
    Filing.objects.create(institution=institution, period=of_year)
    size, digest = path.stat().st_size, sha256(path)

    def current(submission: Submission) -> Submission:
        related = ("filing__institution", "filing__period")
        return Submission.objects.select_related(*related).get(pk=submission.pk)

    def file() -> None:
        submission = submissions.create(lei=lei, period=period, by=ann)
        copy = path.with_name("received")
        copy.write_bytes(path.read_bytes())
        with submissions.receiving(submission, by=ann) as lease:
            received = submissions.Upload(copy, "lar.txt", size, digest)
            submissions.receive(submission, lease, received, by=ann)
        for stage in ("parse", "edits"):
            job = claims.claim(Job.objects.get(submission=submission, stage=stage).pk)
            assert job is not None
            loop.attempt(job)
            sweeper.sweep_if_due()
        submission = current(submission)
        if submission.status != Status.VERIFIED:
            for kind in ("quality", "macro"):
                submissions.verify(submission, kind, verified=True, by=ann)
        submissions.sign(current(submission), signed=True, by=ann)

    return file


@contextmanager
def _no_chain() -> Iterator[None]:
    """Leave out fingerprints, sealing and signed receipts while the block runs."""
    from filing.audit.chain import sealing
    from filing.models import fingerprints
    from filing.receipts import issuing

    nothing: dict[tuple[Any, str], Callable[..., Any]] = {
        (sealing, "seal"): lambda: 0,
        (fingerprints, "of_instance"): lambda row: "",
        (issuing, "issue"): lambda signature: None,
    }
    before = {place: getattr(*place) for place in nothing}
    for (module, name), function in nothing.items():
        setattr(module, name, function)
    try:
        yield
    finally:
        for (module, name), function in before.items():
            setattr(module, name, function)


if __name__ == "__main__":
    sys.exit(main())
