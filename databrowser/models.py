"""Tables of modified LARs, imported public files, data set versions and their publication."""

from __future__ import annotations

from typing import Any, TypeAlias

from django.db import models
from django.db.models import Exists, Q
from django.urls import reverse
from django.utils import timezone

from filing import standing
from filing.models import Job, ReferenceData, Submission
from filing.models.audit_log import WrittenOnce
from filing.models.operations import StaffAction

_HAS_HASH = ~Q(folder="") & ~Q(sha256="")


class ModifiedLars(models.QuerySet["ModifiedLar"]):
    """Queries of modified LARs."""

    def made(self) -> ModifiedLars:
        """Return those that are prepared."""
        return self.filter(made_at__isnull=False)

    def annual(self) -> ModifiedLars:
        """Return those of annual filings."""
        return self.filter(submission__filing__period__quarter="")

    def in_use(self) -> ModifiedLars:
        """Return the `current` ones of filings that may become public."""
        return self.current().filter(standing.is_for_the_public("submission__"))

    def public(self) -> ModifiedLars:
        """Return those that anyone can read: in use, and not withdrawn by staff."""
        return self.in_use().filter(withdrawn_at=None)

    def current(self) -> ModifiedLars:
        """Return one of each filing: that of the submission that counts.

        While it is being prepared, the one of what was signed before stays in use. Where preparing
        it has failed, the filing has none until it is prepared again.
        """
        lar = "submission__modified_lar__"
        is_settled = Q(**{f"{lar}made_at__isnull": False}) | Q(
            **{f"{lar}job__state": Job.State.FAILED}
        )
        later = standing.find_later_signatures("submission__").filter(is_settled)
        return self.made().filter(standing.is_on_record("submission__"), ~Exists(later))


class ModifiedLarManager(models.Manager.from_queryset(ModifiedLars)):  # type: ignore[misc]
    """Leaves the Institution Register Summary unread until it is used: lists do not need it."""

    def get_queryset(self) -> ModifiedLars:
        """Return all modified LARs."""
        lars: ModifiedLars = super().get_queryset()
        return lars.defer("register_summary")


class ModifiedLar(models.Model):
    """The modified LAR of a signed submission: its job, its folder, and its reference data."""

    submission = models.OneToOneField(Submission, models.PROTECT, related_name="modified_lar")
    job = models.ForeignKey(
        Job, models.PROTECT, null=True, blank=True, related_name="modified_lars"
    )
    folder = models.CharField(max_length=200, blank=True, help_text="Folder in storage.")
    rows = models.PositiveBigIntegerField("records", default=0)
    sha256 = models.CharField(
        "SHA-256", max_length=64, blank=True, help_text="Hash of the file with the public records."
    )
    census = models.ForeignKey(
        ReferenceData,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="The census data it was prepared with, if any were loaded.",
    )
    limits = models.ForeignKey(
        ReferenceData,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="The county loan limits it was prepared with, if any were loaded.",
    )
    revision = models.PositiveIntegerField(
        default=0, help_text="Revision of its files. Those of other revisions are prepared again."
    )
    register_summary = models.JSONField(
        null=True,
        blank=True,
        editable=False,
        help_text="Figures of the Institution Register Summary by MSA/MD; amounts in thousands.",
    )
    made_at = models.DateTimeField(
        "prepared at", null=True, blank=True, help_text="Blank until it is prepared."
    )
    withdrawn_at = models.DateTimeField(
        null=True, blank=True, help_text="When staff withdrew it; blank while anyone can read it."
    )

    objects = ModifiedLarManager()

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
    """The records of one year of an imported public file."""

    year = models.PositiveSmallIntegerField()
    source = models.CharField(max_length=500, help_text="File name.")
    sha256 = models.CharField("SHA-256", max_length=64, help_text="Hash of the file as received.")
    rows = models.PositiveBigIntegerField("records")
    institutions = models.PositiveIntegerField()
    loan_amount = models.BigIntegerField(help_text="Total of the midpoints in dollars.")
    folder = models.CharField(max_length=200, help_text="Folder in storage.")
    loaded_at = models.DateTimeField(default=timezone.now)
    loaded_by = models.CharField(max_length=255, blank=True)
    active = models.BooleanField(default=True, help_text="Included in the data set of its year.")
    is_demo = models.BooleanField("made up", default=False, help_text="For demos only.")

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
        return f"{self.source} ({self.year}, {self.rows:,} records)"


