"""The status of a submission in sentences: since when, who must act, why it stopped, what to do.

The help desk reads them to callers. Nothing here writes.
"""

from __future__ import annotations

from datetime import date, datetime

from filing import day_hours
from filing.models import Submission
from filing.statuses import Status
from filing.submissions.status_report.idle import IDLE_REPORTS
from filing.submissions.status_report.in_progress import report_progress
from filing.submissions.status_report.wording import StatusReport, ago

__all__ = ["StatusReport", "ago", "of", "timeliness"]


def of(submission: Submission) -> StatusReport:
    """Return the report on a submission as it is now."""
    status = Status(submission.status)
    if status in IDLE_REPORTS:
        return IDLE_REPORTS[status](submission)
    return report_progress(submission)


def timeliness(submission: Submission) -> str:
    """Return whether a submission is timely or late, in a sentence."""
    deadline = submission.filing.period.timely_until
    is_over = day_hours.today() > deadline
    state = "Late if it is signed now" if is_over else "Not signed yet"
    if signature := getattr(submission, "signature", None):
        day = _day(signature.signed_at)
        word = "Timely" if day <= deadline else "Late"
        state = f"{word}: signed on {day_hours.in_words(day)}"
    verb = "was" if is_over else "is"
    return f"{state}; the filing deadline {verb} {day_hours.in_words(deadline)}."


def _day(at: datetime) -> date:
    """Return the day of a time, in the time zone of the filing periods."""
    return day_hours.local(at).date()
