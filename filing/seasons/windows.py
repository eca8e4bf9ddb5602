"""The windows of filing periods, and their filing deadlines, as Regulation C sets them.

Usual, current and last year's windows, and changes of them. The deadline is the last day on which
data are timely.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import date, timedelta
from functools import partial
from typing import NamedTuple

from django.db import IntegrityError, transaction

from filing import audit, day_hours
from filing.access import Caller
from filing.audit.value_changes import describe_change
from filing.errors import AlreadyExists, BadInput
from filing.lar.years import (
    FIRST_QUARTERLY_YEAR,
    Period,
    YearStage,
    describe_supported,
    filing_years,
    is_supported,
)
from filing.models import AuditEvent, FilingPeriod, TrailEntry
from filing.periods import due_dates

log = logging.getLogger(__name__)
_AFTER_A_QUARTER = timedelta(days=60)
_SATURDAY, _NEXT_MONDAY = 6, 8  # numbers of `isoweekday`, continued into the next week


class Window(NamedTuple):
    """The days of a filing period: the first, the filing deadline, the last."""

    opens: date
    timely_until: date
    closes: date

    def __str__(self) -> str:
        opens, deadline, closes = map(day_hours.day_in_words, self)
        return f"open {opens} to {closes}, filing deadline {deadline}"

    @classmethod
    def of(cls, period: FilingPeriod) -> Window:
        return cls(period.opens, period.timely_until, period.closes)

    def require_order(self) -> None:
        """Raise BadInput unless the days follow each other."""
        if not self.opens <= self.timely_until <= self.closes:
            opens, deadline, closes = map(day_hours.day_in_words, self)
            raise BadInput(
                f"A period cannot open on {opens}, have its filing deadline on {deadline} and "
                f"close on {closes}: these days must follow each other."
            )


@dataclass(frozen=True)
class Deadline:
    """The computed filing deadline of a period: the last day on which its data are timely.

    Annual data are due by March 1 of the year after, those of a quarter within 60 calendar days
    after it ends; a deadline on a Saturday or Sunday moves to the next Monday.
    Source: Regulation C, 12 CFR 1003.5(a)(1)(i)-(iii).
    """

    period: Period

    @property
    def before_move(self) -> date:
        """The day before any move from a Saturday or Sunday."""
        if self.period.is_quarterly:
            return self.period.ends + _AFTER_A_QUARTER
        return date(self.period.year + 1, 3, 1)

    @property
    def day(self) -> date:
        return move_off_weekend(self.before_move)

    @property
    def is_moved(self) -> bool:
        return self.day != self.before_move

    def __str__(self) -> str:
        """Return the computed deadline with the reason and the section of the regulation."""
        section, count = due_dates.find_deadline_section(self.period), ""
        if self.period.is_quarterly:
            count = ", 60 calendar days after the quarter ends"
        computed = f"Computed: {day_hours.day_with_weekday(self.day)}"
        if not self.is_moved:
            return f"{computed}{count} ({section})."
        before = f"{self.before_move:%B} {self.before_move.day}{count}{',' if count else ''}"
        return (
            f"{computed}. {before} is a {self.before_move:%A}, so the deadline moves to the next "
            f"Monday ({section} and (iii))."
        )

    def difference(self, day: date) -> str:
        """Return a warning if a filing deadline is not the computed one, otherwise a blank."""
        if day == self.day:
            return ""
        return f"The filing deadline {day_hours.day_in_words(day)} is not the computed one. {self}"


def move_off_weekend(day: date) -> date:
    """Return the next Monday for a Saturday or Sunday, any other day as it is.

    Source: Regulation C, 12 CFR 1003.5(a)(1)(iii).
    """
    weekday = day.isoweekday()
    return day + timedelta(days=_NEXT_MONDAY - weekday) if weekday >= _SATURDAY else day


def require_rulebook(period: Period) -> None:
    """Raise BadInput for a year or quarter whose files cannot be checked."""
    if is_supported(period, YearStage.FILING):
        return
    kind = "Quarter" if period.is_quarterly else "Year"
    if is_supported(period, YearStage.DRAFT):
        stage = filing_years()[period.year].stage.label
        raise BadInput(
            f"{kind} {period} is in stage {stage}: no period of it can be opened. Move the year to "
            f"stage {YearStage.FILING.label} first."
        )
    raise BadInput(f"{kind} {period} has no rulebook: {describe_supported(YearStage.FILING)}.")


def usual_windows(year: int) -> dict[str, Window]:
    """Return the usual window of each period of a year: `""` is the annual one, then the quarters.

    Late files are accepted after the filing deadline: for a quarter until the end of the next
    quarter, for a year for three more years.
    Source: of the deadlines, Regulation C, 12 CFR 1003.5(a)(1)(i)-(iii).
    """
    bounds = {"": (date(year + 1, 1, 1), date(year + 3, 12, 31))}
    if year >= FIRST_QUARTERLY_YEAR:
        bounds |= {
            "Q1": (date(year, 4, 1), date(year, 6, 30)),
            "Q2": (date(year, 7, 1), date(year, 9, 30)),
            "Q3": (date(year, 10, 1), date(year, 12, 31)),
        }
    return {
        quarter: Window(opens, Deadline(Period.of(year, quarter)).day, closes)
        for quarter, (opens, closes) in bounds.items()
    }


def find_current_windows(year: int) -> dict[str, Window]:
    """Return the present windows of a year by quarter; empty for a year that is not opened."""
    periods = FilingPeriod.objects.filter(year=year).order_by("quarter")
    return {period.quarter: Window.of(period) for period in periods}


def copy_last_windows(year: int) -> dict[str, Window]:
    """Return last year's windows, a year later; empty if last year was not opened.

    A computed deadline is computed again for this year. One that staff had set is a year later, or
    on the next Monday if that is a Saturday or Sunday.
    """
    return {
        quarter: _window_later(window, Period.of(year, quarter))
        for quarter, window in find_current_windows(year - 1).items()
        if quarter in usual_windows(year)
    }


def _window_later(last: Window, period: Period) -> Window:
    """Return the window that follows last year's, for a period of this year."""
    opens, deadline, closes = map(_year_later, last)
    if last.timely_until == Deadline(Period.of(period.year - 1, period.quarter_name)).day:
        deadline = Deadline(period).day
    deadline = move_off_weekend(deadline)
    # A window that ended with its deadline must last as long as a later deadline.
    return Window(opens, deadline, max(deadline, closes))


