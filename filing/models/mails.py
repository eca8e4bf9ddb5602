"""Emails: what is told to whom, once."""

from __future__ import annotations

from django.db import models
from django.utils import timezone

from filing.models.jobs import Job
from filing.models.panel import Institution
from filing.models.submissions import Submission


class Mail(models.Model):
    """An email to one address, that its job sends. There is one for each key, however often queued.

    Before it is handed to the mail server the row says so, and after the answer that it was sent.
    """

    KINDS = [
        ("receipt", "receipt of a signature"),
        ("failure", "submission failed"),
        ("season", "season opened"),
        ("sign-up", "sign-up"),
        ("password", "new password"),
        ("rights", "right to file or account ends"),
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
    handed_over_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text="When the mail server was given it. Without an answer it may have taken it.",
    )
    sent_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]
        indexes = [
            models.Index(fields=["to"], name="mail_to"),
            models.Index(
                fields=["handed_over_at"],
                condition=models.Q(sent_at=None, handed_over_at__isnull=False),
                name="mail_unanswered",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} to {self.to}"

    @property
    def standing(self) -> str:
        """What became of it, in words."""
        if self.sent_at:
            return "sent"
        if self.job.state == "failed":
            return "unknown" if self.handed_over_at else "given up"
        return "sent" if self.job.state == "done" else self.job.standing
