"""What staff do: open seasons, import panels, write notes and announcements."""

from __future__ import annotations

from datetime import datetime

from django.contrib.contenttypes.fields import GenericForeignKey
from django.contrib.contenttypes.models import ContentType
from django.db import models
from django.db.models import Q
from django.utils import timezone

from filing.models.audit_log import WrittenOnce
from filing.models.jobs import Job


class StaffAction(models.Model):
    """Who did something, when and why: the columns of every table in which staff give a reason."""

    at = models.DateTimeField(default=timezone.now)
    actor_id = models.CharField(max_length=255, blank=True, help_text="Blank: the command line.")
    actor_username = models.CharField(max_length=255, blank=True)
    actor_email = models.CharField(max_length=254, blank=True)
    reason = models.TextField(blank=True)

    class Meta:
        abstract = True


class SeasonOpening(StaffAction):
    """One opening of a season: the request and the result."""

    year = models.PositiveSmallIntegerField(help_text="The data year.")
    windows = models.JSONField(
        help_text="Opening day, filing deadline and closing day of each period."
    )
    choice = models.JSONField(
        default=dict, blank=True, help_text="Which institutions of the panel."
    )
    announce = models.BooleanField(
        default=False, help_text="Announce it to the institutions by email."
    )
    job = models.OneToOneField(Job, models.PROTECT, related_name="season_opening")
    report = models.JSONField(
        null=True, blank=True, help_text="The result; blank while it is running."
    )
    undone_at = models.DateTimeField(
        null=True, blank=True, help_text="When it was undone; blank while it stands."
    )

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"season {self.year}"


class PanelImport(StaffAction):
    """One import of institutions: the file, and what was done with each row."""

    file_name = models.CharField(max_length=255)
    sha256 = models.CharField("SHA-256", max_length=64)
    read = models.PositiveIntegerField()
    added = models.PositiveIntegerField()
    changed = models.PositiveIntegerField()
    unchanged = models.PositiveIntegerField()
    skipped = models.PositiveIntegerField()
    details = models.JSONField(default=dict, help_text="Skipped rows and differences, row by row.")

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.file_name}: {self.read} rows"

    @property
    def counts(self) -> str:
        """What was done with the rows, as a sentence."""
        return (
            f"{self.read:,} rows read: {self.added:,} added, {self.changed:,} changed, "
            f"{self.unchanged:,} unchanged, {self.skipped:,} skipped."
        )


class Note(WrittenOnce, StaffAction):
    """A note of staff on any record; its text is the reason. Never changed."""

    content_type = models.ForeignKey(ContentType, models.PROTECT)
    object_id = models.PositiveBigIntegerField()
    about = GenericForeignKey("content_type", "object_id")

    class Meta:
        ordering = ["-id"]
        indexes = [models.Index(fields=["content_type", "object_id"], name="note_about")]
        constraints = [models.CheckConstraint(condition=~Q(reason=""), name="note_says_something")]

    def __str__(self) -> str:
        return f"{self.actor_username}: {self.reason[:60]}"


class Announcement(models.Model):
    """A message to everyone, on all pages and in a header of API answers."""

    LEVELS = [("info", "news"), ("warning", "warning"), ("maintenance", "maintenance")]

    level = models.CharField(max_length=11, choices=LEVELS, default="info")
    text = models.CharField(max_length=300, help_text="One or two sentences, without markup.")
    begins = models.DateTimeField(default=timezone.now)
    ends = models.DateTimeField(null=True, blank=True, help_text="Blank: until it is changed.")

    class Meta:
        ordering = ["-begins", "-id"]
        constraints = [
            models.CheckConstraint(condition=~Q(text=""), name="announcement_says_something"),
            models.CheckConstraint(
                condition=Q(ends__isnull=True) | Q(ends__gt=models.F("begins")),
                name="announcement_begins_before_it_ends",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.level}: {self.text[:60]}"

    def is_current(self, now: datetime) -> bool:
        """Tell whether it is shown at a time."""
        return self.begins <= now and (self.ends is None or now < self.ends)
