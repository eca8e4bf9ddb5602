"""The duty to file quarterly from a day on, and its end.

Source: 12 CFR 1003.5(a)(1)(ii).
"""

from __future__ import annotations

from datetime import date, timedelta

from django.db.models import Q

from filing import day_hours
from filing.errors import NotReady
from filing.lar.years import FIRST_QUARTERLY_YEAR, Period
from filing.lives import conditions
from filing.lives.reports import EventDraft, Part
from filing.lives.steps import EventSteps, find_open_filings, find_periods_not_closed
from filing.models import DutyRelease, Institution
from filing.periods import duties


def begin_quarterly_duty(draft: EventDraft, steps: EventSteps) -> None:
    """Let an institution file the quarters that begin on a day or later.

    Raises: NotReady if it does so already, or before quarterly filing began.
    """
    conditions.require_living(draft.lei, before=steps.event)
    day, lei = draft.effective_on, draft.lei
    if day.year < FIRST_QUARTERLY_YEAR:
        raise NotReady(
            f"Quarterly filing began with {FIRST_QUARTERLY_YEAR}. Enter a day of that year or "
            "later."
        )
    newest = conditions.find_newest_record(lei)
    records = _find_records(lei, day.year)
    ends = DutyRelease.objects.filter(
        lei=lei, is_quarterly=True, event__undone_at=None, event__kind="quarterly-end"
    ).filter(Q(last_day=None) | Q(last_day__gte=day))
    if newest.quarterly_filer and all(each.quarterly_filer for each in records) and not ends:
        raise NotReady(
            f"{lei} files quarterly already in {day.year} and later. To end it, record the end of "
            "the duty."
        )
    steps.facts |= {"from_year": day.year, "values": {"quarterly_filer": True}}
    for release in ends:
        if release.first_day >= day:
            ended = day_hours.day_in_words(release.first_day)
            raise NotReady(
                f"The duty of {lei} ends on {ended}: that event is recorded. Take it back first."
            )
        steps.note("trimmed", [release.pk, _text(release.last_day)])
        release.last_day = day - timedelta(days=1)
        release.save(update_fields=["last_day"])
    first = next((each for each in records if each.activity_year == day.year), newest)
    january = date(day.year, 1, 1)
    if not first.quarterly_filer and day > january:
        # The flag of the year is on; the quarters before the day are still not owed.
        steps.release(lei, is_quarterly=True, first_day=january, last_day=day - timedelta(days=1))
    by_year = {record.activity_year: record for record in records}
    releases = duties.read_releases([lei])
    for period in find_periods_not_closed(lei):
        if not period.quarter or period.period.starts < day or period.year not in by_year:
            continue
        if releases.has(lei, period.period):
            continue
        steps.report(Part.DUTIES, period, f"{lei} files it.")
        steps.create_filing(by_year[period.year], period)
    for record in records:
        if not record.quarterly_filer:
            steps.change_record(record, quarterly_filer=True)
    if not records:
        steps.report(
            Part.RECORDS,
            f"Panel of {day.year}",
            "Becomes that of a quarterly filer when the panel is carried over.",
        )
    _report_earlier(draft, steps)


def end_quarterly_duty(draft: EventDraft, steps: EventSteps) -> None:
    """End the duty for the quarters that begin on a day or later.

    Raises: NotReady if the institution does not file quarterly then.
    """
    conditions.require_living(draft.lei, before=steps.event)
    day, lei = draft.effective_on, draft.lei
    records = _find_records(lei, day.year)
    newest = conditions.find_newest_record(lei)
    if not any(each.quarterly_filer for each in (records or [newest])):
        raise NotReady(
            f"{lei} does not file quarterly in {day.year} or later. To begin it, record the duty."
        )
    is_whole_year = day <= date(day.year, 1, 1)
    steps.facts |= {
        "from_year": day.year if is_whole_year else day.year + 1,
        "values": {"quarterly_filer": False},
    }
    if not is_whole_year:
        steps.release(lei, is_quarterly=True, first_day=day, last_day=date(day.year, 12, 31))
    for record in records:
        if record.quarterly_filer and record.activity_year >= steps.facts["from_year"]:
            steps.change_record(record, quarterly_filer=False)
    filings = [
        filing
        for filing in find_open_filings(lei, period__year__gte=day.year).exclude(period__quarter="")
        if filing.period.period.starts >= day
    ]
    for filing in filings:
        steps.report(Part.DUTIES, filing.period, f"{lei} does not owe it.")
    steps.cancel_filings(filings)
    _report_earlier(draft, steps)


def _report_earlier(draft: EventDraft, steps: EventSteps) -> None:
    day = draft.effective_on
    for quarter in (1, 2, 3):
        period = Period(day.year, quarter)
        if period.starts < day:
            text = f"Begins before {day_hours.day_in_words(day)}: nothing changes."
            steps.report(Part.KEPT, period, text)


def _find_records(lei: str, year: int) -> list[Institution]:
    rows = Institution.objects.filter(lei=lei, activity_year__gte=year)
    return list(rows.order_by("activity_year"))


def _text(day: date | None) -> str | None:
    return day.isoformat() if day else None
