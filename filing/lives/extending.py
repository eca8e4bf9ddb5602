"""An extension for one institution: another filing deadline and last day for named periods."""

from __future__ import annotations

from datetime import date

from filing import day_hours
from filing.errors import BadInput, NotReady
from filing.lives import conditions
from filing.lives.reports import EventDraft, Part
from filing.lives.steps import EventSteps, find_open_filings
from filing.models import DeadlineExtension, Filing, FilingPeriod
from filing.models.extensions import forget_extensions
from filing.periods import duties, timeliness
from filing.statuses import FilingStatus

LONGEST_WHY = 150


def extend_deadline(draft: EventDraft, steps: EventSteps) -> None:
    """Extend periods for an institution.

    options: periods (texts), timely_until and closes (days), why.

    Raises: BadInput; NotReady for days that extend nothing.
    """
    periods, timely_until, closes, why = _read_options(draft)
    filings = {
        (filing.period.year, filing.period.quarter): filing
        for filing in find_open_filings(draft.lei)
    }
    steps.facts |= {
        "periods": [str(period) for period in periods],
        "timely_until": timely_until.isoformat(),
        "closes": closes.isoformat(),
        "why": why,
    }
    for period in periods:
        _extend_period(
            draft.lei,
            period,
            (timely_until, closes, why),
            filings.get((period.year, period.quarter)),
            steps,
        )


def _extend_period(
    lei: str,
    period: FilingPeriod,
    days: tuple[date, date, str],
    filing: Filing | None,
    steps: EventSteps,
) -> None:
    timely_until, closes, why = days
    _require_later(period, timely_until, closes)
    earlier = DeadlineExtension.objects.filter(
        lei=lei, year=period.year, quarter=period.quarter, is_active=True
    )
    before = period.of_institution(lei)
    for extension in earlier:
        extension.is_active = False
        extension.save(update_fields=["is_active"])
        steps.note("replaced", extension.pk)
    DeadlineExtension.objects.create(
        event=steps.event,
        lei=lei,
        year=period.year,
        quarter=period.quarter,
        timely_until=timely_until,
        closes=closes,
        why=why,
    )
    forget_extensions()
    words = day_hours.day_in_words
    steps.report(
        Part.DUTIES,
        period,
        f"Deadline {words(before.timely_until)} → {words(timely_until)}; files are accepted until "
        f"{words(before.closes)} → {words(max(closes, period.closes))}.",
    )
    if filing is None:
        steps.report(Part.KEPT, period, "It has no filing yet; the extension applies to it.")
    elif filing.status == FilingStatus.COMPLETED:
        state = timeliness.find_filing_timeliness(filing)
        steps.report(Part.FILINGS, filing, f"Signed; with the extension it is {state}.")
    elif reason := duties.find_reason_not_owed(filing):
        steps.report(Part.KEPT, filing, f"{reason}: nothing is due, as before.")
    else:
        steps.report(Part.FILINGS, filing, f"Due {words(timely_until)}.")


def _read_options(draft: EventDraft) -> tuple[list[FilingPeriod], date, date, str]:
    conditions.find_newest_record(draft.lei)
    options = draft.options
    why = " ".join(str(options.get("why", "")).split())
    if not why:
        raise BadInput("Enter what the extension is for: filers read it beside the deadline.")
    if len(why) > LONGEST_WHY:
        raise BadInput(f"Enter at most {LONGEST_WHY} characters of what the extension is for.")
    timely_until, closes = options["timely_until"], options["closes"]
    if timely_until > closes:
        raise BadInput("The last day must be the filing deadline or later.")
    names = list(dict.fromkeys(options.get("periods", ())))
    known = {str(period): period for period in FilingPeriod.objects.all()}
    if unknown := [name for name in names if name not in known]:
        raise NotReady(
            f"There is no filing period {', '.join(unknown)} yet. Open it first, or add it on the "
            "page of its year."
        )
    if not names:
        raise BadInput("Choose at least one filing period.")
    return [known[name] for name in names], timely_until, closes, why


def _require_later(period: FilingPeriod, timely_until: date, closes: date) -> None:
    if timely_until <= period.timely_until:
        raise NotReady(
            f"The filing deadline of {period} is {day_hours.day_in_words(period.timely_until)} for "
            "everyone. Enter a later one; an earlier one cannot be set for one institution."
        )
    if closes < day_hours.today():
        raise NotReady(
            f"{day_hours.day_in_words(closes)} has passed, so nothing could be filed. Enter a last "
            "day in the future."
        )
