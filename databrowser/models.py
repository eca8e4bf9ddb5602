"""Signed submissions as public rows, imported public files, and the data sets made of them."""

from __future__ import annotations

from typing import TypeAlias

from django.db import models
from django.db.models import Q
from django.utils import timezone

from filing.models import Job, ReferenceData, Submission
from filing.models.operations import Asked
from filing.models.trail import WrittenOnce

_HAS_HASH = ~Q(folder="") & ~Q(sha256="")


class ModifiedLars(models.QuerySet["ModifiedLar"]):
    """Public rows of submissions, by what became of them."""

    def made(self) -> ModifiedLars:
        """Return those whose rows are there."""
        return self.filter(made_at__isnull=False)

    def annual(self) -> ModifiedLars:
        """Return those of filings of a whole year."""
        return self.filter(submission__filing__period__quarter="")


class ModifiedLar(models.Model):
    """The public rows of one signed submission: being made, or made and where they lie."""

    submission = models.OneToOneField(Submission, models.PROTECT, related_name="modified_lar")
    job = models.ForeignKey(
        Job, models.PROTECT, null=True, blank=True, related_name="modified_lars"
    )
    folder = models.CharField(max_length=200, blank=True, help_text="In storage.")
    rows = models.PositiveBigIntegerField(default=0)
    sha256 = models.CharField(
        "SHA-256", max_length=64, blank=True, help_text="Of the Parquet file with the rows."
    )
    census = models.ForeignKey(
        ReferenceData,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="The census it was made with, if one was loaded.",
    )
    limits = models.ForeignKey(
        ReferenceData,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="The county loan limits it was made with, if any were loaded.",
    )
    revision = models.PositiveSmallIntegerField(
        default=1, help_text="How its files are written. Earlier revisions are made again."
    )
    made_at = models.DateTimeField(null=True, blank=True, help_text="Blank until it is made.")

    objects = ModifiedLars.as_manager()

    class Meta:
        ordering = ["-id"]
        verbose_name = "modified LAR"
        constraints = [
            models.CheckConstraint(
                condition=Q(made_at=None) | _HAS_HASH, name="made_modified_lar_has_folder_and_hash"
            ),
        ]

    def __str__(self) -> str:
        return f"modified LAR of submission {self.submission_id}"


class PublicImport(models.Model):
    """The rows of one year of a published file, as it was loaded."""

    year = models.PositiveSmallIntegerField()
    source = models.CharField(max_length=500, help_text="The name of the file.")
    sha256 = models.CharField("SHA-256", max_length=64, help_text="Of the file as it was given.")
    rows = models.PositiveBigIntegerField()
    institutions = models.PositiveIntegerField()
    loan_amount = models.BigIntegerField(help_text="Dollars in all, of midpoints.")
    folder = models.CharField(max_length=200, help_text="In storage.")
    loaded_at = models.DateTimeField(default=timezone.now)
    loaded_by = models.CharField(max_length=255, blank=True)
    active = models.BooleanField(default=True, help_text="Goes into the data set of its year.")
    is_demo = models.BooleanField("made up", default=False, help_text="Good for tries only.")

    class Meta:
        ordering = ["-loaded_at", "-id"]
        verbose_name = "imported public file"
        constraints = [
            models.UniqueConstraint(
                fields=["year", "sha256"],
                condition=Q(active=True),
                name="a_public_file_counts_once_for_a_year",
            ),
            models.CheckConstraint(
                condition=~Q(folder="") & Q(rows__gt=0), name="public_import_has_rows_somewhere"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.source} ({self.year}, {self.rows:,} rows)"


class VersionState(models.TextChoices):
    """What became of a data set that was asked for."""

    ASKED = "asked", "asked for"
    BUILT = "built", "built"
    UNCHANGED = "unchanged", "nothing was new"
    REMOVED = "removed", "built, its files are removed"


class Version(Asked):
    """One data set of a year: asked for, then built and kept, in the end removed."""

    State: TypeAlias = VersionState

    year = models.PositiveSmallIntegerField()
    number = models.PositiveIntegerField(help_text="Counts the builds of its year.")
    state = models.CharField(max_length=9, choices=State.choices, default=State.ASKED)
    job = models.OneToOneField(Job, models.PROTECT, related_name="version")
    goes_live = models.BooleanField(default=True, help_text="As soon as it is built.")
    folder = models.CharField(max_length=200, blank=True, help_text="In storage.")
    rows = models.PositiveBigIntegerField(default=0)
    institutions = models.PositiveIntegerField(default=0)
    sha256 = models.CharField("SHA-256", max_length=64, blank=True, help_text="Of its manifest.")
    manifest = models.JSONField(default=dict, blank=True)
    gathered_at = models.DateTimeField(
        null=True, blank=True, help_text="What came before is in it."
    )
    made_at = models.DateTimeField(null=True, blank=True)
    is_demo = models.BooleanField(
        "made up", default=False, help_text="Among its rows are some that were made up."
    )

    class Meta:
        ordering = ["-year", "-number"]
        constraints = [
            models.UniqueConstraint(
                fields=["year", "number"], name="one_version_per_year_and_number"
            ),
            models.CheckConstraint(
                condition=Q(state__in=list(VersionState)),
                name="version_state_is_known",
            ),
            models.CheckConstraint(
                condition=~Q(state=VersionState.BUILT) | (_HAS_HASH & Q(made_at__isnull=False)),
                name="built_version_has_folder_hash_and_time",
            ),
            models.CheckConstraint(condition=Q(number__gte=1), name="versions_begin_at_one"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def name(self) -> str:
        """What it is called everywhere: the year and its number in it."""
        return f"{self.year}-{self.number}"

    @property
    def standing(self) -> str:
        """What became of it or, until it is built, of its job, in words."""
        is_over = self.state != VersionState.ASKED
        return self.get_state_display() if is_over else self.job.standing


class LiveVersion(models.Model):
    """Which version readers get for a year. Going live, and back, is one change of this row."""

    year = models.PositiveSmallIntegerField(unique=True)
    version = models.OneToOneField(Version, models.PROTECT, related_name="live")
    since = models.DateTimeField(default=timezone.now)
    by = models.CharField(max_length=255, blank=True, help_text="Blank: the service itself.")

    class Meta:
        ordering = ["year"]

    def __str__(self) -> str:
        return f"{self.year}: {self.version_id}"


class Publication(WrittenOnce, Asked):
    """What became of the public data set of a year: the feed of changes. Never changed."""

    class What(models.TextChoices):
        PUBLISHED = "published", "published"
        ROLLED_BACK = "rolled back", "rolled back"
        WITHDRAWN = "withdrawn", "withdrawn"

    year = models.PositiveSmallIntegerField()
    version = models.ForeignKey(Version, models.PROTECT, related_name="publications")
    what = models.CharField(max_length=11, choices=What.choices)

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(what__in=["published", "rolled back", "withdrawn"]),
                name="publication_says_what_happened",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.version_id} {self.what}"
