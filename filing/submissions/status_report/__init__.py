"""The status of a submission in sentences: since when, who must act, why it stopped, what to do.

The help desk reads them to callers. Nothing here writes.
"""

from __future__ import annotations

from datetime import datetime

from filing import day_hours
from filing.models import Submission
from filing.periods import timeliness as deadlines
from filing.statuses import Status
from filing.submissions.status_report.idle import IDLE_REPORTS, report_discarded
from filing.submissions.status_report.in_progress import report_progress
from filing.submissions.status_report.wording import StatusReport, ago

__all__ = ["StatusReport", "ago", "of", "timeliness"]


def of(submission: Submission) -> StatusReport:
    """Return the report on a submission as it is now."""
    status = Status(submission.status)
    if submission.discarded_at:
        return report_discarded(submission)
    if status in IDLE_REPORTS:
        return IDLE_REPORTS[status](submission)
    return report_progress(submission)


def timeliness(submission: Submission) -> str:
    """Return whether a submission is timely or late, in a sentence.

    Of a correction it says whether the filing is.
    """
    period = submission.filing.period
    is_over = deadlines.is_late(day_hours.today(), period)
    state = "Late if it is signed now" if is_over else "Not signed yet"
    if signature := getattr(submission, "signature", None):
        word, day = deadlines.of(submission).capitalize(), _day(signature.signed_at)
        state = f"{word}: signed on {day}"
        if deadlines.is_correction(submission):
            first = deadlines.first_signed_at(submission) or signature.signed_at
            state = (
                f"Correction, signed on {day}. The filing is "
                f"{deadlines.of_first_signature(submission)}: it was first signed on {_day(first)}"
            )
    verb = "was" if is_over else "is"
    return f"{state}; the filing deadline {verb} {day_hours.in_words(period.timely_until)}."


def _day(at: datetime) -> str:
    """Return the day of a time, in the time zone of the filing periods, in words."""
    return day_hours.in_words(day_hours.local(at).date())
