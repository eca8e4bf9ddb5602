"""What staff may do to a submission. Nothing here un-signs: no move leads away from a signature.

Each has a plan: a sentence of what it would do to this one. Where it cannot be done the plan
refuses with why not and what is possible instead, and so does the doing.
"""

from __future__ import annotations

from django.conf import settings
from django.core.files.storage import default_storage
from django.db import transaction
from django.utils import timezone

from filing import jobs, mails, notify, submissions, trail
from filing.access import Caller
from filing.errors import BadInput, NotReady
from filing.models import Happening, Job, Mail, Submission
from filing.pipeline import STAGES
from filing.statuses import EDITED, MOVES, Event, Status
from filing.submissions import Overtaken

_RETRIED = {"parse": Event.PARSE_RETRIED, "edits": Event.EDITS_RETRIED}
_STAGE_OF = {
    status: stage.name for stage in STAGES.values() for status in (stage.starts_in, stage.works_in)
}


def plan_retry(submission: Submission) -> str:
    """Return which stage would begin anew.

    Raises: NotReady where no stage has stopped.
    """
    stage = _stopped_stage(submission)
    if submission.status == Status.FAILED:
        return f"The {stage} stage begins anew on the same file, with all its attempts."
    return f"The {stage} stage waits, and the workers are told of it again."


def retry(submission: Submission, *, by: Caller, reason: str) -> str:
    """Put the stage that has stopped into the queue anew; return what was done.

    Raises: NotReady where none has stopped or the file is gone; BadInput without a reason.
    """
    require_reason(reason)
    stage = _stopped_stage(submission)
    if not default_storage.exists(submission.raw_file):
        raise NotReady(
            f"Its file {submission.raw_file} is not in storage. The filer must upload it again in "
            "a new submission."
        )
    rows = submission.lines if stage == "edits" else 0
    with transaction.atomic():
        if submission.status == Status.FAILED:
            submissions.move(submission, _RETRIED[stage], by=by, reason=reason)
            Submission.objects.filter(pk=submission.pk).update(failure="")
            job = jobs.queue(submission, stage, rows_total=rows)
        else:
            submissions.remark(submission, "WORKERS_TOLD_AGAIN", by=by, reason=reason)
            job = _requeued(submission, stage, rows)
        transaction.on_commit(lambda: notify.ring(job))
    return f"The {stage} stage is in the queue."


def _requeued(submission: Submission, stage: str, rows: int) -> Job:
    job = _job(submission, stage)
    if job is None:
        return jobs.queue(submission, stage, rows_total=rows)
    if not jobs.again(job, rows_total=rows):
        raise Overtaken("A worker or somebody else has taken it up just now.")
    return job


def _stopped_stage(submission: Submission) -> str:
    """Return the stage that failed, that waits, or whose worker is gone; else say why none."""
    status = Status(submission.status)
    if status is Status.FAILED:
        return _failed_stage(submission)
    stage = _STAGE_OF.get(status)
    if stage is None:
        raise NotReady(_nothing_stopped(status))
    job = _job(submission, stage)
    if job and job.state == "running" and job.lease_until and job.lease_until > timezone.now():
        raise NotReady(
            f"A worker is at it: row {job.rows_done:,} of {job.rows_total:,} of the {stage} "
            f"stage. If the worker is lost, another one begins by itself within "
            f"{settings.JOB_LEASE_SECONDS + settings.JOB_SWEEP_SECONDS} seconds."
        )
    return stage


def _failed_stage(submission: Submission) -> str:
    failed = {job.stage for job in submission.jobs.all() if job.state == "failed"}
    for stage in ("edits", "parse"):
        if stage in failed and submission.raw_file:
            return stage
    raise NotReady(
        "It was ended while no stage was at work, so there is none to retry. The filer must "
        "upload the file in a new submission."
    )


def _nothing_stopped(status: Status) -> str:
    if status is Status.SIGNED:
        return "It is signed, and what was filed is not changed. Its receipt can be sent again."
    if status is Status.CREATED:
        return "Nothing was uploaded yet: it waits for the filer."
    if status is Status.UPLOADING:
        return (
            "Its file is arriving. When no data comes for "
            f"{settings.JOB_LEASE_SECONDS} seconds the filer can upload it again."
        )
    then = " Its edits can be run again." if status in EDITED else ""
    return f"No stage has stopped: it rests at {status.value} and waits for the filer.{then}"


