"""What is kept in the database: institutions, periods, filings, submissions, jobs and the trail.

The rows of a filing are not in it: the raw file is the record of what was filed, and lies in
storage with its line offsets and the row numbers of its findings (`filing.storage`).
"""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils import timezone

from filing.edits.edit import Kind
from filing.lar import period as periods
from filing.lar.fields import AGENCIES
from filing.statuses import FilingStatus, Status


class Institution(models.Model):
    """What the panel says of one institution for one activity year."""

    activity_year = models.PositiveSmallIntegerField(help_text="The data year of this panel row.")
    lei = models.CharField("LEI", max_length=20, help_text="Legal Entity Identifier, as in tokens.")
    name = models.CharField(max_length=200)
    tax_id = models.CharField(
        "tax id", max_length=15, blank=True, help_text="Federal tax id, as 99-9999999."
    )
    agency = models.SmallIntegerField(
        choices=list(AGENCIES.items()), help_text="The federal agency on the transmittal sheet."
    )
    email_domains = models.JSONField(
        default=list, blank=True, help_text="Mail domains whose users belong to the institution."
    )
    quarterly_filer = models.BooleanField(
        default=False, help_text="Files Q1 to Q3 besides the annual file."
    )
    institution_type = models.CharField(max_length=60, blank=True)
    institution_id_2017 = models.CharField("2017 id", max_length=40, blank=True)
    rssd = models.BigIntegerField("RSSD", default=0)
    city = models.CharField(max_length=80, blank=True)
    state = models.CharField(max_length=2, blank=True)
    assets = models.BigIntegerField(default=0, help_text="Thousands of dollars.")
    other_lender_code = models.SmallIntegerField(default=0)
    parent_rssd = models.BigIntegerField("parent RSSD", default=0)
    parent_name = models.CharField(max_length=200, blank=True)
    top_holder_rssd = models.BigIntegerField("top holder RSSD", default=0)
    top_holder_name = models.CharField(max_length=200, blank=True)
    hmda_filer = models.BooleanField(
        default=False, help_text="Set when the annual filing of this year is signed."
    )
    quarterly_filer_has_filed_q1 = models.BooleanField(default=False)
    quarterly_filer_has_filed_q2 = models.BooleanField(default=False)
    quarterly_filer_has_filed_q3 = models.BooleanField(default=False)
    notes = models.TextField(blank=True)

    class Meta:
        ordering = ["-activity_year", "name"]
        constraints = [
            models.UniqueConstraint(
                fields=["lei", "activity_year"], name="one_institution_per_lei_and_year"
            ),
            models.CheckConstraint(condition=~Q(lei=""), name="institution_has_a_lei"),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.lei}, {self.activity_year})"


class FilingPeriod(models.Model):
    """When data of a year, or of one of its quarters, can be filed."""

    QUARTERS = [("", "annual"), ("Q1", "Q1"), ("Q2", "Q2"), ("Q3", "Q3")]

    year = models.PositiveSmallIntegerField(help_text="The data year.")
    quarter = models.CharField(max_length=2, blank=True, choices=QUARTERS, default="")
    opens = models.DateField(help_text="First day on which filings are taken.")
    timely_until = models.DateField(help_text="Last day on which a filing is timely.")
    closes = models.DateField(help_text="Last day on which (late) filings are taken.")

    class Meta:
        ordering = ["-year", "quarter"]
        constraints = [
            models.UniqueConstraint(fields=["year", "quarter"], name="one_row_per_filing_period"),
            models.CheckConstraint(
                condition=Q(opens__lte=models.F("timely_until"))
                & Q(timely_until__lte=models.F("closes")),
                name="filing_period_opens_before_it_closes",
            ),
            models.CheckConstraint(
                condition=Q(quarter__in=["", "Q1", "Q2", "Q3"]),
                name="filing_period_quarter_is_known",
            ),
        ]

    def __str__(self) -> str:
        return str(self.period)

    @property
    def period(self) -> periods.Period:
        return periods.Period(self.year, int(self.quarter[1]) if self.quarter else None)


