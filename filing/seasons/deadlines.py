"""Filing deadlines: the last day on which data are timely, as Regulation C sets it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta

from filing.day_hours import in_words, with_weekday
from filing.lar.period import Period
from filing.periods import due

_AFTER_A_QUARTER = timedelta(days=60)
_SATURDAY, _NEXT_MONDAY = 6, 8  # numbers of `isoweekday`, continued into the next week


def off_weekend(day: date) -> date:
    """Return the next Monday for a Saturday or Sunday, any other day as it is.

    Source: Regulation C, 12 CFR 1003.5(a)(1)(iii).
    """
    weekday = day.isoweekday()
    return day + timedelta(days=_NEXT_MONDAY - weekday) if weekday >= _SATURDAY else day


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
        return off_weekend(self.before_move)

    @property
    def is_moved(self) -> bool:
        return self.day != self.before_move

    def __str__(self) -> str:
        """Return the computed deadline with the reason and the section of the regulation."""
        section, count = due.section(self.period), ""
        if self.period.is_quarterly:
            count = ", 60 calendar days after the quarter ends"
        computed = f"Computed: {with_weekday(self.day)}"
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
        return f"The filing deadline {in_words(day)} is not the computed one. {self}"
