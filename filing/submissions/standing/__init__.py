"""Where a submission stands: since when, whose turn it is, why it stopped, what would help.

Only reads. What the help desk tells a caller stands here, in whole sentences.
"""

from __future__ import annotations

from datetime import date, datetime

from filing import day_hours
from filing.models import Submission
from filing.statuses import Status
from filing.submissions.standing.rest import RESTING
from filing.submissions.standing.sentences import Standing, ago
from filing.submissions.standing.work import at_work

__all__ = ["Standing", "ago", "of", "timeliness"]


def of(submission: Submission) -> Standing:
    """Return where a submission stands now."""
    status = Status(submission.status)
    if status in RESTING:
        return RESTING[status](submission)
    return at_work(submission)


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
    """Return the day on which something was, where days of filing periods begin."""
    return day_hours.local(at).date()
