"""Mails: what is told to whom, once."""

from __future__ import annotations

from django.db import models
from django.utils import timezone

from filing.models.jobs import Job
from filing.models.panel import Institution
from filing.models.submissions import Submission


class Mail(models.Model):
    """A mail to one address, that its job sends. There is one for each key, however often asked."""

    KINDS = [
        ("receipt", "receipt of a signature"),
        ("failure", "submission failed"),
        ("season", "season opened"),
    ]

    kind = models.CharField(max_length=10, choices=KINDS)
    key = models.CharField(
        max_length=255, unique=True, help_text="What it tells whom: nothing is told twice."
    )
    to = models.EmailField("to")
    subject = models.CharField(max_length=200)
    text = models.TextField()
    submission = models.ForeignKey(
        Submission, models.CASCADE, null=True, blank=True, related_name="mails"
    )
    institution = models.ForeignKey(
        Institution, models.CASCADE, null=True, blank=True, related_name="mails"
    )
    job = models.OneToOneField(Job, models.PROTECT, related_name="mail")
    made_at = models.DateTimeField(default=timezone.now)
    sent_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.kind} to {self.to}"
