"""Jobs, which run outside requests, their attempts, and the comparisons that they make."""

from __future__ import annotations

from typing import ClassVar, TypeAlias

from django.db import models
from django.db.models import Q
from django.utils import timezone

from filing import registries
from filing.models.columns import FingerprintField, RegisteredField
from filing.models.submissions import Submission

# Of a submission. Jobs of all other kinds have none.
_STAGES = ("upload", "parse", "edits")


class JobState(models.TextChoices):
    """The state of a job."""

    QUEUED = "queued", "queued"
    RUNNING = "running", "running"
    DONE = "done", "done"
    FAILED = "failed", "failed"


class Job(models.Model):
    """A stage of a submission, or other work, that a worker runs or will run.

    A worker owns a running job until its lease expires, and renews the lease while it works. Any
    worker may take a job whose lease has expired; the former owner can then no longer write
    anything. A message of the queue names no job: it only says that there is work.
    """

    State: TypeAlias = JobState
    UNFINISHED = (State.QUEUED, State.RUNNING)
    OF_SUBMISSIONS = _STAGES

    submission = models.ForeignKey(
        Submission,
        models.CASCADE,
        null=True,
        blank=True,
        related_name="jobs",
        help_text="Blank for a job that is not about a submission.",
    )
    stage = RegisteredField(max_length=registries.LONGEST_NAME, choices=registries.list_job_kinds)
    state = models.CharField(max_length=8, choices=State.choices, default=State.QUEUED)
    large = models.BooleanField(default=False, help_text="Goes to the queue of large files.")
    owner = models.CharField(max_length=80, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    heartbeat = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    not_before = models.DateTimeField(default=timezone.now)
    queued_at = models.DateTimeField(default=timezone.now)
    fair_queued_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text="Taken as if it were queued then: the institution has other files in the queue.",
    )
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    rows_done = models.PositiveBigIntegerField("lines done", default=0)
    rows_total = models.PositiveBigIntegerField("lines in total", default=0)
    last_error = models.TextField(blank=True)
    request_id = models.CharField(
        max_length=64, blank=True, help_text="Of the request that queued it, as in log lines."
    )

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["submission", "stage"], name="one_job_per_stage"),
            models.CheckConstraint(
                condition=~Q(state=JobState.RUNNING)
                | (~Q(owner="") & Q(lease_until__isnull=False)),
                name="running_job_has_owner_and_lease",
            ),
            models.CheckConstraint(
                condition=Q(stage__in=_STAGES, submission__isnull=False)
                | (~Q(stage__in=_STAGES) & Q(submission__isnull=True)),
                name="stages_have_a_submission_and_errands_none",
            ),
        ]
        indexes = [
            models.Index(fields=["state", "lease_until"], name="job_state_lease"),
            models.Index(fields=["queued_at"], name="job_queued_at"),
            models.Index(fields=["stage", "queued_at"], name="job_stage"),
            models.Index(fields=["request_id"], name="job_request"),
            models.Index(fields=["queued_at"], condition=Q(large=True), name="job_large"),
        ]

    def __str__(self) -> str:
        about = f"of {self.submission_id}" if self.submission_id else f"(job {self.pk})"
        return f"{self.stage} {about}: {self.state}"

    @property
    def state_label(self) -> str:
        """The state in words; a queued job that was tried before is waiting to retry."""
        is_retry = self.state == JobState.QUEUED and self.attempts
        return "waiting to retry" if is_retry else self.state

    @property
    def is_unfinished(self) -> bool:
        """True while it is queued or running."""
        return self.state in self.UNFINISHED


class Attempt(models.Model):
    """One try at a job, and how it ended. Never changed."""

    EVIDENCE: ClassVar = "attempt"
    CONTENT: ClassVar = {
        1: ("job", "number", "owner", "started_at", "ended_at", "outcome", "rows", "error")
    }

    class Outcome(models.TextChoices):
        """How an attempt ended."""

        DONE = "done", "done"
        RELEASED = "released", "to be retried"
        FAILED = "failed", "failed"
        REFUSED = "refused", "refused"  # no fault of the service
        LOST = "lost", "worker lost"

    job = models.ForeignKey(Job, models.CASCADE, related_name="tries")
    number = models.PositiveSmallIntegerField(help_text="A retry by staff counts from 1 again.")
    owner = models.CharField(max_length=80, blank=True)
    started_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(default=timezone.now)
    outcome = models.CharField(max_length=8, choices=Outcome.choices)
    rows = models.PositiveBigIntegerField("lines", default=0, help_text="Lines done by then.")
    error = models.TextField(blank=True, help_text="Why the attempt failed.")
    fingerprint = FingerprintField()

    class Meta:
        ordering = ["id"]
        indexes = [models.Index(fields=["ended_at"], name="attempt_ended_at")]

    def __str__(self) -> str:
        return f"{self.job}, attempt {self.number}: {self.outcome}"


class FileComparison(models.Model):
    """A comparison of two large files, which a job makes; kept for some days."""

    before = models.ForeignKey(Submission, models.CASCADE, related_name="+")
    after = models.ForeignKey(Submission, models.CASCADE, related_name="+")
    job = models.OneToOneField(Job, models.PROTECT, related_name="file_comparison")
    counts = models.JSONField(
        default=dict, blank=True, help_text="How many records and fields differ, once it is done."
    )
    rows = models.BinaryField(
        default=bytes,
        help_text="An Arrow table of the rows that differ: in the file before, and in that after.",
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["before", "after"], name="one_comparison_of_two_files"),
        ]

    def __str__(self) -> str:
        return f"{self.before_id} and {self.after_id}"