class BoundaryKind(models.TextChoices):
    """The kinds of places whose boundaries can be loaded."""

    COUNTY = "county", "counties"
    TRACT = "tract", "census tracts"

    @property
    def digits(self) -> int:
        """The number of digits of a code."""
        return 5 if self is BoundaryKind.COUNTY else 11

    @property
    def digits_of_map(self) -> int:
        """The number of digits that the codes of one map share: of a state, or of a county."""
        return 2 if self is BoundaryKind.COUNTY else 5


class BoundaryFile(models.Model):
    """Boundaries of counties or census tracts, loaded for the maps of some years."""

    kind = models.CharField(max_length=6, choices=BoundaryKind.choices)
    first_year = models.PositiveSmallIntegerField("first data year")
    last_year = models.PositiveSmallIntegerField("last data year")
    states = models.JSONField(default=list, help_text="The states that it has, by their letters.")
    places = models.PositiveIntegerField(help_text="Number of counties or census tracts.")
    source = models.CharField(max_length=500, help_text="File name.")
    sha256 = models.CharField("SHA-256", max_length=64, help_text="Hash of the file as received.")
    folder = models.CharField(max_length=200, help_text="Folder in storage.")
    loaded_at = models.DateTimeField(default=timezone.now)
    loaded_by = models.CharField(max_length=255, blank=True)
    active = models.BooleanField(default=True, help_text="In use on maps, the newest file first.")

    class Meta:
        ordering = ["-loaded_at", "-id"]
        verbose_name = "boundary file"
        constraints = [
            models.CheckConstraint(
                condition=Q(kind__in=["county", "tract"]), name="boundary_file_is_of_a_kind"
            ),
            models.CheckConstraint(
                condition=Q(last_year__gte=models.F("first_year"))
                & Q(places__gt=0)
                & ~Q(folder=""),
                name="boundary_file_has_years_and_places",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} of {self.years}: {self.source}"

    @property
    def years(self) -> str:
        """Its data years in words."""
        if self.first_year == self.last_year:
            return str(self.first_year)
        return f"{self.first_year} to {self.last_year}"


class VersionState(models.TextChoices):
    """The states of a data set version."""

    ASKED = "asked", "requested"
    BUILT = "built", "built"
    UNCHANGED = "unchanged", "unchanged"
    REMOVED = "removed", "files removed"


class Dataset(models.TextChoices):
    """The data sets of a year, from the one that moves to the last one that is frozen."""

    DYNAMIC = "dynamic", "data set"
    SNAPSHOT = "snapshot", "snapshot"
    ONE_YEAR = "one-year", "one-year data set"
    THREE_YEAR = "three-year", "three-year data set"


_DATASET: dict[str, Any] = {
    "verbose_name": "data set",
    "max_length": 10,
    "choices": Dataset.choices,
    "default": Dataset.DYNAMIC,
    "db_default": Dataset.DYNAMIC,  # processes of an earlier version do not know the column
}


class Version(StaffAction):
    """A version of a data set of a year: requested, then built, and removed in the end.

    Versions are numbered within their year, whichever of its data sets they are of.
    """

    State: TypeAlias = VersionState

    year = models.PositiveSmallIntegerField()
    dataset = models.CharField(**_DATASET)
    frozen_on = models.DateField(
        "freeze day",
        null=True,
        blank=True,
        help_text="Of a vintage: what was signed later is not in it. Blank of a dynamic data set.",
    )
    number = models.PositiveIntegerField(help_text="Number of the build within its year.")
    state = models.CharField(max_length=9, choices=State.choices, default=State.ASKED)
    job = models.OneToOneField(Job, models.PROTECT, related_name="version")
    goes_live = models.BooleanField(
        "publish when built", default=True, help_text="Published as soon as it is built."
    )
    folder = models.CharField(max_length=200, blank=True, help_text="Folder in storage.")
    has_text_files = models.BooleanField(
        "text files stored",
        default=True,
        db_default=True,  # processes of an earlier version do not know the column
        help_text="Whether its compressed texts are stored. Else they are made again on request.",
    )
    rows = models.PositiveBigIntegerField("records", default=0)
    institutions = models.PositiveIntegerField(default=0)
    sha256 = models.CharField(
        "SHA-256", max_length=64, blank=True, help_text="Hash of its manifest."
    )
    manifest = models.JSONField(default=dict, blank=True)
    gathered_at = models.DateTimeField(
        "complete up to",
        null=True,
        blank=True,
        help_text="Everything signed or imported before this time is included.",
    )
    made_at = models.DateTimeField("built at", null=True, blank=True)
    is_demo = models.BooleanField(
        "made up", default=False, help_text="Some of its records are made up."
    )
    disagreements = models.TextField(
        "what does not add up",
        blank=True,
        default="",
        db_default="",  # processes of an earlier version do not know the column
        help_text="Of a vintage: each figure that disagrees, a line each.",
    )
    disagreements_reason = models.TextField(
        "why it may be published",
        blank=True,
        default="",
        db_default="",  # processes of an earlier version do not know the column
        help_text="The reason for which staff accept what does not add up.",
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
            models.CheckConstraint(
                condition=Q(dataset__in=list(Dataset)), name="data_set_of_version_is_known"
            ),
            models.CheckConstraint(
                condition=Q(dataset=Dataset.DYNAMIC, frozen_on=None)
                | (~Q(dataset=Dataset.DYNAMIC) & Q(frozen_on__isnull=False)),
                name="vintages_alone_have_a_freeze_day",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def name(self) -> str:
        """The name shown everywhere: the year, and its number within the year."""
        return f"{self.year}-{self.number}"

    @property
    def permanent_address(self) -> str:
        """The address that it keeps for good: its name and the beginning of its hash."""
        return name_permanent_address(self.name, self.sha256)

    @property
    def page_address(self) -> str:
        """The address of its page, which it keeps as well."""
        return name_page_address(self.name, self.sha256)

    @property
    def dataset_name(self) -> str:
        """Its data set as in a sentence: `2024 data set`, `2024 snapshot`."""
        return name_data_set(self.year, self.dataset)

    @property
    def is_vintage(self) -> bool:
        """Whether it is of a frozen data set."""
        return self.dataset != Dataset.DYNAMIC

    @property
    def standing(self) -> str:
        """Its state in words or, until it is built, that of its job."""
        is_over = self.state != VersionState.ASKED
        return self.get_state_display() if is_over else self.job.state_label


class FreezeDay(StaffAction):
    """The freeze day that staff set for a vintage of a year, in place of the usual one."""

    year = models.PositiveSmallIntegerField("data year")
    dataset = models.CharField(
        "vintage", max_length=10, choices=Dataset.choices[1:], default=Dataset.SNAPSHOT
    )
    frozen_on = models.DateField(
        "freeze day", help_text="What is signed after the end of this day is not in the vintage."
    )

    class Meta:
        ordering = ["-year", "dataset"]
        constraints = [
            models.UniqueConstraint(fields=["year", "dataset"], name="one_freeze_day_per_vintage"),
            models.CheckConstraint(
                condition=Q(dataset__in=list(Dataset)[1:]), name="freeze_day_is_of_a_vintage"
            ),
        ]

    def __str__(self) -> str:
        return f"{name_data_set(self.year, self.dataset)}: {self.frozen_on}"


def name_permanent_address(name: str, sha256: str) -> str:
    """Return the permanent address of a version. sha256: of its manifest."""
    return f"/v2/public/versions/{name}-{sha256[:12]}"


def name_page_address(name: str, sha256: str) -> str:
    """Return the address of the page of a version. sha256: of its manifest."""
    return reverse("data-version", args=[f"{name}-{sha256[:12]}"])


def name_data_set(year: int, dataset: str) -> str:
    """Return a data set as in a sentence: `2024 data set`, `2024 snapshot`."""
    return f"{year} {Dataset(dataset).label}"


class LiveVersion(models.Model):
    """The published version of a data set. Publishing and rolling back change only this row."""

    year = models.PositiveSmallIntegerField()
    dataset = models.CharField(**_DATASET)
    version = models.OneToOneField(Version, models.PROTECT, related_name="live")
    since = models.DateTimeField(default=timezone.now)
    by = models.CharField(max_length=255, blank=True, help_text="Blank for the service itself.")

    class Meta:
        ordering = ["year"]
        constraints = [
            models.UniqueConstraint(
                fields=["year", "dataset"], name="one_live_version_per_data_set"
            )
        ]

    def __str__(self) -> str:
        return f"{name_data_set(self.year, self.dataset)}: {self.version_id}"


class Publication(WrittenOnce, StaffAction):
    """An entry of the public history: what happened to a data set of a year. Never changed."""

    class What(models.TextChoices):
        PUBLISHED = "published", "published"
        ROLLED_BACK = "rolled back", "rolled back"
        WITHDRAWN = "withdrawn", "withdrawn"

    year = models.PositiveSmallIntegerField()
    version = models.ForeignKey(Version, models.PROTECT, related_name="publications")
    what = models.CharField("change", max_length=11, choices=What.choices)

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


class Change(models.Model):
    """An entry of the list of changes, which builds and staff write. Never deleted."""

    class Type(models.TextChoices):
        """In the order of the entries of one day."""

        ANNOUNCEMENT = "announcement", "announcement"
        RELEASE = "release", "release"
        UPDATE = "update", "update"
        CORRECTION = "correction", "correction"

    class Product(models.TextChoices):
        MODIFIED_LAR = "mlar", "Modified LAR"
        DATASETS = "datasets", "National Datasets"
        REPORTS = "reports", "Reports"
        DOCUMENTATION = "documentation", "documentation"
        TOOLS = "tools", "HMDA Tools"
        FILING = "filing", "HMDA Filing"

    date = models.DateField(help_text="The day under which it is listed.")
    type = models.CharField(max_length=12, choices=Type.choices)
    product = models.CharField(max_length=13, choices=Product.choices)
    title = models.CharField(max_length=200)
    slug = models.CharField(max_length=250, unique=True, editable=False)
    description = models.TextField(blank=True, help_text="As Markdown, without HTML and pictures.")
    href = models.CharField(
        "address", max_length=500, blank=True, help_text="Where to read on: https://… or /…"
    )
    wrong_version = models.ForeignKey(
        Version,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="Of a correction: the version of a data set that was wrong.",
    )
    right_version = models.ForeignKey(
        Version,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="Of a correction: the version in its place.",
    )
    wrong_report = models.CharField(
        max_length=200, blank=True, help_text="Of a correction: the report that was wrong."
    )
    publication = models.OneToOneField(
        Publication, models.PROTECT, null=True, editable=False, related_name="change"
    )
    written_at = models.DateTimeField(default=timezone.now, editable=False)
    amended_at = models.DateTimeField(null=True, editable=False)

    class Meta:
        ordering = ["-date", "-id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(wrong_version=None) | Q(type="correction"),
                name="only_a_correction_has_a_wrong_version",
            ),
        ]

    def __str__(self) -> str:
        return self.title


class VersionComparison(models.Model):
    """How the records of two versions of a year differ: made by a job once, and kept."""

    before = models.ForeignKey(Version, models.PROTECT, related_name="+")
    after = models.ForeignKey(Version, models.PROTECT, related_name="+")
    job = models.OneToOneField(Job, models.PROTECT, related_name="version_comparison")
    institutions = models.BinaryField(
        default=bytes,
        help_text="An Arrow table of the institutions whose records differ, once it is done.",
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["before", "after"], name="one_comparison_of_two_versions"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.before_id} and {self.after_id}"


class VersionReports(models.Model):
    """The yearly reports of a version of a vintage: counted by a job once, and kept."""

    version = models.OneToOneField(Version, models.PROTECT, related_name="reports")
    job = models.OneToOneField(Job, models.PROTECT, related_name="version_reports")
    file = models.CharField(
        max_length=250, blank=True, help_text="File in storage, in the folder of the version."
    )
    sha256 = models.CharField("SHA-256", max_length=64, blank=True, help_text="Hash of the file.")
    made_at = models.DateTimeField(
        "counted at", null=True, blank=True, help_text="The date of the reports."
    )

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(made_at=None) | (~Q(file="") & ~Q(sha256="")),
                name="made_reports_have_file_and_hash",
            ),
        ]

    def __str__(self) -> str:
        return f"reports of {self.version_id}"
