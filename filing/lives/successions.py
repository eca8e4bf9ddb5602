"""A new LEI: the institution goes on under another one from a day on.

What it still has to file moves to the new LEI; what was started or signed stays with the old one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date

from filing import day_hours
from filing.errors import BadInput, NotReady
from filing.lar.years import FIRST_QUARTERLY_YEAR, QUARTERS, Period, YearStage, supported_years
from filing.lives import conditions
from filing.lives.reports import EventDraft, Part
from filing.lives.steps import (
    EventSteps,
    find_open_filings,
    find_periods_not_closed,
    find_quarter_start,
    find_reinstated,
    why_kept,
)
from filing.models import Filing, FilingPeriod, Institution, InstitutionEvent
from filing.periods import duties


@dataclass
class _Moves:
    """The periods that move to the new LEI, with the filing of the old one, and those that stay."""

    moved: dict[Period, tuple[FilingPeriod, Filing | None]] = field(default_factory=dict)
    kept: dict[Period, str] = field(default_factory=dict)


def change_lei(draft: EventDraft, steps: EventSteps) -> None:
    """Let an institution go on under another LEI. The old one stays readable.

    Raises: BadInput for an LEI with wrong check digits; NotReady for one that has filings.
    """
    conditions.require_not_ahead(draft.effective_on)
    conditions.require_living(draft.lei, before=steps.event)
    old, new = draft.lei, conditions.require_lei(draft.other_lei)
    steps.event.other_lei = new
    steps.event.save(update_fields=["other_lei"])
    _require_free(old, new, steps.event)
    moves = _plan_moves(old)
    records = _add_records(draft, new, moves, steps)
    _release(draft, new, moves, records, steps)
    for period, why in moves.kept.items():
        steps.report(Part.DUTIES, period, f"Stays with {old}: {why[:1].lower()}{why[1:]}")
    for period, (row, filing) in moves.moved.items():
        steps.report(Part.DUTIES, period, f"Is filed under {new}.")
        steps.copy_extension(old, new, row)
        if filing:
            steps.cancel_filings([filing])
            steps.create_filing(records[period.year], row)
    steps.copy_people(old, new)
    steps.copy_ended_rights(old, new)
    steps.copy_programs(old, new)
    steps.report_waiting(old, new)


def _require_free(old: str, new: str, event: InstitutionEvent) -> None:
    if old == new:
        raise BadInput("The new LEI is the one that the institution has. Enter another one.")
    conditions.require_living(new, before=event)
    names = Institution.objects.filter(lei=new).order_by("-activity_year")
    if Filing.objects.filter(institution__lei=new).exists():
        raise NotReady(
            f"{new} is in the panel and has filings ({names.values_list('name', flat=True)[0]}), "
            "so it is another institution. Record a merger instead, or remove the filings of a "
            "record that was added by mistake."
        )


def _plan_moves(old: str) -> _Moves:
    records = {record.activity_year: record for record in Institution.objects.filter(lei=old)}
    filings = {
        (filing.period.year, filing.period.quarter): filing for filing in find_open_filings(old)
    }
    reinstated = find_reinstated(list(filings.values()))
    releases, moves = duties.read_releases([old]), _Moves()
    for row in find_periods_not_closed(old):
        record, filing = records.get(row.year), filings.get((row.year, row.quarter))
        is_owed = record and (not row.quarter or record.quarterly_filer)
        if filing is None and (not is_owed or releases.has(old, row.period)):
            continue
        if filing and (why := why_kept(filing, reinstated)):
            moves.kept[row.period] = why
        else:
            moves.moved[row.period] = (row, filing)
    return moves


def _add_records(
    draft: EventDraft, new: str, moves: _Moves, steps: EventSteps
) -> dict[int, Institution]:
    """Add the panel records of the new LEI for the years still to be filed; return all by year."""
    old, year = draft.lei, draft.effective_on.year
    years = {period.year for period in moves.moved}
    later = Institution.objects.filter(lei=old, activity_year__gte=year)
    years |= set(later.values_list("activity_year", flat=True))
    if year in supported_years(YearStage.DRAFT):
        years.add(year)
    if not years:
        years.add(conditions.find_newest_record(old).activity_year)
    existing = {record.activity_year: record for record in Institution.objects.filter(lei=new)}
    for record in existing.values():
        steps.report(
            Part.KEPT, record, f"Exists already without filings: it is merged as it is with {old}."
        )
    for each in sorted(years - existing.keys()):
        source = conditions.find_newest_record(old, until=each)
        existing[each] = steps.copy_record(source, lei=new, year=each)
    return existing


def _release(
    draft: EventDraft,
    new: str,
    moves: _Moves,
    records: dict[int, Institution],
    steps: EventSteps,
) -> None:
    """Release the old LEI from what moves, and the new one from what stays or is closed."""
    old, day = draft.lei, draft.effective_on
    for period in moves.moved:
        steps.release_period(old, period)
    steps.release(old, is_quarterly=False, first_day=date(day.year, 1, 1))
    steps.release(old, is_quarterly=True, first_day=find_quarter_start(day))
    rows = FilingPeriod.objects.filter(year__in=records)
    opened = {row.period for row in rows}
    past = {
        Period(year, quarter)
        for year in records
        if year < day.year
        for quarter in (None, *(QUARTERS if year >= FIRST_QUARTERLY_YEAR else ()))
    }
    for period in sorted((opened | past) - moves.moved.keys(), key=str):
        steps.release_period(new, period)
        if period in moves.kept or not _is_of_quarterly(period, records):
            continue
        row = next((each for each in rows if each.period == period), None)
        if row and row.closes < day_hours.today():
            steps.report(Part.KEPT, period, f"Is closed: {new} does not owe it.")


def _is_of_quarterly(period: Period, records: dict[int, Institution]) -> bool:
    return not period.is_quarterly or records[period.year].quarterly_filer
