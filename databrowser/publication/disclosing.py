"""Signed submissions become public rows: an errand for each, written together with its signature.

In a folder of the attempt beside the other files of the submission lie then:

    loans.parquet    the public rows, in an order of what they hold; of annual filings only
    facts.parquet    what the quarterly graphs need of the same loans, which is not public

`ModifiedLar` says which folder counts, and which reference data the rows were made with.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import polars as pl
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from databrowser.models import ModifiedLar
from databrowser.publication import public_order, quarterly, signals
from databrowser.publication.columns import SCHEMA
from databrowser.publication.libraries import pq
from databrowser.publication.masking import public_rows
from filing import jobs, leftovers, notes, notify, storage
from filing.access import SERVICE, Caller
from filing.errors import Hopeless, LostLease, NotReady
from filing.jobs import Lease
from filing.lar.ahead import ahead
from filing.lar.parse import blocks, cut, typed
from filing.models import Job, ReferenceData, Submission
from filing.reference import kinds, registry
from filing.reference import limits as limits_file
from filing.statuses import Status

log = logging.getLogger(__name__)

LOANS, FACTS = "loans.parquet", quarterly.FILE
STAGE = "disclose"
# How the files are written: 2 since public rows leave the order of the filed file.
REVISION = 2
_YEAR = "submission__filing__period__year"
_BLOCK_BYTES = 8 << 20  # of the file at a time; public rows and facts of it are in memory at once


def follow(sender: Any, submission: Submission, **_: Any) -> None:
    """Ask for the public rows of a submission that is being signed. A receiver of its signal."""
    ask(submission)


def ask(submission: Submission) -> ModifiedLar:
    """Queue the making of the public rows of a submission.

    To be called inside the transaction that signs it; once for each submission.
    """
    job = _errand(submission)
    made = ModifiedLar.objects.create(submission=submission, job=job)
    transaction.on_commit(lambda: notify.ring(job))
    return made


def ask_for_missing() -> int:
    """Queue the signed submissions that nobody has asked for; return how many there were."""
    missing = Submission.objects.filter(status=Status.SIGNED, modified_lar=None).order_by("pk")
    asked = 0
    for submission in missing.iterator(chunk_size=500):
        with transaction.atomic():
            ask(submission)
        asked += 1
    return asked


def outdated() -> QuerySet[ModifiedLar]:
    """Return what was made with other reference data than count now, or with none then loaded."""
    made = _made()
    years = list(made.order_by(_YEAR).values_list(_YEAR, flat=True).distinct())
    differs = Q(pk__in=[])
    for each in years:
        now = _reference_data(each)
        same = Q(census=now[kinds.CENSUS], limits=now[kinds.COUNTY_LIMITS])
        differs |= Q(**{_YEAR: each}) & ~same
    return made.filter(differs)


def renew() -> int:
    """Queue what was written by an earlier revision once more; return how many submissions.

    What is being made, or failed, stays as it is: staff see it in the admin.
    """
    earlier = _made().filter(revision__lt=REVISION, submission__filing__period__quarter="")
    renewed = 0
    for made in earlier.filter(Q(job=None) | Q(job__state="done")).iterator(chunk_size=500):
        again(made, by=SERVICE, reason="The order of public rows no longer follows the file.")
        renewed += 1
    return renewed


def of_year(year: int) -> QuerySet[ModifiedLar]:
    """Return what was made of the submissions of a year, with whatever reference data."""
    return _made().filter(**{_YEAR: year})


def _made() -> QuerySet[ModifiedLar]:
    made = ModifiedLar.objects.filter(made_at__isnull=False)
    return made.select_related("job", "submission__filing__period").order_by("pk")


def plan_again(made: ModifiedLar) -> str:
    """Return what making the public rows again would do.

    Raises: NotReady while they are being made.
    """
    if made.job and made.job.state in {"queued", "running"}:
        raise NotReady("It is being made already.")
    with_now = _reference_data(made.submission.period.year)
    told = ", ".join(
        f"{kinds.KINDS[kind].label}: {data.source if data else 'none'}"
        for kind, data in with_now.items()
    )
    return f"Its public rows are made anew from the file that was signed, with {told}."


def again(made: ModifiedLar, *, by: Caller, reason: str) -> str:
    """Make the public rows of a submission again, with a note of who wanted it.

    Returns what was done. Until then those that were made before count.

    Raises: NotReady while they are being made; BadInput without a reason.
    """
    plan_again(made)
    with transaction.atomic():
        notes.add(made, by=by, text=reason)
        job = made.job
        if job is None:
            job = _errand(made.submission)
            ModifiedLar.objects.filter(pk=made.pk).update(job=job)
        elif not jobs.again(job, rows_total=made.submission.lines):
            raise NotReady("It was put into the queue by somebody else just now.")
        transaction.on_commit(lambda: notify.ring(job))
    return "It is in the queue."


def _errand(submission: Submission) -> Job:
    return jobs.errand(
        STAGE,
        large=jobs.is_large(submission),
        rows_total=submission.lines,
    )


def run(lease: Lease) -> None:
    """Make the public rows and the facts of a job's submission, and let them count.

    Raises: Hopeless when the file is not the one that was signed.
    """
    made = ModifiedLar.objects.select_related(
        "submission__filing__institution", "submission__filing__period", "submission__signature"
    ).get(job_id=lease.job_id)
    submission = made.submission
    lease.rows_total = submission.lines
    raw = storage.local(submission.raw_file)
    _require_signed(submission, raw)
    used = _reference_data(submission.period.year)
    folder = storage.folder(submission, STAGE, lease.mark)
    with storage.workshop() as workshop:
        rows = _write(submission, raw, workshop, used, lease)
        main = FACTS if submission.period.is_quarterly else LOANS
        sha256 = _sha256(workshop / main)
        for name in sorted(path.name for path in workshop.glob("*.parquet")):
            storage.keep(workshop / name, f"{folder}/{name}")
    try:
        with transaction.atomic():
            lease.finish()
            ModifiedLar.objects.filter(pk=made.pk).update(
                folder=folder,
                rows=rows,
                sha256=sha256,
                census=used[kinds.CENSUS],
                limits=used[kinds.COUNTY_LIMITS],
                revision=REVISION,
                made_at=timezone.now(),
            )
            signals.disclosed.send(ModifiedLar, submission=submission)
    except LostLease:
        storage.discard(folder)
        raise
    storage.discard_other_attempts(submission, STAGE, kept=folder)
    log.info("%s: %s public rows", submission, rows)


def clear() -> int:
    """Remove folders of attempts that made no public rows, some time after; return how many."""
    removed = 0
    for attempt in leftovers.ended((STAGE,)).select_related("job").iterator():
        made = ModifiedLar.objects.filter(job=attempt.job).select_related(
            "submission__filing__institution", "submission__filing__period"
        )
        removed += sum(
            leftovers.remove(each.submission, attempt, kept={each.folder}) for each in made
        )
    return removed


def _require_signed(submission: Submission, raw: Path) -> None:
    if _sha256(raw) != submission.signature.sha256:
        raise Hopeless(
            f"The file of {submission} in storage is not the one that was signed: "
            "its SHA-256 is another. Restore it, then make the public rows again."
        )


def _reference_data(year: int) -> dict[str, ReferenceData | None]:
    return {kind: registry.active(kind, year) for kind in (kinds.CENSUS, kinds.COUNTY_LIMITS)}


def _write(
    submission: Submission,
    raw: Path,
    target: Path,
    used: dict[str, ReferenceData | None],
    lease: Lease,
) -> int:
    """Write both files, in bounded memory; return how many rows they have."""
    census, limits = used[kinds.CENSUS], used[kinds.COUNTY_LIMITS]
    census_rows = registry.rows_of(census) if census else None
    loan_limits = limits_file.facts(registry.rows_of(limits)) if limits else None
    as_filed = target / f"as-filed-{LOANS}"
    with ExitStack() as held:
        facts = held.enter_context(_writer(target / FACTS, quarterly.SCHEMA))
        public = None
        if not submission.period.is_quarterly:
            public = held.enter_context(_writer(as_filed, SCHEMA))
        for loans in ahead(_loans(raw)):
            if lease.lost.is_set():
                raise LostLease(f"Job {lease.job_id} belongs to another worker now.")
            rows = public_rows(
                loans, year=submission.period.year, census=census_rows, limits=loan_limits
            )
            if public is not None:
                public.write_table(rows.to_arrow())
            facts.write_table(quarterly.facts(loans, rows).to_arrow())
            lease.rows_done += rows.height
    if public is not None:
        public_order.write(as_filed, target / LOANS)
        as_filed.unlink()
    return lease.rows_done


def _loans(raw: Path) -> Iterator[pl.DataFrame]:
    with raw.open("rb") as file:
        for block in blocks(file, size=_BLOCK_BYTES):
            yield typed(cut(block).loans)


def _writer(path: Path, schema: dict[str, type[pl.DataType]]) -> pq.ParquetWriter:
    return pq.ParquetWriter(path, pl.DataFrame(schema=schema).to_arrow().schema, compression="zstd")


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
