"""Views of records by staff: the reason, which holds for a while, and the audit log entry.

Records are the values of LAR fields and the lines of a file. Counts, statuses, edit codes, receipts
and the transmittal sheet are not.
"""

from __future__ import annotations

from django.conf import settings
from django.contrib.sessions.backends.base import SessionBase
from django.utils import timezone

from filing import audit
from filing.access import Caller
from filing.models import AuditEvent, Submission, TrailEntry

SHORTEST_REASON, LONGEST_REASON = 10, 500  # characters
_SESSION = "records_reasons"


def reason(session: SessionBase, submission: Submission) -> str:
    """Return why the user of the session opens records of a submission; blank if not valid now."""
    text, given_at = session.get(_SESSION, {}).get(str(submission.pk), ("", 0))
    return text if _is_valid(given_at) else ""


def keep_reason(session: SessionBase, submission: Submission, reason: str) -> None:
    """Keep a reason in the session. It is valid for RECORDS_REASON_MINUTES."""
    reasons = session.get(_SESSION, {}).items()
    valid = {key: kept for key, kept in reasons if _is_valid(kept[1])}
    session[_SESSION] = valid | {str(submission.pk): (reason, timezone.now().timestamp())}


def entry(submission: Submission, *, what: str, reason: str, by: Caller) -> TrailEntry:
    """Return the audit log entry of a view, not saved yet. what: which records."""
    return audit.entry(
        AuditEvent.RECORDS_VIEWED,
        by=by,
        lei=submission.lei,
        about=f"{submission} {what}",
        reason=reason,
    )


def _is_valid(given_at: float) -> bool:
    return timezone.now().timestamp() < given_at + settings.RECORDS_REASON_MINUTES * 60
