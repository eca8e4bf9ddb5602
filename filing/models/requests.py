"""Requests that go on later: uploads in parts, and requests with an idempotency key."""

from __future__ import annotations

from typing import TypeAlias

from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from filing.models.submissions import Submission


class UploadOutcome(models.TextChoices):
    """How an upload in parts ended."""

    OPEN = "", "open"
    DONE = "done", "done"
    ENDED = "ended", "ended"


class ResumableUpload(models.Model):
    """An upload in parts. The row tells how many bytes count; its parts are in storage.

    The row stays for a day after the end, for a caller whose last answer was lost.
    """

    Outcome: TypeAlias = UploadOutcome

    submission = models.ForeignKey(Submission, models.CASCADE, related_name="resumable_uploads")
    key = models.CharField(max_length=32, unique=True, help_text="Its name in addresses.")
    file_name = models.CharField(max_length=255, help_text="As the uploader named it.")
    length = models.PositiveBigIntegerField(help_text="Bytes of the file.")
    offset = models.PositiveBigIntegerField(default=0, help_text="Bytes that are stored.")
    lines = models.PositiveBigIntegerField(default=0, help_text="Line ends in these bytes.")
    outcome = models.CharField(
        max_length=5, choices=UploadOutcome.choices, blank=True, default=UploadOutcome.OPEN
    )
    created_at = models.DateTimeField(default=timezone.now)
    used_at = models.DateTimeField(
        default=timezone.now, db_index=True, help_text="When it began, or the last part came."
    )
    actor_id = models.CharField(max_length=255, blank=True, help_text="Who sent the last part.")
    actor_username = models.CharField(max_length=255, blank=True)
    actor_email = models.CharField(max_length=254, blank=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["submission"], condition=Q(outcome=""), name="one_open_upload"
            ),
            models.CheckConstraint(
                condition=Q(offset__lte=F("length")), name="upload_offset_within_length"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.file_name}: {self.offset} of {self.length} bytes"

    @property
    def is_open(self) -> bool:
        """True until it is complete and the file of its submission, or has ended."""
        return self.outcome == UploadOutcome.OPEN

    @property
    def is_complete(self) -> bool:
        """True when all bytes are stored."""
        return self.offset == self.length


class UploadPart(models.Model):
    """Bytes of an upload that follow those of the part before, as one file in storage."""

    upload = models.ForeignKey(ResumableUpload, models.CASCADE, related_name="parts")
    offset = models.PositiveBigIntegerField(help_text="Of its first byte.")
    size = models.PositiveBigIntegerField(help_text="Bytes.")
    stored_as = models.CharField(max_length=200, help_text="Its name in storage.")

    class Meta:
        ordering = ["upload", "offset"]
        constraints = [
            models.UniqueConstraint(fields=["upload", "offset"], name="one_part_per_offset")
        ]

    def __str__(self) -> str:
        return f"{self.size} bytes at {self.offset}"


class IdempotentRequest(models.Model):
    """A request that a user may send again: in work under a lease, or answered.

    The answer is written in the transaction that does what the request asks for.
    """

    digest = models.CharField(
        max_length=64,
        unique=True,
        help_text="SHA-256 of the user, the method, the address and the key.",
    )
    fingerprint = models.CharField(
        max_length=64, blank=True, help_text="SHA-256 of the body; blank while it arrives."
    )
    owner = models.CharField(max_length=32, help_text="A unique name for each attempt.")
    lease_until = models.DateTimeField(
        help_text="While in work: when another attempt may take over."
    )
    kept_until = models.DateTimeField(db_index=True)
    status = models.PositiveSmallIntegerField(
        null=True, help_text="The HTTP status of the answer; blank while in work."
    )
    body = models.TextField(blank=True, help_text="JSON; blank for a redirect.")
    location = models.TextField(blank=True, help_text="Where a redirect leads.")
    notices = models.JSONField(
        default=list, help_text="Levels and texts of the messages on the page after a redirect."
    )

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return self.digest
