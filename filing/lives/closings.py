"""An institution closes: it owes what its activity until that day makes due, and nothing after.

Source: 12 CFR 1003.5(a)(1): the data of a calendar year in which it was covered are still reported.
"""

from __future__ import annotations

from datetime import date

from filing import day_hours
from filing.lives import conditions
from filing.lives.reports import EventDraft, Part
from filing.lives.steps import (
    EventSteps,
    find_first_quarter_after,
    find_open_filings,
    find_quarter_start,
)
from filing.models import FilingPeriod, Membership


def close_institution(draft: EventDraft, steps: EventSteps) -> None:
    """End what an institution owes after a day. Its people keep their rights.

    Raises: NotReady for a day in the future, or an LEI that has ended.
    """
    conditions.require_not_ahead(draft.effective_on)
    conditions.require_living(draft.lei, before=steps.event)
    end_duties(draft.lei, draft.effective_on, steps)
    number = Membership.objects.filter(lei=draft.lei).count()
    steps.report(
        Part.KEPT,
        "People",
        f"{number} keep their rights: they file what is due and read what was filed.",
    )


def end_duties(
    lei: str, day: date, steps: EventSteps, *, owes_year: bool = True, owes_quarter: bool = True
) -> None:
    """Release an institution from the periods after a day, and cancel their filings.

    owes_year: it owes the year of that day. owes_quarter: it owes the quarter of that day.
    """
    first_year = date(day.year + owes_year, 1, 1)
    first_quarter = find_first_quarter_after(day) if owes_quarter else find_quarter_start(day)
    steps.release(lei, is_quarterly=False, first_day=first_year)
    steps.release(lei, is_quarterly=True, first_day=first_quarter)
    later = [
        filing
        for filing in find_open_filings(lei, period__year__gte=day.year)
        if filing.period.period.starts >= (first_quarter if filing.period.quarter else first_year)
    ]
    steps.cancel_filings(later)
    until = day_hours.day_in_words(day)
    for period in FilingPeriod.objects.order_by("year", "quarter"):
        if period.of_institution(lei).closes < day_hours.today() or period.year < day.year - 1:
            continue
        is_owed = period.period.starts < (first_quarter if period.quarter else first_year)
        if is_owed and period.period.ends >= day:
            steps.report(Part.DUTIES, period, f"{lei} owes it for its activity until {until}.")
        elif not is_owed:
            steps.report(Part.DUTIES, period, f"{lei} does not owe it.")
    steps.report(
        Part.DUTIES,
        f"Years from {first_year.year} on",
        f"{lei} owes nothing, and is not carried over to their panel.",
    )
