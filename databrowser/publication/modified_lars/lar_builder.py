"""The job that prepares the modified LAR of one submission, its files, and the IRS.

The files are the public records and the facts for the quarterly graphs. The Institution Register
Summary (IRS) is stored with the modified LAR, so each signature makes both.

Lenders often write a LAR in the order of applications or of ULIs. Publishing that order would
reveal the approximate date of a record next to a known loan, so the records are sorted. Source:
CFPB, policy guidance on the disclosure of loan-level HMDA data (2018), on re-identification.
"""

from __future__ import annotations

import logging
from pathlib import Path

from django.db import transaction
from django.utils import timezone

from databrowser.models import ModifiedLar
from databrowser.publication import events
from databrowser.publication.layout import LOANS
from databrowser.publication.modified_lars import row_files
from databrowser.publication.modified_lars.lar_requests import LAR_STAGE, reference_data
from databrowser.publication.modified_lars.register_summary import RECORDS
from databrowser.publication.records import quarterly_facts
from filing import storage
from filing.errors import Hopeless, LostLease
from filing.files import local_files
from filing.jobs import sweeper
from filing.models import Submission
from filing.reference import kinds
from filing.registries import Lease

log = logging.getLogger(__name__)


def prepare_modified_lar(lease: Lease) -> None:
    """Write the public records and facts of a job's submission, and make them the current ones.

    Raises: Hopeless when the stored file is not the one that was signed.
    """
    lar = ModifiedLar.objects.select_related(
        "submission__filing__institution", "submission__filing__period", "submission__signature"
    ).get(job_id=lease.job_id)
    submission = lar.submission
    lease.rows_total = submission.lines
    raw = storage.open_local_copy(submission.raw_file)
    _require_signed(submission, raw)
    data = reference_data(submission.period.year)
    folder = storage.name_folder(submission, LAR_STAGE, lease.attempt_id)
    with storage.make_work_folder() as workshop:
        summary = row_files.write_row_files(submission, raw, workshop, data, lease)
        main = quarterly_facts.FILE if submission.period.is_quarterly else LOANS
        sha256 = local_files.hash_file(workshop / main)
        for name in sorted(path.name for path in workshop.glob("*.parquet")):
            storage.store_file(workshop / name, f"{folder}/{name}")
    rows = sum(row[RECORDS] for row in summary)
    try:
        with transaction.atomic():
            lease.finish()
            ModifiedLar.objects.filter(pk=lar.pk).update(
                folder=folder,
                rows=rows,
                register_summary=summary,
                sha256=sha256,
                census=data[kinds.CENSUS],
                limits=data[kinds.COUNTY_LIMITS],
                revision=row_files.digest_definitions(),
                made_at=timezone.now(),
            )
            events.records_disclosed.send(ModifiedLar, submission=submission)
    except LostLease:
        storage.remove_folder(folder)
        raise
    storage.discard_other_attempts(submission, LAR_STAGE, current=folder)
    log.info("%s: %s public rows", submission, rows)


def clear_lar_leftovers() -> int:
    """Remove old folders of attempts that prepared no modified LAR; return how many."""
    removed = 0
    for attempt in sweeper.find_failed_attempts((LAR_STAGE,)).select_related("job").iterator():
        lars = ModifiedLar.objects.filter(job=attempt.job).select_related(
            "submission__filing__institution", "submission__filing__period"
        )
        removed += sum(
            sweeper.remove_attempt_folder(lar.submission, attempt, in_use={lar.folder})
            for lar in lars
        )
    return removed


def _require_signed(submission: Submission, raw: Path) -> None:
    if local_files.hash_file(raw) != submission.signature.sha256:
        raise Hopeless(
            f"The file of {submission} in storage is not the one that was signed: "
            "its SHA-256 differs. Restore it, then prepare the modified LAR again."
        )
