"""Emails: what is told to whom, once."""

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
    """An email to one address, that its job sends. There is one for each key, however often queued.

    Before it is handed to the mail server the row says so, and after the answer that it was sent.
    """

    kind = RegisteredField(max_length=emails.LONGEST, choices=emails.choices)
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
        if self.job.state == Job.State.FAILED:
            return "unknown" if self.handed_over_at else "given up"
        return "sent" if self.job.state == Job.State.DONE else self.job.standing


class FinishedEmail(models.Model):
    """A request for an email when the checking of a submission finishes; gone once it is queued."""

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
