"""Work outside of requests."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils import timezone

from filing.models.submissions import Submission


class Job(models.Model):
    """One stage of a submission that somebody works on, or will. The queue only rings a bell.

    A worker owns a running job until its lease ends, and renews the lease while it works. Whoever
    finds the lease over may take the job; the former owner then can no longer write anything.
    """

    STAGES = [("upload", "upload"), ("parse", "parse"), ("edits", "edits")]
    STATES = [("queued", "queued"), ("running", "running"), ("done", "done"), ("failed", "failed")]

    submission = models.ForeignKey(Submission, models.CASCADE, related_name="jobs")
    stage = models.CharField(max_length=10, choices=STAGES)
    state = models.CharField(max_length=8, choices=STATES, default="queued")
    large = models.BooleanField(default=False, help_text="Goes to the queue of large files.")
    owner = models.CharField(max_length=80, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    heartbeat = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    not_before = models.DateTimeField(default=timezone.now)
    queued_at = models.DateTimeField(default=timezone.now)
    rung_at = models.DateTimeField(default=timezone.now, help_text="When the bell last rang.")
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    rows_done = models.PositiveBigIntegerField(default=0)
    rows_total = models.PositiveBigIntegerField(default=0)
    last_error = models.TextField(blank=True)
    request_id = models.CharField(
        max_length=64, blank=True, help_text="Of the request that queued it, as log lines have it."
    )

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["submission", "stage"], name="one_job_per_stage"),
            models.CheckConstraint(
                condition=~Q(state="running") | (~Q(owner="") & Q(lease_until__isnull=False)),
                name="running_job_has_owner_and_lease",
            ),
        ]
        indexes = [models.Index(fields=["state", "lease_until"], name="job_state_lease")]

    def __str__(self) -> str:
        return f"{self.stage} of {self.submission_id}: {self.state}"
