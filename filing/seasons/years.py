"""Filing years: prepare the next one, open it step by step, and change the rules that it runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from filing import audit
from filing.access import Caller
from filing.audit.value_changes import describe_change
from filing.day_hours import day_with_weekday
from filing.errors import AlreadyExists, BadInput, NotReady
from filing.lar.years import RULEBOOKS, Period, YearStage, is_supported
from filing.models import (
    AuditEvent,
    Filing,
    FilingPeriod,
    FilingYear,
    Institution,
    ReferenceData,
    Submission,
)
from filing.models.filing_years import STAND_INS
from filing.reference.kinds import REFERENCE_KINDS
from filing.reference_data import registry
from filing.seasons.windows import Deadline, usual_windows
from filing.statuses import Status
from filing.submissions import rules_run

LONGEST_REASON = 2000
LAST_YEAR = 9999  # that a date can have
# What a new year takes over from the year before, and staff may change.
SETTINGS = (
    "census_year",
    "limits_year",
    "names_year",
    "asset_threshold",
    "closed_end_threshold",
    "open_end_threshold",
    "quarterly_threshold",
    "signing_waits_for_census",
    "signing_waits_for_panel",
)
_LABELS = {
    "closed_end_threshold": "closed-end threshold",
    "open_end_threshold": "open-end threshold",
}


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting of a year in words, beside that of the year before."""

    name: str
    label: str
    before: str
    value: str

    @property
    def differs(self) -> bool:
        return self.before != self.value

    def __str__(self) -> str:
        return f"{self.label}: {self.value}" + (f" (before: {self.before})" * self.differs)


def draft_year(year: int) -> FilingYear:
    """Return a year, not saved, as a copy of the year before.

    It runs its own rules if this release has them, otherwise those of the year before.

    Raises: BadInput unless the year before is prepared; AlreadyExists.
    """
    if not RULEBOOKS[0] <= year <= LAST_YEAR:
        raise BadInput(f"{year} is no data year. Prepare {next_year()} next.")
    prepared = FilingYear.objects.in_bulk([year - 1, year])
    if year in prepared:
        raise AlreadyExists(f"The year {year} is prepared already.")
    before = prepared.get(year - 1)
    if before is None:
        raise BadInput(
            f"The year {year} cannot be prepared: {year - 1} is not. Prepare {next_year()} next."
        )
    copied = {name: getattr(before, name) for name in SETTINGS}
    own = ReferenceData.objects.filter(year=before.year, active=True).values_list("kind", flat=True)
    copied |= {name: before.year for name, kind in STAND_INS.items() if kind in set(own)}
    rulebook = year if year in RULEBOOKS else before.rulebook
    return FilingYear(year=year, rulebook=rulebook, stage=YearStage.DRAFT, **copied)


def next_year() -> int:
    """Return the only year that can be prepared next: the one after the last."""
    last = FilingYear.objects.first()
    return last.year + 1 if last else RULEBOOKS[0]


def prepare_year(
    year: int, *, by: Caller, reason: str, changes: Mapping[str, Any] | None = None
) -> FilingYear:
    """Add a year in stage draft as a copy of the year before. changes: settings that differ.

    Raises: what `draft_year` raises; BadInput without a reason, or for data of a later year.
    """
    require_reason(reason)
    drafted = draft_year(year)
    for name, value in (changes or {}).items():
        setattr(drafted, name, value)
    require_stand_ins(drafted)
    try:
        with transaction.atomic():
            drafted.save(force_insert=True)
            settings = "\n".join(map(str, compare_settings(drafted)))
            record_change(AuditEvent.YEAR_PREPARED, drafted, by, reason, settings)
    except IntegrityError as error:
        raise AlreadyExists(f"The year {year} is prepared already.") from error
    return drafted


def compare_settings(filing_year: FilingYear) -> list[Setting]:
    """Return the rulebook and each setting of a year, beside those of the year before."""
    before = FilingYear.objects.filter(pk=filing_year.year - 1).first()
    return [
        Setting(
            name=name,
            label=setting_label(name),
            before=setting_in_words(before, name) if before else "none",
            value=setting_in_words(filing_year, name),
        )
        for name in ("rulebook", *SETTINGS)
    ]


def setting_label(name: str) -> str:
    """Return the name of a setting as people read it, in lower case."""
    field: Any = FilingYear._meta.get_field(name)
    return _LABELS.get(name) or str(field.verbose_name)


def setting_in_words(filing_year: FilingYear, name: str) -> str:
    """Return a setting as people read it, such as `$59,000,000`, `yes` or `none`."""
    value = getattr(filing_year, name)
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if name.endswith("_threshold"):
        return f"${value:,}" if name == "asset_threshold" else f"{value:,}"
    return str(value)


def describe_deadlines(year: int) -> list[str]:
    """Return the computed filing deadline of each period of a year, one a line."""
    periods = (Period.of(year, quarter) for quarter in usual_windows(year))
    return [f"{period}: {day_with_weekday(Deadline(period).day)}" for period in periods]


def missing_data(filing_year: FilingYear) -> list[str]:
    """Return what files of a year need and it does not have yet."""
    year = filing_year.year
    kinds = [kind for kind in REFERENCE_KINDS.values() if not kind.is_optional]
    missing = [kind.label for kind in kinds if registry.find_active_file(kind.name, year) is None]
    if not Institution.objects.filter(activity_year=year).exists():
        missing.append("panel of institutions")
    missing += [
        setting_label(name)
        for name in SETTINGS
        if name.endswith("_threshold") and getattr(filing_year, name) is None
    ]
    return missing


