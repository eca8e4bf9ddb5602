"""Discards a submission that is in progress, and refuses whatever would go on with it."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from filing.access import Caller
from filing.errors import Conflict
from filing.jobs import queue
from filing.models import Submission
from filing.statuses import Event, Status
from filing.submissions import moves


def discard_submission(submission: Submission, *, by: Caller, reason: str = "") -> Submission:
    """Return the submission, discarded: it is not uploaded to, verified or signed again.

    Its status, file and history stay. A worker that is running it loses the lease and writes
    nothing more. Repeating a call changes nothing.

    Raises: Conflict when it is signed.
    """
    with transaction.atomic():
        queue.end(submission, f"Discarded by {by}.")
        current = (
            Submission.objects.select_for_update(of=("self",))
            .select_related("filing__institution", "filing__period")
            .get(pk=submission.pk)
        )
        require_discardable(current)
        if not current.discarded_at:
            now = timezone.now()
            moves.remark(current, Event.DISCARDED, by=by, reason=reason, discarded_at=now)
    return current


def require_discardable(submission: Submission) -> None:
    """Refuse to discard what is signed.

    Raises: Conflict.
    """
    if submission.status == Status.SIGNED:
        raise Conflict(
            f"Submission {submission} is signed, and what was filed is not discarded. To correct "
            "it, file again."
        )


def require_not_discarded(submission: Submission) -> None:
    """Refuse to go on with a submission that was discarded.

    Raises: Conflict.
    """
    if submission.discarded_at:
        raise Conflict(
            f"Submission {submission} was discarded. Upload the file in a new submission."
        )
