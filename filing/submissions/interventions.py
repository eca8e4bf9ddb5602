"""The actions of staff on a submission. None undoes a signature: no move leads away from it.

Each action has a plan: a sentence that says what it would do. Where the action is not possible,
both refuse with the reason and the alternative.
"""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.core.files.storage import default_storage
from django.db import transaction
from django.utils import timezone

from filing import audit
from filing.access import Caller
from filing.emails import outbox
from filing.errors import BadInput, NotReady
from filing.jobs import queue
from filing.lar.years import NoRulebookError, rulebook_period
from filing.models import AuditEvent, Job, Mail, Submission
from filing.registries import FOLLOW_UPS
from filing.statuses import EDITED, MOVES, Event, Status
from filing.submissions import moves, receipt_description, removed_files, rules_run
from filing.submissions.pipeline import STAGES

_RETRIED = {"parse": Event.PARSE_RETRIED, "edits": Event.EDITS_RETRIED}


def plan_retry_stage(submission: Submission) -> str:
    """Return which stage would run again. Raises: NotReady where no stage has stopped."""
    stage = find_stopped_stage(submission)
    if submission.status == Status.FAILED:
        return f"The {stage} stage runs again on the same file, with all its attempts."
    return f"The {stage} stage is queued, and the workers are notified again."


def retry_stage(submission: Submission, *, by: Caller, reason: str) -> str:
    """Put the stopped stage back into the queue; return what was done.

    Raises: NotReady where no stage has stopped or the file is missing; BadInput without a reason.
    """
    require_reason(reason)
    stage = find_stopped_stage(submission)
    if not default_storage.exists(submission.raw_file):
        raise NotReady(
            f"Its file {submission.raw_file} is not in storage. The filer must upload it again in "
            "a new submission."
        )
    rows = submission.lines if stage == "edits" else 0
    with transaction.atomic():
        if submission.status == Status.FAILED:
            moves.move_submission(submission, _RETRIED[stage], by=by, reason=reason, failure="")
            queue.add_job(stage, submission=submission, rows_total=rows)
        else:
            moves.record_remark(submission, Event.WORKERS_TOLD_AGAIN, by=by, reason=reason)
            _put_back(submission, stage, rows)
    return f"The {stage} stage is in the queue."


def _put_back(submission: Submission, stage: str, rows: int) -> None:
    job = find_job_of_stage(submission, stage)
    if job is None:
        queue.add_job(stage, submission=submission, rows_total=rows)
    elif not queue.requeue_job(job, rows_total=rows):
        raise moves.ConcurrentChange("A worker or another user has just taken it up.")


def plan_run_edits_again(submission: Submission) -> str:
    """Return what running the edits again would change.

    Raises: NotReady unless edits were run and the submission is not signed.
    """
    require_kept(submission)
    status = Status(submission.status)
    if (status, Event.EDITS_RUN_AGAIN) not in MOVES:
        raise NotReady(describe_no_edits_to_run(status))
    removed_files.require_files_present(submission)
    verified = submission.quality_verified or submission.macro_verified
    consequence = (
        "The verification of the filer is removed; the edits must be verified again."
        if verified
        else "No edits have been verified yet."
    )
    return f"All edits run again on the same file, with today's reference data. {consequence}"


def run_edits_again(submission: Submission, *, by: Caller, reason: str) -> str:
    """Queue the edits again, as after a change of reference data; return what was done.

    The results and verifications stay until the new results replace them.

    Raises: NotReady unless edits were run and the submission is not signed; BadInput without a
    reason.
    """
    require_reason(reason)
    plan_run_edits_again(submission)
    if not default_storage.exists(submission.raw_file):
        raise NotReady(
            f"Its file {submission.raw_file} is not in storage, so the edits cannot be run."
        )
    with transaction.atomic():
        moves.move_submission(submission, Event.EDITS_RUN_AGAIN, by=by, reason=reason)
        queue.add_job("edits", submission=submission, rows_total=submission.lines)
    return "The edits are in the queue."


