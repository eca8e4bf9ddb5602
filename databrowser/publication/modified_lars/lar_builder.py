"""The job that prepares the modified LAR of one submission.

It writes two files into a folder of the attempt, beside the other files of the submission:

    loans.parquet    the public records, sorted by their content; for annual filings only
    facts.parquet    the values that the quarterly graphs need, which are not public

`ModifiedLar` names the current folder, and the reference data it was prepared with.
"""

from __future__ import annotations

import logging
from pathlib import Path

from django.db import transaction
from django.utils import timezone

from databrowser.models import ModifiedLar
from databrowser.publication import signals
from databrowser.publication.layout import LOANS
from databrowser.publication.modified_lars import row_files
from databrowser.publication.modified_lars.lar_requests import STAGE, reference_data
from databrowser.publication.records import quarterly_facts
from filing import storage
from filing.errors import Hopeless, LostLease
from filing.files import digests
from filing.jobs import leftovers
from filing.models import Submission
from filing.reference import kinds
from filing.registries.kinds import Lease

log = logging.getLogger(__name__)
FACTS = quarterly_facts.FILE


def run(lease: Lease) -> None:
    """Write the public records and facts of a job's submission, and make them the current ones.

    Raises: Hopeless when the stored file is not the one that was signed.
    """
    lar = ModifiedLar.objects.select_related(
        "submission__filing__institution", "submission__filing__period", "submission__signature"
    ).get(job_id=lease.job_id)
    submission = lar.submission
    lease.rows_total = submission.lines
    raw = storage.local(submission.raw_file)
    _require_signed(submission, raw)
    data = reference_data(submission.period.year)
    folder = storage.folder(submission, STAGE, lease.mark)
    with storage.work_folder() as workshop:
        rows = row_files.write(submission, raw, workshop, data, lease)
        main = FACTS if submission.period.is_quarterly else LOANS
        sha256 = digests.sha256(workshop / main)
        for name in sorted(path.name for path in workshop.glob("*.parquet")):
            storage.store(workshop / name, f"{folder}/{name}")
    try:
        with transaction.atomic():
            lease.finish()
            ModifiedLar.objects.filter(pk=lar.pk).update(
                folder=folder,
                rows=rows,
                sha256=sha256,
                census=data[kinds.CENSUS],
                limits=data[kinds.COUNTY_LIMITS],
                revision=row_files.digest_definitions(),
                made_at=timezone.now(),
            )
            signals.disclosed.send(ModifiedLar, submission=submission)
    except LostLease:
        storage.remove_folder(folder)
        raise
    storage.discard_other_attempts(submission, STAGE, current=folder)
    log.info("%s: %s public rows", submission, rows)


def clear() -> int:
    """Remove old folders of attempts that prepared no modified LAR; return how many."""
    removed = 0
    for attempt in leftovers.failed((STAGE,)).select_related("job").iterator():
        lars = ModifiedLar.objects.filter(job=attempt.job).select_related(
            "submission__filing__institution", "submission__filing__period"
        )
        removed += sum(
            leftovers.remove(lar.submission, attempt, in_use={lar.folder}) for lar in lars
        )
    return removed


def _require_signed(submission: Submission, raw: Path) -> None:
    if digests.sha256(raw) != submission.signature.sha256:
        raise Hopeless(
            f"The file of {submission} in storage is not the one that was signed: "
            "its SHA-256 differs. Restore it, then prepare the modified LAR again."
        )
