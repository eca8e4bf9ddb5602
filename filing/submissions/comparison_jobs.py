"""Comparisons of large files: made by a job, because they would hold a web process for seconds.

Kept are the rows that differ, never their values, for some days: they can be made again.
"""

from __future__ import annotations

from datetime import timedelta
from io import BytesIO

import polars as pl
from django.db import transaction
from django.utils import timezone

from filing.errors import Hopeless, Refusal
from filing.jobs import queue, sweeper
from filing.lar.comparison import LoanDifference
from filing.models import FileComparison, Job, Submission
from filing.registries import Lease
from filing.submissions import comparison, downloads
from filing.submissions.comparison import SubmissionComparison

KIND = "compare"
RETENTION = timedelta(days=7)
_RULE = "comparisons of large files are deleted after 7 days."
_RELATED = tuple(
    f"{side}__filing__{table}"
    for side in ("before", "after")
    for table in ("institution", "period")
)
_SIDES = pl.Schema({"before": pl.UInt32(), "after": pl.UInt32()})


def find_comparison(
    one: Submission, other: Submission, *, retries: bool = True
) -> SubmissionComparison | FileComparison:
    """Return how the files of two submissions differ; of large ones the row until its job is done.

    The job is queued when a comparison is requested first. retries: whether a job that failed is
    queued again.

    Raises: what `comparison.compare_submissions` raises.
    """
    if not comparison.is_large(one, other):
        return comparison.compare_submissions(one, other)
    comparison.require_comparable(one, other)
    before, after = comparison.order_submissions(one, other)
    for submission in (before, after):
        downloads.require_stored_file(submission)
    lines = before.lines + after.lines
    others = Job.objects.filter(file_comparison__after__filing__institution__lei=after.lei)
    stored, _ = FileComparison.objects.select_related("job").get_or_create(
        before=before,
        after=after,
        defaults={"job": lambda: queue.add_job(KIND, rows_total=lines, fair_among=others)},
    )
    if stored.job.state == Job.State.DONE:
        return _read(stored, before, after)
    if stored.job.state == Job.State.FAILED and retries:
        with transaction.atomic():
            queue.requeue_job(stored.job, rows_total=lines, fair_among=others)
        stored.job.refresh_from_db()
    return stored


def is_compared(one: Submission, other: Submission) -> bool:
    """Return whether a job has compared two large files, or is about to."""
    before, after = comparison.order_submissions(one, other)
    kept = FileComparison.objects.filter(before=before, after=after)
    return kept.exclude(job__state=Job.State.FAILED).exists()


def run_comparison(lease: Lease) -> None:
    """Compare the two files of a job, and store the rows that differ.

    Raises: Hopeless for files that cannot be compared any more.
    """
    stored = FileComparison.objects.select_related(*_RELATED).get(job_id=lease.job_id)
    try:
        compared = comparison.compare_submissions(stored.before, stored.after)
        fields = comparison.count_changed_fields(compared, comparison.MAX_COUNTED)
    except Refusal as refusal:
        raise Hopeless(refusal.message) from refusal
    lease.rows_done = lease.rows_total = stored.before.lines + stored.after.lines
    difference = compared.difference
    rows = pl.concat(
        [
            difference.changed,
            pl.DataFrame({"before": difference.removed}),
            pl.DataFrame({"after": difference.added}),
        ],
        how="diagonal",
    )
    written = BytesIO()
    rows.write_ipc(written, compression="zstd")
    with transaction.atomic():
        lease.finish()
        FileComparison.objects.filter(pk=stored.pk).update(
            counts={
                "same": difference.same,
                "repeated": difference.repeated,
                "blank": difference.blank,
                "left_out": compared.left_out,
                "fields": fields,
            },
            rows=written.getvalue(),
        )


def clear_old_comparisons() -> int:
    """Delete the comparisons whose job ended long enough ago; return how many."""
    old = FileComparison.objects.filter(job__finished_at__lt=timezone.now() - RETENTION)
    return sweeper.delete_with_jobs(old, rule=_RULE)


def _read(stored: FileComparison, before: Submission, after: Submission) -> SubmissionComparison:
    """Return a comparison as its job has stored it."""
    counts, rows = stored.counts, pl.read_ipc(BytesIO(stored.rows))
    return SubmissionComparison(
        before,
        after,
        LoanDifference(
            removed=rows.filter(pl.col("after").is_null())["before"],
            added=rows.filter(pl.col("before").is_null())["after"],
            changed=rows.drop_nulls(),
            same=counts["same"],
            repeated=counts["repeated"],
            blank=counts["blank"],
        ),
        tuple(counts["left_out"]),
        [(label, number) for label, number in counts["fields"]],
    )