def _year_later(day: date) -> date:
    if (day.month, day.day) == (2, 29):
        return date(day.year + 1, 2, 28)
    return day.replace(year=day.year + 1)


@transaction.atomic
def add_filing_period(period: Period, window: Window, *, by: Caller, reason: str) -> FilingPeriod:
    """Return a new filing period.

    Raises: BadInput for a period without a rulebook or days out of order; AlreadyExists.
    """
    require_rulebook(period)
    window.require_order()
    try:
        with transaction.atomic():
            filing_period = FilingPeriod.objects.create(
                year=period.year, quarter=period.quarter_name, **window._asdict()
            )
    except IntegrityError as error:
        raise AlreadyExists(f"Period {period} already exists. Change its days instead.") from error
    _record(period, f"new, {window}", by, reason)
    return filing_period


@transaction.atomic
def change_window(period: FilingPeriod, window: Window, *, by: Caller, reason: str) -> Window:
    """Change the days of a filing period; return the window before. Its filings stay.

    Raises: BadInput for days out of order.
    """
    window.require_order()
    locked = FilingPeriod.objects.select_for_update().get(pk=period.pk)
    before = Window.of(locked)
    if before != window:
        locked.opens, locked.timely_until, locked.closes = window
        locked.save(update_fields=window._fields)
        _record(locked.period, describe_change("Days", before, window), by, reason)
    return before


def describe_last_change(period: Period) -> str:
    """Return who changed the days of a period last, and when, for the end of a sentence."""
    entries = TrailEntry.objects.filter(event=AuditEvent.WINDOW_CHANGED, about=str(period))
    if not (entry := entries.order_by("-pk").first()):
        return ""
    at = day_hours.moment_in_words(entry.at)
    return f", by {entry.actor_username or 'the command line'} on {at}"


def close_window(window: Window) -> Window:
    """Return the window with yesterday as its last day.

    Raises: BadInput for a window that had not opened yesterday.
    """
    yesterday = day_hours.today() - timedelta(days=1)
    if window.opens > yesterday:
        raise BadInput(
            f"It opens on {day_hours.day_in_words(window.opens)}, so yesterday cannot be its last "
            "day. Change its first day."
        )
    last = min(window.closes, yesterday)
    return Window(window.opens, min(window.timely_until, last), last)


def _record(period: Period, change: str, by: Caller, reason: str) -> None:
    text = f"{reason}\n{change}".strip()
    audit.record_event(AuditEvent.WINDOW_CHANGED, by=by, about=str(period), reason=text)
    transaction.on_commit(
        partial(log.info, "Window of %s was changed by %s: %s", period, by, change)
    )