class Filing(models.Model):
    """What one institution owes for one period: one of it, with any number of submissions."""

    institution = models.ForeignKey(Institution, models.PROTECT, related_name="filings")
    period = models.ForeignKey(FilingPeriod, models.PROTECT, related_name="filings")
    status = models.SmallIntegerField(
        choices=[(status.value, status.message) for status in FilingStatus],
        default=FilingStatus.NOT_STARTED,
    )
    required = models.BooleanField(default=True)
    started_at = models.DateTimeField(default=timezone.now)
    completed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-period__year", "period__quarter", "institution__name"]
        constraints = [
            models.UniqueConstraint(
                fields=["institution", "period"], name="one_filing_per_institution_and_period"
            ),
            models.CheckConstraint(
                condition=Q(status__in=[status.value for status in FilingStatus]),
                name="filing_status_is_known",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.institution.lei}-{self.period}"


class Submission(models.Model):
    """One upload of a filing, from its creation to its signature."""

    filing = models.ForeignKey(Filing, models.PROTECT, related_name="submissions")
    sequence_number = models.PositiveIntegerField()
    status = models.SmallIntegerField(
        choices=[(status.value, f"{status.value} {status.message}") for status in Status],
        default=Status.CREATED,
        db_index=True,
    )
    created_at = models.DateTimeField(default=timezone.now)
    changed_at = models.DateTimeField(default=timezone.now, help_text="When the status last moved.")
    file_name = models.CharField(max_length=255, blank=True, help_text="As the uploader named it.")
    size = models.BigIntegerField(default=0, help_text="Bytes of the file.")
    sha256 = models.CharField("SHA-256", max_length=64, blank=True, db_index=True)
    uploaded_at = models.DateTimeField(null=True, blank=True)
    lines = models.PositiveBigIntegerField(default=0, help_text="With the transmittal sheet.")
    transmittal_sheet = models.JSONField(null=True, blank=True)
    format_errors = models.PositiveBigIntegerField(default=0, help_text="Lines that do not parse.")
    quality_exists = models.BooleanField(default=False)
    macro_exists = models.BooleanField(default=False)
    quality_verified = models.BooleanField(default=False)
    macro_verified = models.BooleanField(default=False)
    raw_file = models.CharField(max_length=200, blank=True, help_text="The file, in storage.")
    parse_folder = models.CharField(max_length=200, blank=True, help_text="What parsing made.")
    edits_folder = models.CharField(max_length=200, blank=True, help_text="What the edits made.")
    failure = models.TextField(blank=True, help_text="Why the submission failed, for people.")

    class Meta:
        ordering = ["-created_at", "-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["filing", "sequence_number"], name="one_submission_per_sequence_number"
            ),
            models.CheckConstraint(
                condition=Q(sequence_number__gte=1), name="sequence_numbers_begin_at_one"
            ),
            models.CheckConstraint(
                condition=Q(status__in=[status.value for status in Status]),
                name="submission_status_is_known",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.filing}-{self.sequence_number}"

    @property
    def lei(self) -> str:
        return self.filing.institution.lei

    @property
    def period(self) -> periods.Period:
        return self.filing.period.period


class Signature(models.Model):
    """Who signed a submission, when, and the receipt. Written once, never changed."""

    submission = models.OneToOneField(Submission, models.PROTECT, related_name="signature")
    receipt = models.CharField(max_length=80, unique=True)
    signed_at = models.DateTimeField()
    signer_id = models.CharField(max_length=255, help_text="The subject of the signer's token.")
    signer_username = models.CharField(max_length=255, blank=True)
    signer_email = models.CharField(max_length=254, blank=True)
    sha256 = models.CharField("SHA-256", max_length=64, help_text="Of the file that was signed.")

    def __str__(self) -> str:
        return self.receipt


class EditResult(models.Model):
    """What one edit found in a submission: how many rows, and where their numbers lie."""

    KINDS = [(kind.value, kind.value) for kind in Kind]

    submission = models.ForeignKey(Submission, models.CASCADE, related_name="edit_results")
    code = models.CharField(max_length=12)
    kind = models.CharField(max_length=11, choices=KINDS)
    level = models.CharField(max_length=4, help_text="ts, lar or file")
    total = models.PositiveBigIntegerField(help_text="Rows that fail (1 for a whole-file edit).")
    position = models.PositiveBigIntegerField(
        default=0, help_text="Index of the first row number in the findings file."
    )
    listed = models.PositiveBigIntegerField(
        default=0, help_text="How many row numbers the findings file holds for it."
    )
    figures = models.JSONField(default=dict, help_text="What a whole-file edit counted.")
    not_run = models.CharField(
        max_length=200, blank=True, help_text="Why the edit could not be run, if it could not."
    )

    class Meta:
        ordering = ["code", "level"]
        constraints = [
            models.UniqueConstraint(
                fields=["submission", "level", "code"], name="one_result_per_edit"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.code}: {self.total}"


class StatusChange(models.Model):
    """One move of a submission: from where, to where, by whom, when and why. Never changed."""

    submission = models.ForeignKey(Submission, models.CASCADE, related_name="changes")
    before = models.SmallIntegerField(null=True)
    after = models.SmallIntegerField()
    event = models.CharField(max_length=50)
    at = models.DateTimeField(default=timezone.now)
    actor_id = models.CharField(max_length=255, blank=True, help_text="Blank: the service itself.")
    actor_username = models.CharField(max_length=255, blank=True)
    actor_email = models.CharField(max_length=254, blank=True)
    reason = models.TextField(blank=True)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.before} to {self.after} ({self.event})"


class Job(models.Model):
    """One stage of a submission that somebody works on, or will. The queue only rings a bell.

    A worker owns a running job until its lease ends, and renews the lease while it works. Whoever
    finds the lease over may take the job; the former owner then can no longer write anything.
    """

    STAGES = [("upload", "upload"), ("parse", "parse"), ("edits", "edits")]
    STATES = [("queued", "queued"), ("running", "running"), ("done", "done"), ("failed", "failed")]

    submission = models.ForeignKey(Submission, models.CASCADE, related_name="jobs")
    stage = models.CharField(max_length=10, choices=STAGES)
    state = models.CharField(max_length=8, choices=STATES, default="queued")
    large = models.BooleanField(default=False, help_text="Goes to the queue of large files.")
    owner = models.CharField(max_length=80, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    heartbeat = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    not_before = models.DateTimeField(default=timezone.now)
    queued_at = models.DateTimeField(default=timezone.now)
    rung_at = models.DateTimeField(default=timezone.now, help_text="When the bell last rang.")
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    rows_done = models.PositiveBigIntegerField(default=0)
    rows_total = models.PositiveBigIntegerField(default=0)
    last_error = models.TextField(blank=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["submission", "stage"], name="one_job_per_stage"),
            models.CheckConstraint(
                condition=~Q(state="running") | (~Q(owner="") & Q(lease_until__isnull=False)),
                name="running_job_has_owner_and_lease",
            ),
        ]
        indexes = [models.Index(fields=["state", "lease_until"], name="job_state_lease")]

    def __str__(self) -> str:
        return f"{self.stage} of {self.submission_id}: {self.state}"


class ReferenceData(models.Model):
    """A yearly file of public facts that was loaded: what, from where, how much and when."""

    KINDS = [("census", "census"), ("county-limits", "county loan limits")]

    kind = models.CharField(max_length=20, choices=KINDS)
    year = models.PositiveSmallIntegerField()
    source = models.CharField(max_length=500, help_text="File name or address it came from.")
    rows = models.PositiveIntegerField()
    sha256 = models.CharField("SHA-256", max_length=64)
    path = models.CharField(max_length=200, help_text="Where the facts lie in storage.")
    loaded_at = models.DateTimeField(default=timezone.now)
    loaded_by = models.CharField(max_length=255, blank=True)
    active = models.BooleanField(default=True, help_text="The one that the edits look up.")

    class Meta:
        ordering = ["-loaded_at", "-id"]
        verbose_name_plural = "reference data"
        constraints = [
            models.UniqueConstraint(
                fields=["kind", "year"],
                condition=Q(active=True),
                name="one_active_file_per_kind_and_year",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.year} ({self.rows} rows)"


class Membership(models.Model):
    """That a user of the embedded identity provider acts for an institution."""

    user = models.ForeignKey("auth.User", models.CASCADE, related_name="memberships")
    lei = models.CharField("LEI", max_length=20)
    added_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["lei"]
        constraints = [
            models.UniqueConstraint(fields=["user", "lei"], name="one_membership_per_user_and_lei"),
        ]

    def __str__(self) -> str:
        return f"{self.user} for {self.lei}"
