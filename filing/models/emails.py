"""Emails, and requests for one when a check finishes."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone

from filing.models.jobs import Job
from filing.models.panel import Institution
from filing.models.registered import RegisteredField
from filing.models.submissions import Submission
from filing.registries import emails


class Mail(models.Model):
    """An email to one address, sent by its job. No two emails have the same key."""

    kind = RegisteredField(max_length=emails.LONGEST, choices=emails.choices)
    key = models.CharField(
        max_length=255,
        unique=True,
        help_text="What it is about and who gets it: none is written twice.",
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
    sent_at = models.DateTimeField(
        null=True, blank=True, help_text="When the mail server had accepted it."
    )

    class Meta:
        verbose_name = "email"
        ordering = ["-id"]
        indexes = [models.Index(fields=["to"], name="mail_to")]

    def __str__(self) -> str:
        return f"{self.kind} to {self.to}"

    @property
    def state_label(self) -> str:
        """The state in words: queued, running, waiting to retry, sent or failed."""
        return "sent" if self.job.state == Job.State.DONE else self.job.state_label


class FinishedEmail(models.Model):
    """A request for an email when the checking of a submission finishes; deleted once queued."""

    submission = models.ForeignKey(Submission, models.CASCADE, related_name="finished_emails")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="finished_emails"
    )
    email = models.EmailField(help_text="The address of the user at the time of the request.")
    requested_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["submission", "email"], name="one_finished_email_per_address"
            )
        ]

    def __str__(self) -> str:
        return f"to {self.email} when {self.submission} is checked"
