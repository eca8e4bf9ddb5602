"""The progress of checking a file, in the sentences that the filer reads."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils import dateformat, timezone

from filing import registries
from filing.jobs import queue
from filing.lar.fields import records_in
from filing.models import Job, Submission
from filing.submissions import halts, status_report
from filing.submissions.timeline import STAGE_LABELS

_SURE_SECONDS = 3  # of a stage, from when its speed tells how long it takes
_QUEUED = "Your file is in the queue"
_LISTED = "The help desk sees this submission in its list of those that need attention."


@dataclass(frozen=True)
class ProgressSentences:
    """The progress that the page shows while a file is checked.

    stage: the current stage. details: sentences about it. done, total: records; total is 0 while
    the number is unknown. is_estimate: whether total is an estimate. left: how long the stage still
    takes; blank while that is unknown.
    """

    stage: str
    details: tuple[str, ...] = ()
    done: int = 0
    total: int = 0
    is_estimate: bool = False
    left: str = ""

    @property
    def percent(self) -> int:
        """The percentage done; 100 only when everything is done."""
        return 100 * self.done // self.total if self.total else 0


def describe_progress(submission: Submission) -> ProgressSentences:
    """Return the progress of a submission that the service is processing."""
    job = status_report.report_status(submission).job
    if job is None:
        return _without_job(submission)
    if job.state == Job.State.RUNNING:
        return _running(job)
    if job.not_before > timezone.now():
        return _retrying(job)
    return _queued(job, submission)


def _running(job: Job) -> ProgressSentences:
    details = [f"Started {status_report.describe_age(job.started_at or job.queued_at)} ago."]
    if job.attempts > 1:
        details.append(f"This is attempt {_nth(job.attempts, job)}.")
    if job.lease_until and job.lease_until < timezone.now():
        silence = status_report.describe_age(job.heartbeat or job.started_at or job.queued_at)
        details.append(f"The worker has not responded for {silence}; another one takes over.")
    done, total = records_in(job.rows_done), records_in(job.rows_total)
    return ProgressSentences(
        STAGE_LABELS[job.stage],
        tuple(details),
        done=done,
        total=total,
        is_estimate=job.stage == "parse",
        left=_describe_time_left(job, done, total),
    )


def _describe_time_left(job: Job, done: int, total: int) -> str:
    """Return how long the stage still takes if it goes on as it did; blank if that is unknown."""
    seconds = (timezone.now() - (job.started_at or job.queued_at)).total_seconds()
    if not done or done >= total or seconds < _SURE_SECONDS:
        return ""
    return f"about {status_report.describe_duration(round(seconds * (total - done) / done))} left"


def _retrying(job: Job) -> ProgressSentences:
    seconds = max(1, round((job.not_before - timezone.now()).total_seconds()))
    at = dateformat.format(timezone.localtime(job.not_before), "g:i:s A T")
    when = f"at {at}, in {seconds:,} second{'' if seconds == 1 else 's'}"
    if not job.attempts:
        return ProgressSentences(_QUEUED, (f"Checking begins {when}.",))
    return ProgressSentences(
        "Waiting to retry",
        (
            f"The last attempt did not succeed. Attempt {_nth(job.attempts + 1, job)} begins "
            f"{when}. You do not need to do anything.",
        ),
    )


def _queued(job: Job, submission: Submission) -> ProgressSentences:
    since = queue.find_due_since(job)
    details = [
        _place(queue.find_queue_position(job, submission.lei)),
        f"In the queue for {status_report.describe_age(since)}.",
    ]
    if queue.has_waited_long(since):
        details[-1] = f"Checking has not started for {status_report.describe_age(since)}."
        details += [_LISTED] if _is_listed(submission) else []
    return ProgressSentences(_QUEUED, tuple(details))


def _without_job(submission: Submission) -> ProgressSentences:
    """Return the progress between two stages, or when the next stage is missing."""
    if _is_listed(submission):
        return ProgressSentences(
            "Checking has stopped", (f"No work is queued for your file. {_LISTED}",)
        )
    return ProgressSentences("Checking")


def _place(place: queue.QueuePosition) -> str:
    if place.is_held:
        return "Other files of your institution are being checked. Yours is checked after them."
    if not place.ahead:
        return "Your file is next."
    files = "1 file is" if place.ahead == 1 else f"{place.ahead:,} files are"
    return f"{files} ahead of yours."


def _nth(attempt: int, job: Job) -> str:
    return f"{attempt} of {registries.find_retry_policy(job.stage).attempts}"


def _is_listed(submission: Submission) -> bool:
    """Return whether the help desk sees the submission in its list of stuck ones."""
    return Submission.objects.filter(halts.is_stuck(), pk=submission.pk).exists()
