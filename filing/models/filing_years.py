"""Filing years: the rules and reference data that each runs, and how far it is opened."""

from __future__ import annotations

import logging
import time
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from django.core.exceptions import SynchronousOnlyOperation
from django.db import DatabaseError, connection, models
from django.db.models import Q
from django.db.models.signals import post_delete, post_save
from django.utils import timezone

from filing.lar.years import RELEASED, RULEBOOKS, EditWithdrawal, FilingYears, YearRules, YearStage
from filing.reference.kinds import CENSUS, COUNTY_LIMITS, MSA_MD_NAMES

log = logging.getLogger(__name__)

REFRESH_SECONDS = 2.0  # after which a process reads the years again
# The columns with the year whose data stand in, by kind of reference data.
STAND_INS = {"census_year": CENSUS, "limits_year": COUNTY_LIMITS, "names_year": MSA_MD_NAMES}
# The years whose rules differ from those of the year before, with the Federal Register's amounts.
# Assets in millions of dollars: comment 2(g)-2 of 12 CFR part 1003. Loans in each of the two years
# before: 12 CFR 1003.2(g)(1)(v) and (2)(ii). Records for quarterly reporting: 1003.5(a)(1)(ii).
_ASSETS = {2018: 45, 2019: 46, 2020: 47, 2021: 48, 2022: 50, 2023: 54, 2024: 56, 2025: 58, 2026: 59}
_CLOSED_END = {2018: 25, 2021: 100, 2023: 25}
_OPEN_END = {2018: 500, 2022: 200}
_QUARTERLY = {2020: 60_000}


class FilingYear(models.Model):
    """One data year: which rules its files are checked with, and who may use it."""

    year = models.PositiveSmallIntegerField("data year", primary_key=True)
    rulebook = models.PositiveSmallIntegerField(
        help_text="The released rules that are run. Those of another year are provisional."
    )
    stage = models.PositiveSmallIntegerField(
        choices=[(stage.value, stage.label) for stage in YearStage], default=YearStage.DRAFT
    )
    census_year = models.PositiveSmallIntegerField(
        "census that stands in",
        null=True,
        blank=True,
        help_text="The year whose census is used while this year has none of its own.",
    )
    limits_year = models.PositiveSmallIntegerField(
        "loan limits that stand in",
        null=True,
        blank=True,
        help_text="The year whose county loan limits are used while this year has none of its own.",
    )
    names_year = models.PositiveSmallIntegerField(
        "MSA/MD names that stand in",
        null=True,
        blank=True,
        help_text="The year whose MSA/MD names are used while this year has none of its own.",
    )
    asset_threshold = models.PositiveBigIntegerField(
        null=True,
        blank=True,
        help_text="Assets, in dollars, up to which banks, savings associations and credit unions "
        "are exempt (12 CFR 1003.2(g)(1)(i)).",
    )
    closed_end_threshold = models.PositiveIntegerField(
        null=True,
        blank=True,
        help_text="Closed-end mortgage loans in each of the two years before, from which an "
        "institution reports (12 CFR 1003.2(g)(1)(v)(A)).",
    )
    open_end_threshold = models.PositiveIntegerField(
        null=True,
        blank=True,
        help_text="Open-end lines of credit in each of the two years before, from which an "
        "institution reports (12 CFR 1003.2(g)(1)(v)(B)).",
    )
    quarterly_threshold = models.PositiveIntegerField(
        null=True,
        blank=True,
        help_text="Records of the year before, without purchases, from which an institution "
        "reports quarterly (12 CFR 1003.5(a)(1)(ii)).",
    )
    signing_waits_for_census = models.BooleanField(
        default=True, help_text="Without a census, files are checked but cannot be signed."
    )
    signing_waits_for_panel = models.BooleanField(
        default=False,
        help_text="While an institution is not in the panel, its files cannot be signed.",
    )
    prepared_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ["-year"]
        constraints = [
            models.CheckConstraint(
                condition=Q(year__gte=RULEBOOKS[0]) & Q(rulebook__gte=RULEBOOKS[0]),
                name="filing_year_is_not_before_the_first_rulebook",
            ),
            models.CheckConstraint(
                condition=Q(rulebook__lte=models.F("year")),
                name="filing_year_runs_no_rules_of_a_later_year",
            ),
            models.CheckConstraint(
                condition=Q(stage__in=[stage.value for stage in YearStage]),
                name="filing_year_stage_is_known",
            ),
        ]

    def __str__(self) -> str:
        return str(self.year)

    @property
    def stand_ins(self) -> dict[str, int]:
        """The year whose file stands in, by kind of reference data."""
        each = {kind: getattr(self, name) for name, kind in STAND_INS.items()}
        return {kind: year for kind, year in each.items() if year is not None}

    def rules(self, withdrawals: Iterable[WithdrawnEdit] = ()) -> YearRules:
        """Return the rules of the year, as code without a database reads them."""
        waits = {
            "census": self.signing_waits_for_census,
            "institution": self.signing_waits_for_panel,
        }
        return YearRules(
            year=self.year,
            rulebook=self.rulebook,
            stage=YearStage(self.stage),
            stand_ins=self.stand_ins,
            withdrawals={each.code: each.withdrawal for each in withdrawals},
            signing_waits_for=frozenset(need for need, waiting in waits.items() if waiting),
        )


