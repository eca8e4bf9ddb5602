"""Where a submission stands while the service has its turn: at work, in the queue, or forgotten."""

from __future__ import annotations

from datetime import timedelta

from django.utils import timezone

from filing.models import Job, Submission
from filing.registries import kinds
from filing.statuses import Status
from filing.submissions.standing.sentences import WORK, Standing, ago

LONG_WAIT = timedelta(minutes=1)
_BY_ITSELF = "Another worker takes over automatically."
_NO_WORKER = "Check that the workers are running: see the list of jobs and the log of the workers."


def at_work(submission: Submission) -> Standing:
    """Return where a submission stands that a worker has, or should have."""
    found = Job.objects.filter(submission=submission).order_by("-queued_at", "-pk")
    job = next((job for job in found if job.is_unfinished), None)
    if job is None:
        return Standing(
            what=f"Waiting for the service: {Status(submission.status).message}",
            since=submission.changed_at,
            turn="an operator",
            next_step="Queue the stage.",
            stopped="No job is queued for it.",
            helps="An operator stops the submission and retries the stage.",
        )
    return (_running if job.state == Job.State.RUNNING else _queued)(submission, job)


def _running(submission: Submission, job: Job) -> Standing:
    silent = bool(job.lease_until and job.lease_until < timezone.now())
    heard = job.heartbeat or job.started_at or job.queued_at
    is_upload = job.stage == "upload"
    return Standing(
        what=f"{WORK[job.stage]} is in progress{_attempt(job)}.",
        since=job.started_at or job.queued_at,
        turn="the filer, whose program sends the file" if is_upload else "",
        next_step="The file is read." if is_upload else _AFTER[job.stage],
        stopped=f"Its worker has not responded for {ago(heard)}." if silent else _error(job),
        helps=_BY_ITSELF if silent else "",
        job=job,
    )


def _queued(submission: Submission, job: Job) -> Standing:
    now = timezone.now()
    if job.not_before > now:
        pause = max(1, round((job.not_before - now).total_seconds()))
        stopped, helps = _error(job), f"It is retried automatically in {pause} seconds."
    elif now - max(job.queued_at, job.not_before) > LONG_WAIT:
        waits = f"It has waited in the queue for {ago(max(job.queued_at, job.not_before))}."
        stopped, helps = f"{waits} {_error(job)}".strip(), _NO_WORKER
    else:
        stopped, helps = _error(job), ""
    return Standing(
        what=f"{WORK[job.stage]} is queued{_attempt(job)}.",
        since=job.queued_at,
        turn="",
        next_step=f"A worker takes it. {_AFTER[job.stage]}",
        stopped=stopped,
        helps=helps,
        job=job,
    )


_AFTER = {
    "upload": "The file is read.",
    "parse": "The edits run, unless there are formatting errors.",
    "edits": "The filer reviews the edits that were triggered, or signs.",
}


def _attempt(job: Job) -> str:
    if not job.attempts:
        return ""
    return f" (attempt {job.attempts} of {kinds.patience(job.stage).attempts})"


def _error(job: Job) -> str:
    return f"The last attempt ended with: {job.last_error}" if job.last_error else ""
