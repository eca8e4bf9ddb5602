"""What filing again would change: a submission against the one that counts as filed."""

from __future__ import annotations

from dataclasses import dataclass

from filing import standing
from filing.errors import Refusal
from filing.models import FileComparison, StatusChange, Submission
from filing.periods import timeliness
from filing.statuses import Event
from filing.submissions import comparison, comparison_jobs


@dataclass(frozen=True)
class RecordChanges:
    """How many records the later of two files adds, removes and changes."""

    added: int = 0
    removed: int = 0
    changed: int = 0


@dataclass(frozen=True)
class RefilingSummary:
    """What a submission would change against the one that counts.

    records: None if the files were not compared, because they are large or one is missing. queued:
    the comparison that a job makes now.
    """

    counting: Submission
    submission: Submission
    records: RecordChanges | None = None
    queued: FileComparison | None = None

    @property
    def is_same(self) -> bool:
        """Whether both have the same file, byte for byte."""
        return standing.is_same_file(self.counting, self.submission)

    @property
    def fewer(self) -> int:
        """How many records fewer the new file has; 0 if it has more."""
        return max(0, self.counting.records - self.submission.records)

    @property
    def more(self) -> int:
        """How many records more the new file has; 0 if it has fewer."""
        return max(0, self.submission.records - self.counting.records)

    @property
    def is_large(self) -> bool:
        """Whether comparing the records takes so long that a job does it, on request."""
        return comparison.is_large(self.counting, self.submission)


def summarize_refiling(
    submission: Submission, *, is_requested: bool = False, retries: bool = True
) -> RefilingSummary | None:
    """Return what a submission would change; None if nothing counts yet, or it does itself.

    is_requested: whether the records of large files are compared, too. retries: as in
    `comparison_jobs.find_comparison`.
    """
    counting = standing.find_counting_submission(submission.filing)
    if counting is None or counting == submission:
        return None
    summary = RefilingSummary(counting, submission)
    if summary.is_same:
        return RefilingSummary(counting, submission, RecordChanges())
    if summary.is_large and not is_requested:
        return summary
    try:
        compared = comparison_jobs.find_comparison(counting, submission, retries=retries)
    except Refusal:  # a file is no longer there
        return summary
    if isinstance(compared, FileComparison):
        return RefilingSummary(counting, submission, queued=compared)
    difference = compared.difference
    changes = RecordChanges(
        added=len(difference.added),
        removed=len(difference.removed),
        changed=difference.changed.height,
    )
    return RefilingSummary(counting, submission, changes)


def find_refiling_reason(submission: Submission) -> str:
    """Return why a submission was signed after another one; blank if it was not, or without one.

    A reason that was given with the first signature of a filing stays in its history.
    """
    if not timeliness.is_correction(submission):
        return ""
    signed = StatusChange.objects.filter(submission=submission, event=Event.SIGNED.name)
    return signed.values_list("reason", flat=True).first() or ""