def plan_check_signed(submission: Submission) -> str:
    """Return what running the edits on a file that was signed without any would do.

    Raises: NotReady unless it was signed without rules, and its period has rules now.
    """
    if not rules_run.was_signed_without_rules(submission):
        raise NotReady(
            "Only a file that was signed in a period without rules is checked after its signature. "
            "The results of any other signed file stay those that its signer saw."
        )
    try:
        rules = rulebook_period(submission.period)
    except NoRulebookError as error:
        raise NotReady(f"{error} Prepare the year first.") from error
    job = find_job_of_stage(submission, "edits")
    if job and job.is_unfinished:
        raise NotReady("The edits are in the queue.")
    return (
        f"The edits of {rules} are run on its file, for staff and the filer to see. Its status, "
        "signature and receipt stay as they are."
    )


def check_signed(submission: Submission, *, by: Caller, reason: str) -> str:
    """Queue the edits of a file that was signed without any; return what was done.

    Raises: NotReady as `plan_check_signed`, or if its file is missing; BadInput without a reason.
    """
    require_reason(reason)
    plan_check_signed(submission)
    if not default_storage.exists(submission.raw_file):
        raise NotReady(f"Its file {submission.raw_file} is not in storage.")
    with transaction.atomic():
        queue.add_job("edits", submission=submission, rows_total=submission.lines)
        event, about = AuditEvent.SIGNED_FILE_CHECKED, str(submission)
        audit.record_event(event, by=by, lei=submission.lei, about=about, reason=reason)
    return "The edits are in the queue. Their results will be on its page."


def plan_stop_submission(submission: Submission) -> str:
    """Return what stopping the submission would mean.

    Raises: NotReady when it is signed or has ended.
    """
    require_kept(submission)
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


def stop_submission(submission: Submission, *, by: Caller, reason: str) -> str:
    """Stop a submission; the reason is the message to the filer. Return what was done.

    A worker that is running it loses the lease and writes nothing more.

    Raises: NotReady when it is signed or has ended; BadInput without a reason.
    """
    require_reason(reason)
    plan_stop_submission(submission)
    with transaction.atomic():
        queue.end_jobs(submission, f"Stopped by {by}.")
        moves.fail_submission(submission, reason, event=Event.STOPPED, by=by)
    return "It was stopped (status -1), and an email to the filer is queued."


def plan_send_receipt_again(submission: Submission) -> str:
    """Return the addresses that would get the receipt.

    Raises: NotReady without a receipt, while the last email waits, or without a usable address.
    """
    if submission.status != Status.SIGNED:
        raise NotReady(f"There is no receipt: it is not signed, it has status {submission.status}.")
    for mail in _receipts(submission):
        if mail.job.is_unfinished:
            error = f" ({mail.job.last_error})" if mail.job.last_error else ""
            raise NotReady(
                f"The email to {mail.to} has not been sent yet{error}. It is retried automatically."
            )
    to = outbox.find_receipt_recipients(submission.signature)
    if not to:
        raise NotReady("Neither the signer nor the contact has a usable email address.")
    return f"The receipt will be emailed to {' and '.join(to)}."


def send_receipt_again(
    submission: Submission, *, by: Caller, reason: str, pause: timedelta | None = None
) -> str:
    """Email the receipt again to signer and contact; return what was done.

    pause: the minimum time since the last email.

    Raises: NotReady when there is no receipt, the last email waits or was sent just now, or no one
    has an address; BadInput without a reason.
    """
    require_reason(reason)
    before = _receipts(submission)  # read first, so that a request in between is noticed below
    plan_send_receipt_again(submission)
    latest = max((mail.made_at for mail in before), default=None)
    if pause and latest and timezone.now() - latest < pause:
        raise NotReady("The receipt was sent a moment ago. Check your email, or try again later.")
    with transaction.atomic():
        # A second request at the same time waits here, and then sees the emails of the first.
        Submission.objects.select_for_update().get(pk=submission.pk)
        if submission.mails.filter(kind="receipt").count() != len(before):
            raise moves.ConcurrentChange("Another user has just sent it again.")
        description = receipt_description.describe_receipt(submission.signature)
        emails = outbox.queue_receipt(
            submission.signature,
            description.list_facts(),
            is_in_force=not description.state,
            again=True,
        )
        about = str(submission)
        audit.record_event(
            AuditEvent.RECEIPT_SENT_AGAIN, by=by, lei=submission.lei, about=about, reason=reason
        )
    return f"Queued for {' and '.join(mail.to for mail in emails)}."