class WithdrawnEdit(models.Model):
    """An edit that staff found wrong: for its year it is not run from a day on, until put back."""

    filing_year = models.ForeignKey(FilingYear, models.PROTECT, related_name="withdrawals")
    code = models.CharField(max_length=12)
    since = models.DateField(help_text="The first day, in Eastern time, on which it is not run.")
    reason = models.CharField(max_length=150, help_text="Filers read it beside the results.")
    withdrawn_at = models.DateTimeField(default=timezone.now, editable=False)
    withdrawn_by = models.CharField(max_length=255, editable=False)
    put_back_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["filing_year", "code"],
                condition=Q(put_back_at=None),
                name="one_standing_withdrawal_per_year_and_edit",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.code} of {self.filing_year_id}"

    @property
    def withdrawal(self) -> EditWithdrawal:
        return EditWithdrawal(code=self.code, since=self.since, reason=self.reason)


def seed_years(**_: Any) -> None:
    """Add the released years and, for checks alone, the next one, where there are none yet."""
    if not FilingYear.objects.exists():
        FilingYear.objects.bulk_create(released_years())


def released_years() -> list[FilingYear]:
    """Return the years of a new service: those released and, for checks alone, the next one."""
    last = RULEBOOKS[-1]
    years = [_released(year, YearStage.FILING) for year in RULEBOOKS]
    following = _released(last, YearStage.CHECKS)
    following.year, following.asset_threshold = last + 1, None
    stand_in = years[-1].census_year or last
    following.census_year = following.limits_year = following.names_year = stand_in
    return [*years, following]


def _released(year: int, stage: YearStage) -> FilingYear:
    # The bureau published no reference data of 2026 before its files could be checked.
    stand_in = {2026: 2025}.get(year)
    return FilingYear(
        year=year,
        rulebook=year,
        stage=stage,
        census_year=stand_in,
        limits_year=stand_in,
        names_year=stand_in,
        asset_threshold=_ASSETS[year] * 1_000_000 if year in _ASSETS else None,
        closed_end_threshold=_value_in(_CLOSED_END, year),
        open_end_threshold=_value_in(_OPEN_END, year),
        quarterly_threshold=_value_in(_QUARTERLY, year),
    )


def _value_in(changes: dict[int, int], year: int) -> int | None:
    """Return the value of the last change up to a year."""
    return next((changes[each] for each in sorted(changes, reverse=True) if each <= year), None)


class _Years:
    """The filing years as this process last read them."""

    def __init__(self) -> None:
        self.years: FilingYears | None = None
        self.read_at = 0.0

    def read(self) -> FilingYears:
        """Return the years, read at most `REFRESH_SECONDS` ago; while there is no database, the
        last ones that were read, or the released ones.
        """
        now = time.monotonic()
        if self.years is None or now - self.read_at > REFRESH_SECONDS:
            if not has_database():
                return self.years or RELEASED
            try:
                self.years, self.read_at = read_years() or RELEASED, now
            except (DatabaseError, SynchronousOnlyOperation) as error:
                log.debug("The filing years could not be read: %s", error)
                return self.years or RELEASED
        return self.years


_known = _Years()


def has_database() -> bool:
    """Return whether there is a database, without letting SQLite create one."""
    return connection.vendor != "sqlite" or Path(connection.settings_dict["NAME"]).exists()


def read_years() -> FilingYears:
    """Return every prepared year from the database, ascending."""
    standing: dict[int, list[WithdrawnEdit]] = defaultdict(list)
    for withdrawn in WithdrawnEdit.objects.filter(put_back_at=None):
        standing[withdrawn.filing_year_id].append(withdrawn)
    rows = FilingYear.objects.order_by("year")
    return {row.year: row.rules(standing[row.year]) for row in rows}


def known_years() -> FilingYears:
    """Return every prepared year, ascending; what another process changed, after two seconds."""
    return _known.read()


def forget_years(**_: Any) -> None:
    """Read the years again at the next question."""
    _known.years = None


def remember_years(years: FilingYears) -> None:
    """Answer with these years until the next reading."""
    _known.years, _known.read_at = years, time.monotonic()


for _model in (FilingYear, WithdrawnEdit):
    post_save.connect(forget_years, sender=_model, dispatch_uid=f"years-{_model.__name__}")
    post_delete.connect(forget_years, sender=_model, dispatch_uid=f"years-{_model.__name__}")


class ReferenceData(models.Model):
    """A loaded file of reference data of one year: its source, size and date."""

    KINDS = [
        ("census", "census"),
        ("county-limits", "county loan limits"),
        ("msa-md-names", "MSA/MD names"),
    ]

    kind = models.CharField(max_length=20, choices=KINDS)
    year = models.PositiveSmallIntegerField()
    source = models.CharField(max_length=500, help_text="File name or address it came from.")
    rows = models.PositiveIntegerField()
    sha256 = models.CharField("SHA-256", max_length=64)
    path = models.CharField(max_length=200, help_text="Where the data is in storage.")
    loaded_at = models.DateTimeField(default=timezone.now)
    loaded_by = models.CharField(max_length=255, blank=True)
    active = models.BooleanField(default=True, help_text="In use by the edits.")

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
