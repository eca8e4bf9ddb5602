"""The stage at which a submission has stopped, or a sentence that says why none has.

For staff, whose actions are in `interventions`. Nothing here writes.
"""

from __future__ import annotations

from django.conf import settings
from django.utils import timezone

from filing.errors import NotReady
from filing.models import Job, Submission
from filing.statuses import EDITED, Status
from filing.submissions.stages import STAGES


def stopped_stage(submission: Submission) -> str:
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
    job = job_of(submission, stage)
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
    """Refuse to act on a submission that the filer has discarded.

    Raises: NotReady.
    """
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


def no_edits_to_run(status: Status) -> str:
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


def job_of(submission: Submission, stage: str) -> Job | None:
    """Return the job of a stage, if there is one."""
    # Not filtered in the database: lists have already read all jobs of their submissions.
    return next((job for job in submission.jobs.all() if job.stage == stage), None)


def _stage_of(status: Status) -> str | None:
    """Return the stage that starts from or runs in a status."""
    return next(
        (stage.name for stage in STAGES.values() if status in (stage.starts_in, stage.works_in)),
        None,
    )
