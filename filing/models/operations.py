"""What staff do: seasons, panels, notes, announcements, cases, legal holds and removals."""

from __future__ import annotations

from datetime import datetime

from django.contrib.auth.models import User
from django.contrib.contenttypes.fields import GenericForeignKey
from django.contrib.contenttypes.models import ContentType
from django.db import models
from django.db.models import Q
from django.utils import timezone

from filing import registries
from filing.models.audit_log import WrittenOnce
from filing.models.database import MailDomain
from filing.models.jobs import Job
from filing.models.panel import Filing


class StaffAction(models.Model):
    """Who did something, when and why: the columns of every table in which people give a reason."""

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


class ListExport(StaffAction):
    """A list of the admin as a file, which a job writes; kept for some days."""

    class Format(models.TextChoices):
        """The format of the file."""

        CSV = "csv", "CSV"
        XLSX = "xlsx", "XLSX"

    user = models.ForeignKey(
        User,
        models.SET_NULL,
        null=True,
        related_name="+",
        help_text="Whose rights decide what is listed, and who may download the file.",
    )
    source = models.CharField("list", max_length=100, help_text="The name of the list.")
    query = models.TextField(
        "filters", blank=True, help_text="Filters, search and order, as in the list's address."
    )
    format = models.CharField(max_length=4, choices=Format.choices)
    job = models.OneToOneField(Job, models.PROTECT, related_name="list_export")
    stored_as = models.CharField(
        max_length=255, blank=True, help_text="The file in storage; blank until it is written."
    )
    size = models.PositiveBigIntegerField(default=0, help_text="Of the file, in bytes.")

    class Meta:
        ordering = ["-id"]
        verbose_name = "export"
        permissions = [("read_any_listexport", "Can download exports of other users")]

    def __str__(self) -> str:
        return f"export {self.pk}"


class OperatorTask(StaffAction):
    """Work on the installation that staff requested, such as a backup, and its result."""

    kind = models.CharField(max_length=registries.LONGEST_NAME, help_text="The kind of its job.")
    about = models.CharField(max_length=100, blank=True, help_text="Such as a backup.")
    job = models.OneToOneField(Job, models.PROTECT, related_name="operator_task")
    is_sound = models.BooleanField(null=True, blank=True, help_text="Blank until it has ended.")
    summary = models.TextField(blank=True, help_text="The result, or the present step.")
    details = models.JSONField(default=list, blank=True, help_text="Sentences of the result.")

    class Meta:
        ordering = ["-id"]
        verbose_name = "task"
        indexes = [models.Index(fields=["kind", "about"], name="operator_task_kind")]

    def __str__(self) -> str:
        return f"{registries.find_job_kind(self.kind).label} {self.about}".strip()


class KeyRotation(StaffAction):
    """A request for a new receipt key: one administrator makes it, another one decides."""

    class Decision(models.TextChoices):
        """What became of a request."""

        NONE = "", "waiting"
        APPROVED = "approved", "approved"
        REJECTED = "rejected", "rejected"
        EXPIRED = "expired", "expired"

    decision = models.CharField(max_length=8, choices=Decision.choices, blank=True)
    decided_at = models.DateTimeField(null=True, blank=True)
    decided_by = models.CharField(max_length=255, blank=True)
    decided_reason = models.TextField(blank=True)
    kid = models.CharField("new key", max_length=43, blank=True)
    problem = models.TextField(blank=True, help_text="Why the service could not make the key.")

    class Meta:
        ordering = ["-id"]
        verbose_name = "receipt key rotation"
        constraints = [
            models.UniqueConstraint(
                fields=["decision"], condition=Q(decision=""), name="one_key_rotation_waits"
            ),
            models.CheckConstraint(
                condition=Q(decision="", decided_at=None)
                | (~Q(decision="") & Q(decided_at__isnull=False)),
                name="key_rotation_is_decided_at_a_time",
            ),
        ]

    def __str__(self) -> str:
        return f"rotation {self.pk}"


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


class Case(models.Model):
    """A request to the help desk, in the words of the person, until it is closed with an answer."""

    class State(models.TextChoices):
        OPEN = "open"
        CLOSED = "closed"

    state = models.CharField(max_length=6, choices=State.choices, default=State.OPEN)
    opened_at = models.DateTimeField(default=timezone.now)
    user = models.ForeignKey(
        User,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="cases",
        help_text="Who was signed in. Blank: anyone can write any name and address.",
    )
    name = models.CharField(max_length=300, blank=True)
    email = models.EmailField("email address")
    lei = models.CharField("LEI", max_length=20, blank=True)
    institution = models.CharField("institution's name", max_length=255)
    text = models.TextField("what is wanted")
    closed_at = models.DateTimeField(null=True, blank=True)
    closed_by = models.CharField(max_length=150, blank=True)
    answer = models.TextField(blank=True)

    class Meta:
        ordering = ["-opened_at", "-id"]
        permissions = [("answer_case", "Can answer and close a case")]
        indexes = [
            models.Index(fields=["state", "opened_at"], name="case_state"),
            models.Index(fields=["lei"], name="case_lei"),
            models.Index(fields=["email", "state"], name="case_email"),
            models.Index(MailDomain("email"), name="case_mail_domain"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(state="open", closed_at=None)
                | Q(state="closed", closed_at__isnull=False),
                name="closed_case_has_a_time",
            ),
        ]

    def __str__(self) -> str:
        return self.number

    @property
    def number(self) -> str:
        """The number that the person and the help desk quote."""
        return f"CASE-{self.pk}"


class PostponedRemoval(models.Model):
    """A stored folder that no row names any more, to be removed when no backup needs it."""

    folder = models.CharField(max_length=200, unique=True, help_text="Folder in storage.")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return self.folder


class LegalHold(StaffAction):
    """A legal hold: nothing of an institution, or of one of its filings, is removed under it."""

    lei = models.CharField("LEI", max_length=20, db_index=True)
    filing = models.ForeignKey(
        Filing,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="legal_holds",
        help_text="Blank: all filings of the institution.",
    )
    lifted_at = models.DateTimeField(
        null=True, blank=True, help_text="Blank while the hold is in force."
    )
    lifted_by = models.CharField(max_length=255, blank=True)
    lifted_reason = models.TextField(blank=True)

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["lei"],
                condition=Q(filing=None, lifted_at=None),
                name="one_legal_hold_per_institution",
            ),
            models.UniqueConstraint(
                fields=["filing"],
                condition=Q(filing__isnull=False, lifted_at=None),
                name="one_legal_hold_per_filing",
            ),
            models.CheckConstraint(condition=~Q(reason=""), name="legal_hold_has_a_reason"),
        ]

    def __str__(self) -> str:
        return f"legal hold on {self.filing or self.lei}"


class ToolUse(models.Model):
    """How often a public tool was used on a day. Nothing is kept about who used it, or on what."""

    day = models.DateField(help_text="In the filing time zone.")
    tool = models.CharField(max_length=40)
    uses = models.PositiveBigIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["day", "tool"], name="one_row_per_day_and_tool"),
        ]

    def __str__(self) -> str:
        return f"{self.tool} on {self.day}: {self.uses}"


class Examination(models.Model):
    """What the checks of this installation found last, in one row.

    It is in the database, since the cache may be what is away.
    """

    at = models.DateTimeField()
    content = models.JSONField()

    def __str__(self) -> str:
        return f"examination of {self.at:%Y-%m-%d %H:%M}"
