"""The job that makes the public rows of one submission.

In a folder of the attempt beside the other files of the submission lie then:

    loans.parquet    the public rows, in an order of what they hold; of annual filings only
    facts.parquet    what the quarterly graphs need of the same loans, which is not public

`ModifiedLar` says which folder counts, and which reference data the rows were made with.
"""

from __future__ import annotations

import logging
from pathlib import Path

from django.db import transaction
from django.utils import timezone

from databrowser.models import ModifiedLar
from databrowser.publication import signals
from databrowser.publication.disclosing import row_files
from databrowser.publication.disclosing.modified_lars import REVISION, STAGE, reference_data
from databrowser.publication.layout import LOANS
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
    used = reference_data(submission.period.year)
    folder = storage.folder(submission, STAGE, lease.mark)
    with storage.workshop() as workshop:
        rows = row_files.write(submission, raw, workshop, used, lease)
        main = FACTS if submission.period.is_quarterly else LOANS
        sha256 = digests.sha256(workshop / main)
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
    if digests.sha256(raw) != submission.signature.sha256:
        raise Hopeless(
            f"The file of {submission} in storage is not the one that was signed: "
            "its SHA-256 is another. Restore it, then make the public rows again."
        )
