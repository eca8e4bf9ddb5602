"""Institutions, filing periods, and the filing of each institution in each period."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from typing import Any, Self

from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import Q
from django.utils import timezone

from filing.errors import BadInput
from filing.lar import years
from filing.lar.fields import AGENCIES
from filing.lar.years import describe_missing_rules
from filing.models.extensions import OwnDays, known_extensions
from filing.statuses import FilingStatus


class Institution(models.Model):
    """The panel record of one institution for one activity year."""

    activity_year = models.PositiveSmallIntegerField(
        help_text="The data year of this panel record."
    )
    lei = models.CharField("LEI", max_length=20, help_text="Legal Entity Identifier, as in tokens.")
    name = models.CharField(max_length=200)
    tax_id = models.CharField(
        "TIN",
        max_length=15,
        blank=True,
        help_text="Federal Taxpayer Identification Number, as 99-9999999.",
    )
    agency = models.SmallIntegerField(
        choices=list(AGENCIES.items()), help_text="The federal agency on the transmittal sheet."
    )
    email_domains = models.JSONField(
        default=list, blank=True, help_text="Email domains whose users belong to the institution."
    )
    quarterly_filer = models.BooleanField(
        default=False, help_text="Files Q1 to Q3 besides the annual file."
    )
    is_test = models.BooleanField(
        "test institution",
        default=False,
        db_default=False,  # processes of an earlier version do not know the column
        help_text="Tries the service out: what it files is not published, and no list of filers "
        "has it. Data set versions that were published with its records stay public until the year "
        "is built again or they are withdrawn.",
    )
    institution_type = models.CharField(max_length=60, blank=True)
    institution_id_2017 = models.CharField("2017 ID", max_length=40, blank=True)
    rssd = models.BigIntegerField("RSSD", default=0)
    city = models.CharField(max_length=80, blank=True)
    state = models.CharField(max_length=2, blank=True)
    assets = models.BigIntegerField(default=0, help_text="In thousands of dollars.")
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


class _PeriodsWithRules(models.QuerySet["FilingPeriod"]):
    """Filing periods, of which none is added without rules."""

    def bulk_create(self, objs: Iterable[FilingPeriod], *args: Any, **options: Any) -> Any:
        """Add periods. Raises: BadInput for one whose files cannot be checked."""
        periods = list(objs)
        for filing_period in periods:
            filing_period.require_rules()
        return super().bulk_create(periods, *args, **options)


class FilingPeriod(models.Model):
    """The days on which data of a year, or of one of its quarters, can be filed.

    Only periods whose files can be checked are added. The database cannot say so in a constraint:
    the years are rows of their own, and rows that an earlier release accepted must stay readable.
    """

    QUARTERS = [("", "annual"), ("Q1", "Q1"), ("Q2", "Q2"), ("Q3", "Q3")]

    year = models.PositiveSmallIntegerField(help_text="The data year.")
    quarter = models.CharField(max_length=2, blank=True, choices=QUARTERS, default="")
    opens = models.DateField(help_text="First day on which files are accepted.")
    timely_until = models.DateField(
        "filing deadline",
        help_text=(
            "Last day on which a filing is timely: March 1 after the data year, or 60 calendar "
            "days after a quarter ends; the next Monday if that is a Saturday or Sunday "
            "(12 CFR 1003.5(a)(1))."
        ),
    )
    closes = models.DateField(help_text="Last day on which files, also late ones, are accepted.")

    # Of a period as one institution has it, see `of_institution`.
    extension: OwnDays | None = None

    objects = _PeriodsWithRules.as_manager()

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

    def save(self, *args: Any, **options: Any) -> None:
        """Save the period. Raises: BadInput for a new one whose files cannot be checked."""
        assert self.extension is None, "The days of one institution are not those of the period."
        if self._state.adding:
            self.require_rules()
        super().save(*args, **options)

    def require_rules(self) -> None:
        """Raise BadInput if files of the period cannot be checked."""
        if reason := describe_missing_rules(self.period):
            raise BadInput(reason)

    @property
    def period(self) -> years.Period:
        return years.Period.of(self.year, self.quarter)

    def of_institution(self, lei: str) -> Self:
        """Return the period with the days that it has for an institution.

        This one function decides them: everyone's days, or later ones by an extension, which the
        returned period names. An extension is not shorter than the period itself, whose days staff
        may move later.
        """
        own = known_extensions().get((lei, self.year, self.quarter))
        if own is None or self.extension is not None:
            return self
        period = copy(self)
        period.extension = own
        period.timely_until = max(self.timely_until, own.timely_until)
        period.closes = max(self.closes, own.closes)
        return period


class Filing(models.Model):
    """The filing of one institution for one period, with any number of submissions."""

    institution = models.ForeignKey(Institution, models.PROTECT, related_name="filings")
    period = models.ForeignKey(FilingPeriod, models.PROTECT, related_name="filings")
    status = models.SmallIntegerField(
        choices=[(status.value, status.label) for status in FilingStatus],
        default=FilingStatus.NOT_STARTED,
    )
    required = models.BooleanField(default=True)
    started_at = models.DateTimeField(default=timezone.now)
    opening = models.ForeignKey(
        "filing.SeasonOpening",
        models.PROTECT,
        null=True,
        blank=True,
        editable=False,
        related_name="filings",
        help_text="The season opening that created it. Blank: a filer or staff did.",
    )
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

    @property
    def window(self) -> FilingPeriod:
        """The filing period with the days that it has for this institution."""
        return self.period.of_institution(self.institution.lei)

    def clean(self) -> None:
        """Refuse, in forms, a new filing in a period whose files cannot be checked."""
        if (
            self._state.adding
            and self.period_id
            and (reason := describe_missing_rules(self.period.period))
        ):
            raise ValidationError({"period": reason})