def plan_run_edits_again(submission: Submission) -> str:
    """Return what running the edits anew would change.

    Raises: NotReady unless edits were run and nobody has signed.
    """
    status = Status(submission.status)
    if (status, Event.EDITS_RUN_AGAIN) not in MOVES:
        raise NotReady(_no_edits_to_run(status))
    verified = submission.quality_verified or submission.macro_verified
    then = (
        "What the filer has verified is taken back and must be verified again."
        if verified
        else "Nothing was verified yet."
    )
    return f"All edits run again on the same file, with the reference data of today. {then}"


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
        submissions.move(submission, Event.EDITS_RUN_AGAIN, by=by, reason=reason)
        job = jobs.queue(submission, "edits", rows_total=submission.lines)
        transaction.on_commit(lambda: notify.ring(job))
    return "The edits are in the queue."


def _no_edits_to_run(status: Status) -> str:
    if status is Status.SIGNED:
        return (
            "It is signed, and what was filed is not changed. A correction is a new submission "
            "of the filer."
        )
    if status is Status.FAILED:
        return "It has failed. Retry the stage that stopped, if one has."
    if status is Status.PARSED_WITH_ERRORS:
        return "It has formatting errors, so no edits were run. The filer must correct the file."
    if status in _STAGE_OF:
        return "It is being worked on, or waits for that. Retry it if it does not move."
    return "Nothing was analyzed yet."


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
        raise NotReady("It has failed already.")
    return (
        f"It goes from {status.value} to -1. The message is mailed to who uploaded the file, who "
        "must begin a new submission."
    )


def stop(submission: Submission, *, by: Caller, reason: str) -> str:
    """End a submission; the reason is the message that the filer gets. Return what was done.

    Who works on it has lost it and writes nothing more.

    Raises: NotReady when it is signed or has ended; BadInput without a reason.
    """
    require_reason(reason)
    plan_stop(submission)
    with transaction.atomic():
        jobs.end(submission, f"Ended by {by}.")
        submissions.fail(submission, reason, event=Event.STOPPED, by=by)
    return "It has ended at -1, and a mail to the filer is in the queue."


def plan_send_receipt_again(submission: Submission) -> str:
    """Return to whom the receipt would go.

    Raises: NotReady when there is no receipt, the last mail still waits, or nobody has an address.
    """
    if submission.status != Status.SIGNED:
        raise NotReady(f"There is no receipt: it is not signed, it stands at {submission.status}.")
    for mail in _receipts(submission):
        if mail.job.state in {"queued", "running"}:
            error = f" ({mail.job.last_error})" if mail.job.last_error else ""
            raise NotReady(
                f"The mail to {mail.to} still waits to be sent{error}. It is tried again by itself."
            )
    to = mails.receivers(submission.signature)
    if not to:
        raise NotReady("Neither the signer nor the contact has an e-mail address that can be used.")
    return f"A mail with the receipt goes to {' and '.join(to)}."


def send_receipt_again(submission: Submission, *, by: Caller, reason: str) -> str:
    """Mail the receipt again to signer and contact; return what was done.

    Raises: NotReady when there is no receipt, the last mail still waits, or nobody has an address;
    BadInput without a reason.
    """
    require_reason(reason)
    plan_send_receipt_again(submission)
    before = len(_receipts(submission))
    with transaction.atomic():
        # One at a time: of two who ask at once the second sees the mails of the first.
        Submission.objects.select_for_update().get(pk=submission.pk)
        if submission.mails.filter(kind="receipt").count() != before:
            raise Overtaken("It was sent again by somebody else just now.")
        sent = mails.receipt(submission.signature, again=True)
        about = str(submission)
        trail.record(
            Happening.RECEIPT_SENT_AGAIN, by=by, lei=submission.lei, about=about, reason=reason
        )
    return f"In the queue for {' and '.join(mail.to for mail in sent)}."


def require_reason(reason: str) -> None:
    """Refuse to do anything that nobody says the reason of.

    Raises: BadInput.
    """
    if not reason.strip():
        raise BadInput("Write a reason: it is kept with what is done.")


def _job(submission: Submission, stage: str) -> Job | None:
    # Picked here and not in the database: for a list they have been read along.
    return next((job for job in submission.jobs.all() if job.stage == stage), None)


def _receipts(submission: Submission) -> list[Mail]:
    return [mail for mail in submission.mails.all() if mail.kind == "receipt"]