def wrong_stand_ins(year: int, settings: Mapping[str, Any]) -> dict[str, str]:
    """Return why data cannot stand in for a year, by setting: only those of an earlier year can."""
    return {
        name: f"{value} cannot stand in for {year}. Enter a year from {RULEBOOKS[0]} to {year - 1}."
        for name in STAND_INS
        if (value := settings.get(name)) is not None and not RULEBOOKS[0] <= value < year
    }


def require_stand_ins(filing_year: FilingYear) -> None:
    """Raise BadInput where data of the year itself, or of a later one, would stand in."""
    settings = {name: getattr(filing_year, name) for name in STAND_INS}
    for text in wrong_stand_ins(filing_year.year, settings).values():
        raise BadInput(text)


def change_settings(
    filing_year: FilingYear, names: Sequence[str], *, by: Caller, reason: str
) -> None:
    """Save these settings of a year, with an entry of the audit log.

    Raises: BadInput without a reason, or where data of a later year would stand in.
    """
    require_reason(reason)
    require_stand_ins(filing_year)
    with transaction.atomic():
        before = lock_year(filing_year)
        changes = [
            describe_change(
                setting_label(name),
                setting_in_words(before, name),
                setting_in_words(filing_year, name),
            )
            for name in names
            if getattr(before, name) != getattr(filing_year, name)
        ]
        if changes:
            filing_year.save(update_fields=list(names))
            record_change(AuditEvent.YEAR_CHANGED, filing_year, by, reason, "\n".join(changes))


def lock_year(filing_year: FilingYear) -> FilingYear:
    """Return a year as it is now, locked, with its filings: a signature comes before, or sees what
    is changed.
    """
    locked = FilingYear.objects.select_for_update().get(pk=filing_year.pk)
    filings = Filing.objects.filter(period__year=filing_year.year).order_by("pk")
    list(filings.select_for_update(of=["self"]).values_list("pk"))
    return locked


def plan_stage(filing_year: FilingYear, stage: YearStage) -> str:
    """Return what moving a year to a stage would do.

    Raises: NotReady where the stage is not the next one or one before, or files were signed.
    """
    current = YearStage(filing_year.stage)
    if stage == current:
        raise NotReady(f"{filing_year} is in stage {stage.label} already.")
    if stage > current + 1:
        raise NotReady(f"{filing_year} is in stage {current.label}: move it one stage at a time.")
    change = f"{filing_year} goes from {current.label} to {stage.label}. {stage.words}"
    if stage < current:
        return f"{change}{_stopped_by_going_back(filing_year, current)}"
    missing = missing_data(filing_year) if stage is YearStage.FILING else []
    return f"{change} Not there yet: {', '.join(missing)}." if missing else change


def move_stage(filing_year: FilingYear, stage: YearStage, *, by: Caller, reason: str) -> str:
    """Move a year to the next stage, or back to an earlier one; return what was done.

    Raises: what `plan_stage` raises; BadInput without a reason.
    """
    require_reason(reason)
    with transaction.atomic():
        locked = lock_year(filing_year)
        plan_stage(locked, stage)
        before = YearStage(locked.stage).label
        locked.stage = stage
        locked.save(update_fields=["stage"])
        change = describe_change("Stage", before, stage.label)
        record_change(AuditEvent.YEAR_CHANGED, locked, by, reason, change)
    return f"{locked} is now in stage {stage.label}."


def require_reason(reason: str) -> None:
    """Raise BadInput without a reason, or for one that is too long."""
    if not reason.strip():
        raise BadInput("Enter a reason. It is recorded with the change.")
    if len(reason) > LONGEST_REASON:
        raise BadInput(
            f"The reason has {len(reason):,} characters; enter at most {LONGEST_REASON:,}."
        )


def unprepared_periods() -> list[FilingPeriod]:
    """Return the filing periods whose year has no rulebook, or whose quarter does not exist."""
    return [
        period
        for period in FilingPeriod.objects.order_by("year", "quarter")
        if not is_supported(period.period, YearStage.FILING)
    ]


def signed_without_rules() -> QuerySet[Submission]:
    """Return the signed submissions on which no edit was run: their period had no rules."""
    signed = Submission.objects.filter(rules_run.is_signed_without_rules())
    return signed.select_related("filing__institution", "filing__period")


def unsigned_files(filing_year: FilingYear) -> int:
    """Return how many unsigned submissions of a year were checked and are checked again."""
    unsigned = Submission.objects.exclude(status=Status.SIGNED).exclude(edits_folder="")
    return unsigned.filter(filing__period__year=filing_year.year, discarded_at=None).count()


def record_change(
    event: AuditEvent, filing_year: FilingYear, by: Caller, reason: str, text: str
) -> None:
    """Add an entry of the audit log about a year."""
    audit.record_event(
        event, by=by, about=f"year {filing_year}", reason=f"{reason.strip()}\n{text}"
    )


def _stopped_by_going_back(filing_year: FilingYear, current: YearStage) -> str:
    """Return what stops when a year goes back from a stage, as sentences; blank if nothing does.

    Raises: NotReady where files were signed.
    """
    submissions = Submission.objects.filter(filing__period__year=filing_year.year)
    if signed := submissions.filter(signature__isnull=False).count():
        raise NotReady(
            f"{filing_year} stays in stage {current.label}: signed files of it exist ({signed:,})."
        )
    periods_of_year = FilingPeriod.objects.filter(year=filing_year.year).order_by("quarter")
    names = ", ".join(map(str, periods_of_year))
    periods = f" Nothing can be filed in its periods: {names}." if names else ""
    unsigned = submissions.filter(discarded_at=None).count()
    return periods + (f" Submissions that stop until it is back: {unsigned:,}." if unsigned else "")
