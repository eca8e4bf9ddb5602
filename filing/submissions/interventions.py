"""What staff may do to a submission. Nothing here un-signs: no move leads away from a signature.

Each has a plan: a sentence of what it would do to this one. Where it cannot be done the plan
refuses with why not and what is possible instead, and so does the doing.
"""

from __future__ import annotations

from datetime import timedelta

from django.core.files.storage import default_storage
from django.db import transaction
from django.utils import timezone

from filing import audit
from filing.access import Caller
from filing.emails import outbox
from filing.errors import BadInput, NotReady
from filing.jobs import queue
from filing.models import Happening, Mail, Submission
from filing.statuses import MOVES, Event, Status
from filing.submissions import moves, stoppages

_RETRIED = {"parse": Event.PARSE_RETRIED, "edits": Event.EDITS_RETRIED}


def plan_retry(submission: Submission) -> str:
    """Return which stage would begin anew.

    Raises: NotReady where no stage has stopped.
    """
    stage = stoppages.stopped_stage(submission)
    if submission.status == Status.FAILED:
        return f"The {stage} stage runs again on the same file, with all its attempts."
    return f"The {stage} stage is queued, and the workers are notified again."


def retry(submission: Submission, *, by: Caller, reason: str) -> str:
    """Put the stage that has stopped into the queue anew; return what was done.

    Raises: NotReady where none has stopped or the file is gone; BadInput without a reason.
    """
    require_reason(reason)
    stage = stoppages.stopped_stage(submission)
    if not default_storage.exists(submission.raw_file):
        raise NotReady(
            f"Its file {submission.raw_file} is not in storage. The filer must upload it again in "
            "a new submission."
        )
    rows = submission.lines if stage == "edits" else 0
    with transaction.atomic():
        if submission.status == Status.FAILED:
            moves.move(submission, _RETRIED[stage], by=by, reason=reason, failure="")
            queue.add(stage, submission=submission, rows_total=rows)
        else:
            moves.remark(submission, Event.WORKERS_TOLD_AGAIN, by=by, reason=reason)
            _put_back(submission, stage, rows)
    return f"The {stage} stage is in the queue."


def _put_back(submission: Submission, stage: str, rows: int) -> None:
    job = stoppages.job_of(submission, stage)
    if job is None:
        queue.add(stage, submission=submission, rows_total=rows)
    elif not queue.again(job, rows_total=rows):
        raise moves.Overtaken("A worker or another user took it up just now.")


def plan_run_edits_again(submission: Submission) -> str:
    """Return what running the edits anew would change.

    Raises: NotReady unless edits were run and nobody has signed.
    """
    status = Status(submission.status)
    if (status, Event.EDITS_RUN_AGAIN) not in MOVES:
        raise NotReady(stoppages.no_edits_to_run(status))
    verified = submission.quality_verified or submission.macro_verified
    then = (
        "The verification of the filer is removed; the edits must be verified again."
        if verified
        else "No edits have been verified yet."
    )
    return f"All edits run again on the same file, with today's reference data. {then}"


def run_edits_again(submission: Submission, *, by: Caller, reason: str) -> str:
    """Put the edits into the queue anew, as after a change of reference data; return what was done.

    What was found stays to be read until the new results replace it, and with them what was
    verified.

    Raises: NotReady unless edits were run and nobody has signed; BadInput without a reason.
    """
    require_reason(reason)
    plan_run_edits_again(submission)
    if not default_storage.exists(submission.raw_file):
        raise NotReady(f"Its file {submission.raw_file} is not in storage: nothing can be run.")
    with transaction.atomic():
        moves.move(submission, Event.EDITS_RUN_AGAIN, by=by, reason=reason)
        queue.add("edits", submission=submission, rows_total=submission.lines)
    return "The edits are in the queue."


def plan_stop(submission: Submission) -> str:
    """Return what ending the submission would mean.

    Raises: NotReady when it is signed or has ended.
    """
    status = Status(submission.status)
    if status is Status.SIGNED:
        raise NotReady(
            "It is signed, and what was filed is not changed. The filer can file a correction."
        )
    if status is Status.FAILED:
        raise NotReady("It has already failed.")
    return (
        f"It goes from {status.value} to -1. The message is emailed to the person who uploaded the "
        "file, who must start a new submission."
    )


def stop(submission: Submission, *, by: Caller, reason: str) -> str:
    """End a submission; the reason is the message that the filer gets. Return what was done.

    Who works on it has lost it and writes nothing more.

    Raises: NotReady when it is signed or has ended; BadInput without a reason.
    """
    require_reason(reason)
    plan_stop(submission)
    with transaction.atomic():
        queue.end(submission, f"Ended by {by}.")
        moves.fail(submission, reason, event=Event.STOPPED, by=by)
    return "It was stopped (status -1), and an email to the filer is queued."


def plan_send_receipt_again(submission: Submission) -> str:
    """Return to whom the receipt would go.

    Raises: NotReady when there is no receipt, the last mail still waits, or nobody has an address.
    """
    if submission.status != Status.SIGNED:
        raise NotReady(f"There is no receipt: it is not signed, it has status {submission.status}.")
    for mail in _receipts(submission):
        if mail.job.is_unfinished:
            error = f" ({mail.job.last_error})" if mail.job.last_error else ""
            raise NotReady(
                f"The email to {mail.to} has not been sent yet{error}. It is retried automatically."
            )
    to = outbox.receivers(submission.signature)
    if not to:
        raise NotReady("Neither the signer nor the contact has a usable email address.")
    return f"The receipt will be emailed to {' and '.join(to)}."


def send_receipt_again(
    submission: Submission, *, by: Caller, reason: str, pause: timedelta | None = None
) -> str:
    """Email the receipt again to signer and contact; return what was done.

    pause: how long the last email has to be ago.

    Raises: NotReady when there is no receipt, the last email waits or was sent just now, or no one
    has an address; BadInput without a reason.
    """
    require_reason(reason)
    before = _receipts(submission)  # read first: whoever comes in between is noticed below
    plan_send_receipt_again(submission)
    latest = max((mail.made_at for mail in before), default=None)
    if pause and latest and timezone.now() - latest < pause:
        raise NotReady("The receipt was sent a moment ago. Check your email, or try again later.")
    with transaction.atomic():
        # One at a time: of two who ask at once the second sees the mails of the first.
        Submission.objects.select_for_update().get(pk=submission.pk)
        if submission.mails.filter(kind="receipt").count() != len(before):
            raise moves.Overtaken("Another user sent it again just now.")
        sent = outbox.receipt(submission.signature, again=True)
        about = str(submission)
        audit.record(
            Happening.RECEIPT_SENT_AGAIN, by=by, lei=submission.lei, about=about, reason=reason
        )
    return f"Queued for {' and '.join(mail.to for mail in sent)}."


def require_reason(reason: str) -> None:
    """Refuse to do anything that nobody says the reason of.

    Raises: BadInput.
    """
    if not reason.strip():
        raise BadInput("Enter a reason. It is recorded with the action.")


def receivers_of_receipt(submission: Submission) -> list[str]:
    """Return the addresses to which the receipt of a signed submission goes."""
    return outbox.receivers(submission.signature)


def _receipts(submission: Submission) -> list[Mail]:
    return [mail for mail in submission.mails.all() if mail.kind == "receipt"]
