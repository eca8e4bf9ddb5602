"""Reports on submissions that the service works on: running, queued, or without a job."""

from __future__ import annotations

from django.db.models import F
from django.utils import timezone

from filing.jobs import long_waits
from filing.models import Job, ResumableUpload, Submission
from filing.registries import kinds
from filing.statuses import Status
from filing.submissions.status_report.wording import STAGE_NAMES, StatusReport, ago

_TAKEN_OVER = "Another worker takes over automatically."
_NO_WORKER = "Check that the workers are running: see the list of jobs and the logs of the workers."


def report_progress(submission: Submission) -> StatusReport:
    """Return the report on a submission that a worker has, or should have."""
    jobs = Job.objects.filter(submission=submission).order_by("-queued_at", "-pk")
    job = next((job for job in jobs if job.is_unfinished), None)
    if job is None:
        return StatusReport(
            summary=f"Waiting for the service: {Status(submission.status).message}",
            since=submission.changed_at,
            waiting_for="an operator",
            next_step="Queue the stage.",
            problem="No job is queued for it.",
            remedy="An operator stops the submission and retries the stage.",
        )
    return (_running if job.state == Job.State.RUNNING else _queued)(submission, job)


def _running(submission: Submission, job: Job) -> StatusReport:
    if job.stage == "upload" and (upload := _unaccepted(submission)):
        return _arrived(upload, job)
    is_silent = bool(job.lease_until and job.lease_until < timezone.now())
    last_sign = job.heartbeat or job.started_at or job.queued_at
    is_upload = job.stage == "upload"
    return StatusReport(
        summary=f"{STAGE_NAMES[job.stage]} is in progress{_attempt(job)}.",
        since=job.started_at or job.queued_at,
        waiting_for="the filer, whose program sends the file" if is_upload else "",
        next_step="The file is read." if is_upload else _NEXT_STEPS[job.stage],
        problem=f"Its worker has not responded for {ago(last_sign)}." if is_silent else _error(job),
        remedy=_TAKEN_OVER if is_silent else "",
        job=job,
    )


def _unaccepted(submission: Submission) -> ResumableUpload | None:
    """Return the upload in parts that has all its bytes, but is not the file yet."""
    complete = submission.resumable_uploads.filter(offset=F("length"))
    return complete.filter(outcome=ResumableUpload.Outcome.OPEN).first()


def _arrived(upload: ResumableUpload, job: Job) -> StatusReport:
    is_late = long_waits.waits_long(upload.used_at)
    return StatusReport(
        summary="The whole file has arrived, and is not accepted yet.",
        since=upload.used_at,
        waiting_for="",
        next_step="The file is scanned for viruses if the site has a scanner, and stored.",
        problem="The virus scanner or the storage does not work." if is_late else "",
        remedy="It is tried again every minute. An operator starts what does not work: see "
        "`manage.py doctor`."
        if is_late
        else "",
        job=job,
    )


def _queued(submission: Submission, job: Job) -> StatusReport:
    now = timezone.now()
    if job.not_before > now:
        pause = max(1, round((job.not_before - now).total_seconds()))
        problem, remedy = _error(job), f"It is retried automatically in {pause} seconds."
    elif long_waits.waits_long(long_waits.due_since(job)):
        wait = f"It has been in the queue for {ago(long_waits.due_since(job))}."
        problem, remedy = f"{wait} {_error(job)}".strip(), _NO_WORKER
    else:
        problem, remedy = _error(job), ""
    return StatusReport(
        summary=f"{STAGE_NAMES[job.stage]} is queued{_attempt(job)}.",
        since=job.queued_at,
        waiting_for="",
        next_step=f"A worker takes it. {_NEXT_STEPS[job.stage]}",
        problem=problem,
        remedy=remedy,
        job=job,
    )


_NEXT_STEPS = {
    "upload": "The file is read.",
    "parse": "The edits run, unless there are formatting errors.",
    "edits": "The filer reviews the edits that were triggered, or signs.",
}


def _attempt(job: Job) -> str:
    if not job.attempts:
        return ""
    return f" (attempt {job.attempts} of {kinds.retry_policy_of(job.stage).attempts})"


def _error(job: Job) -> str:
    return f"The last attempt ended with: {job.last_error}" if job.last_error else ""
