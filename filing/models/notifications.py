"""Emails and webhooks: what people and programs are notified of, each message sent by its job."""

from __future__ import annotations

from typing import TypeAlias

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from filing import registries
from filing.models.columns import RegisteredField
from filing.models.jobs import Job
from filing.models.panel import Institution
from filing.models.submissions import Submission


class Webhook(models.Model):
    """An address of an institution that gets a message when a filing of it changes.

    It belongs to the institution, not to the user who added it. A deleted one is kept, without its
    secret, until its deliveries are removed.
    """

    lei = models.CharField("LEI", max_length=20)
    url = models.CharField("address", max_length=500)
    secret = models.TextField(blank=True, help_text="Encrypted. It signs each message.")
    former_secret = models.TextField(
        blank=True, help_text="Encrypted. It signs as well for a day after a rotation."
    )
    former_until = models.DateTimeField(null=True, blank=True)
    actor_id = models.CharField("added by, ID", max_length=255, blank=True)
    actor_username = models.CharField("added by", max_length=255, blank=True)
    actor_email = models.CharField("added by, email", max_length=254, blank=True)
    added_at = models.DateTimeField(default=timezone.now)
    disabled_at = models.DateTimeField(null=True, blank=True)
    disabled_reason = models.CharField(max_length=255, blank=True)
    deleted_at = models.DateTimeField(null=True, blank=True)
    succeeded_at = models.DateTimeField("last success", null=True, blank=True)
    failures = models.PositiveIntegerField(default=0, help_text="Since the last success.")
    failing_since = models.DateTimeField(null=True, blank=True)
    paused_until = models.DateTimeField(
        default=timezone.now, help_text="No delivery begins before: one is sent at a time."
    )

    class Meta:
        ordering = ["lei", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["lei", "url"],
                condition=Q(deleted_at=None),
                name="one_webhook_per_lei_and_url",
            )
        ]

    def __str__(self) -> str:
        return f"webhook {self.pk} of {self.lei}"

    @property
    def state_label(self) -> str:
        """The state in words: active, failing, disabled or deleted."""
        if self.deleted_at:
            return "deleted"
        if self.disabled_at:
            return "disabled"
        return "failing" if self.failures else "active"


class DeliveryState(models.TextChoices):
    """The state of a delivery."""

    PENDING = "pending", "waiting"
    DELIVERED = "delivered", "delivered"
    GIVEN_UP = "given up", "given up"


class DeliveryType(models.TextChoices):
    """The type of a message, as in its body."""

    AT_REST = "submission.at_rest", "submission.at_rest"
    SIGNED = "submission.signed", "submission.signed"
    TEST = "test", "test"


class WebhookDelivery(models.Model):
    """A message to a webhook, written in the transaction of its event and sent by its job."""

    State: TypeAlias = DeliveryState
    Type: TypeAlias = DeliveryType

    webhook = models.ForeignKey(Webhook, models.CASCADE, related_name="deliveries")
    message_id = models.CharField(
        "message ID", max_length=40, unique=True, help_text="The same in each attempt."
    )
    type = models.CharField(max_length=40, choices=DeliveryType.choices)
    about = models.CharField(max_length=64, blank=True, help_text="The submission.")
    body = models.TextField(help_text="Exactly as it is sent and signed.")
    job = models.OneToOneField(Job, models.PROTECT, related_name="webhook_delivery")
    state = models.CharField(
        max_length=9, choices=DeliveryState.choices, default=DeliveryState.PENDING
    )
    tries = models.PositiveSmallIntegerField(
        default=0, help_text="Attempts since it was queued; a replay counts from 0 again."
    )
    made_at = models.DateTimeField(default=timezone.now)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]
        verbose_name = "webhook delivery"
        verbose_name_plural = "webhook deliveries"
        indexes = [
            models.Index(fields=["webhook", "-id"], name="webhook_delivery_newest"),
            models.Index(fields=["made_at"], name="webhook_delivery_made_at"),
        ]

    def __str__(self) -> str:
        return f"{self.type} {self.about}".strip()

    @property
    def state_label(self) -> str:
        """The state in words: waiting, waiting to retry, delivered or given up."""
        if self.state != DeliveryState.PENDING:
            return self.get_state_display()
        if self.job.state == Job.State.FAILED:
            return DeliveryState.GIVEN_UP.label
        return "waiting to retry" if self.tries else DeliveryState.PENDING.label

    @property
    def is_replayable(self) -> bool:
        """True once it has ended, whatever came of it."""
        return self.state != DeliveryState.PENDING or self.job.state == Job.State.FAILED


class WebhookAttempt(models.Model):
    """One request to the address of a webhook, and its answer.

    Units: milliseconds from the look-up of the host to the end of the answer.
    """

    delivery = models.ForeignKey(WebhookDelivery, models.CASCADE, related_name="attempts")
    started_at = models.DateTimeField()
    milliseconds = models.PositiveIntegerField()
    status = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="The HTTP status; blank without an answer."
    )
    answer = models.TextField(blank=True, help_text="The beginning of the answer.")
    error = models.TextField(blank=True, help_text="Why it failed; blank if it was delivered.")

    class Meta:
        ordering = ["id"]
        verbose_name = "webhook attempt"

    def __str__(self) -> str:
        return f"{self.delivery} at {self.started_at:%Y-%m-%d %H:%M:%S}"


class Mail(models.Model):
    """An email to one address, sent by its job. No two emails have the same key."""

    kind = RegisteredField(max_length=registries.LONGEST_NAME, choices=registries.list_email_kinds)
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