def repeat_follow_up(submission: Submission, topic: str, *, by: Caller, reason: str) -> str:
    """Repeat what follows a signature, by the name of its topic; return what was done.

    Raises: BadInput for another topic and without a reason; NotReady where it is not signed, or as
    the follow-up itself says.
    """
    require_reason(reason)
    follow_up = FOLLOW_UPS.get(topic)
    if follow_up is None:
        raise BadInput(f"Topic {topic} is not one of {', '.join(sorted(FOLLOW_UPS))}.")
    if submission.status != Status.SIGNED:
        raise NotReady(f"{submission} is not signed: it has status {submission.status}.")
    with transaction.atomic():
        done = follow_up.repeat(submission, by=by, reason=reason)
        event, about = AuditEvent.FOLLOW_UP_REPEATED, f"{topic} of {submission}"
        audit.record_event(event, by=by, lei=submission.lei, about=about, reason=reason)
    return done


def require_reason(reason: str) -> None:
    """Refuse an action without a reason. Raises: BadInput."""
    if not reason.strip():
        raise BadInput("Enter a reason. It is recorded with the action.")


def _receipts(submission: Submission) -> list[Mail]:
    return [mail for mail in submission.mails.all() if mail.kind == "receipt"]


def find_stopped_stage(submission: Submission) -> str:
    """Return the stage that failed, is waiting, or has lost its worker.

    Raises: NotReady, which says why no stage has stopped.
    """
    require_kept(submission)
    status = Status(submission.status)
    if status is Status.FAILED:
        return _failed_stage(submission)
    stage = _stage_of(status)
    if stage is None:
        raise NotReady(_nothing_stopped(status))
    job = find_job_of_stage(submission, stage)
    if (
        job
        and job.state == Job.State.RUNNING
        and job.lease_until
        and job.lease_until > timezone.now()
    ):
        raise NotReady(
            f"A worker is running the {stage} stage: line {job.rows_done:,} of {job.rows_total:,}. "
            f"If the worker is lost, another one takes over within "
            f"{settings.JOB_LEASE_SECONDS + settings.JOB_SWEEP_SECONDS} seconds."
        )
    return stage


def require_kept(submission: Submission) -> None:
    """Refuse to act on a submission that the filer has discarded. Raises: NotReady."""
    if submission.discarded_at:
        raise NotReady("It was discarded, so nothing goes on with it.")


def _failed_stage(submission: Submission) -> str:
    failed = {job.stage for job in submission.jobs.all() if job.state == Job.State.FAILED}
    for stage in ("edits", "parse"):
        if stage in failed and submission.raw_file:
            return stage
    raise NotReady(
        "It was stopped while no stage was running, so there is none to retry. The filer must "
        "upload the file in a new submission."
    )


def _nothing_stopped(status: Status) -> str:
    if status is Status.SIGNED:
        return "It is signed, and what was filed is not changed. Its receipt can be sent again."
    if status is Status.CREATED:
        return "No file has been uploaded: it waits for the filer."
    if status is Status.UPLOADING:
        return (
            "Its file is arriving. If no data arrives for "
            f"{settings.JOB_LEASE_SECONDS} seconds, the filer can upload it again."
        )
    hint = " Its edits can be run again." if status in EDITED else ""
    return f"No stage has stopped: it has status {status.value} and waits for the filer.{hint}"


def describe_no_edits_to_run(status: Status) -> str:
    """Return why the edits of a submission with this status cannot be run again, in a sentence."""
    if status is Status.SIGNED:
        return (
            "It is signed, and what was filed is not changed. A correction is a new submission "
            "of the filer."
        )
    if status is Status.FAILED:
        return "It has failed. Retry the stage that stopped, if one has."
    if status is Status.PARSED_WITH_ERRORS:
        return "It has formatting errors, so no edits were run. The filer must correct the file."
    if _stage_of(status):
        return "It is running or queued. Retry it if it does not move."
    return "No file has been checked yet."


def find_job_of_stage(submission: Submission, stage: str) -> Job | None:
    """Return the job of a stage, if there is one."""
    # Not filtered in the database: lists have already read all jobs of their submissions.
    return next((job for job in submission.jobs.all() if job.stage == stage), None)


def _stage_of(status: Status) -> str | None:
    """Return the stage that starts from or runs in a status."""
    return next(
        (stage.name for stage in STAGES.values() if status in (stage.starts_in, stage.works_in)),
        None,
    )
