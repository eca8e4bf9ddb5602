"""Carries the panel of one year over to a later year, in which most institutions are the same."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from filing import audit
from filing.access import Caller
from filing.errors import BadInput, NotReady
from filing.lar.years import Period, YearStage, describe_years, supported_years
from filing.models import AuditEvent, Institution
from filing.panel import history
from filing.panel.panel_imports import lock_panel
from filing.panel.resource import Differences, cell_text
from filing.people import memberships
from filing.people.own_rights import record_own_rights, refuse_own_rights
from filing.periods import duties, filings
from filing.previews import require_previewed
from filing.seasons.plans import InstitutionChoice

log = logging.getLogger(__name__)

MOST_SHOWN = 500  # institutions with differences

_BATCH = 500
# Not carried over: the flags of signed filings belong to their year.
_OF_THE_YEAR = {
    "id",
    "activity_year",
    "hmda_filer",
    "quarterly_filer_has_filed_q1",
    "quarterly_filer_has_filed_q2",
    "quarterly_filer_has_filed_q3",
}
CARRIED = [
    field.name for field in Institution._meta.concrete_fields if field.name not in _OF_THE_YEAR
]


EVERYONE = InstitutionChoice()

_COMPARED = ["lei", "name", *(name for name in CARRIED if name not in {"lei", "name"})]


@dataclass(frozen=True)
class CarryReport:
    """The result of carrying over, or its preview. differing: the first ones that differ."""

    from_year: int
    to_year: int
    added: int
    existing: int
    differ: int
    differing: tuple[tuple[str, str, Differences], ...] = ()

    def __str__(self) -> str:
        return (
            f"{self.from_year} to {self.to_year}: {self.added:,} institutions added, "
            f"{self.existing:,} already existed, {self.differ:,} of them differ and are unchanged."
        )


def carry_panel_over(
    from_year: int,
    to_year: int,
    *,
    choice: InstitutionChoice = EVERYONE,
    reason: str = "",
    dry_run: bool = False,
    by: Caller,
    digest: str | None = None,
) -> CarryReport:
    """Add to a year the institutions of an earlier year that it lacks, and change no others.

    Institutions that closed, were absorbed or got another LEI before the later year are not carried
    over; names and quarterly duties that begin in it are those of the new record. Where the season
    of the later year was opened before, those added get their filings.
    The flags of signed filings are off: nothing is filed yet in the new year. May be repeated.

    digest: of the report of a dry run that is confirmed, if it was shown.

    Raises: BadInput for years that do not follow each other, or no reason; NotReady when there is
    nothing to carry over; PreviewChanged.
    """
    _check_years(from_year, to_year)
    if not dry_run and not reason.strip():
        raise BadInput("Enter the reason for carrying the panel over.")
    with record_own_rights(by), transaction.atomic():
        if not dry_run:
            lock_panel()
        report = _report(from_year, to_year, choice)
        require_previewed(digest, report)
        if not dry_run:
            with refuse_own_rights(choice.among(from_year).values_list("lei", flat=True), by=by):
                _add(from_year, to_year, choice, reason.strip(), by=by)
            audit.record_event(
                AuditEvent.PANEL_CARRIED_OVER,
                by=by,
                about=f"{report} Institutions: {choice}.",
                reason=reason,
            )
            log.info("Panel carried over by %s: %s", by, report)
    return report


def _check_years(from_year: int, to_year: int) -> None:
    years = supported_years(YearStage.DRAFT)
    if from_year not in years or to_year not in years:
        raise BadInput(f"Years are {describe_years(YearStage.DRAFT)}.")
    if from_year >= to_year:
        raise BadInput(
            f"The panel of {from_year} cannot be carried over to {to_year}: name an earlier year "
            "first, then a later one."
        )


def _report(from_year: int, to_year: int, choice: InstitutionChoice) -> CarryReport:
    source = _find_source(from_year, to_year, choice)
    total = source.count()
    if not total:
        raise NotReady(f"The panel of {from_year} has no such institutions to carry over.")
    present = {
        values[0]: values
        for values in Institution.objects.filter(activity_year=to_year).values_list(*_COMPARED)
    }
    existing, differ = 0, 0
    differing: list[tuple[str, str, Differences]] = []
    for values in source.order_by("name").values_list(*_COMPARED).iterator():
        now = present.get(values[0])
        existing += now is not None
        if now is None or now == values:
            continue
        differ += 1
        if len(differing) < MOST_SHOWN:
            differing.append((values[0], now[1], _differences(values, now)))
    return CarryReport(from_year, to_year, total - existing, existing, differ, tuple(differing))


def _differences(before: tuple[Any, ...], now: tuple[Any, ...]) -> Differences:
    pairs = zip(_COMPARED, before, now, strict=True)
    return {name: (cell_text(was), cell_text(value)) for name, was, value in pairs if was != value}


def _add(
    from_year: int, to_year: int, choice: InstitutionChoice, reason: str, *, by: Caller
) -> None:
    present = Institution.objects.filter(activity_year=to_year).values("lei")
    missing = _find_source(from_year, to_year, choice).exclude(lei__in=present)
    later = duties.find_later_values(from_year, to_year)
    leis: list[str] = []
    keys = list(missing.values_list("pk", flat=True))
    for start in range(0, len(keys), _BATCH):
        batch = Institution.objects.filter(pk__in=keys[start : start + _BATCH])
        new = [
            Institution(activity_year=to_year, **values | later.get(values["lei"], {}))
            for values in batch.values(*CARRIED)
        ]
        Institution.objects.bulk_create(new)
        changes = ((institution, True, _values_of(institution)) for institution in new)
        history.record_bulk_changes(changes, reason=reason)
        leis += [institution.lei for institution in new]
    # The new record may list other email domains than the newest one did.
    memberships.check_institution_memberships(leis, by=by)
    rows = Institution.objects.filter(lei__in=leis, activity_year=to_year)
    filings.expect_filings(rows, by=by, reason=reason)


def _find_source(from_year: int, to_year: int, choice: InstitutionChoice) -> QuerySet[Institution]:
    return choice.among(from_year).filter(~duties.match_released(Period(to_year)))


def _values_of(institution: Institution) -> Differences:
    values = {name: getattr(institution, name) for name in ["activity_year", *CARRIED]}
    return {name: (None, value) for name, value in values.items()}
