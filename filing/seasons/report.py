"""What opening a season did, as it is kept and as it is told."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any

from filing.lar.period import Period
from filing.models import SeasonOpening
from filing.seasons.deadlines import Deadline
from filing.seasons.windows import Window


@dataclass(frozen=True)
class OpenedPeriod:
    """What opening a season did for one period: how many filings were made, how many were there.

    before: the window that the period had, none where it is new.
    """

    period: Period
    window: Window
    made: int
    existing: int
    before: Window | None = None

    @property
    def is_new(self) -> bool:
        return self.before is None

    @property
    def moved(self) -> bool:
        return self.before is not None and self.before != self.window

    @property
    def deadline_difference(self) -> str:
        return Deadline(self.period).difference(self.window.timely_until)

    def __str__(self) -> str:
        return (
            f"{self.period}: {self.window}; "
            f"{self.made:,} filings made, {self.existing:,} were there"
        )

    def as_json(self) -> dict[str, Any]:
        return {
            "period": str(self.period),
            "window": days(self.window),
            "before": days(self.before) if self.before else None,
            "made": self.made,
            "existing": self.existing,
        }

    @classmethod
    def of_json(cls, stored: dict[str, Any]) -> OpenedPeriod:
        return cls(
            Period.parse(stored["period"]),
            window(stored["window"]),
            stored["made"],
            stored["existing"],
            window(stored["before"]) if stored["before"] else None,
        )


@dataclass(frozen=True)
class SeasonReport:
    """What opening a season did, or would have done.

    mails: those written by this opening; nobody is told of a season twice. seconds: of the work.
    """

    year: int
    periods: tuple[OpenedPeriod, ...]
    dry_run: bool = False
    mails: int = 0
    seconds: float = 0

    @property
    def made(self) -> int:
        return sum(period.made for period in self.periods)

    @property
    def existing(self) -> int:
        return sum(period.existing for period in self.periods)

    @property
    def nothing_new(self) -> bool:
        """True where all was as it should be before."""
        return not self.mails and not any(
            period.made or period.is_new or period.moved for period in self.periods
        )

    def __str__(self) -> str:
        done = "Nothing was changed; it would be" if self.dry_run else "Season opened"
        lines = [f"{done}:", *map(str, self.periods)]
        if self.mails:
            lines.append(f"{self.mails:,} mails written")
        lines += [
            f"{each.period}: {each.deadline_difference}"
            for each in self.periods
            if each.deadline_difference
        ]
        if self.nothing_new and not self.dry_run:
            lines.append("Nothing is new: every filing was there, and every window stays.")
        return "\n".join(lines)

    def as_json(self) -> dict[str, Any]:
        return {
            "periods": [period.as_json() for period in self.periods],
            "mails": self.mails,
            "seconds": round(self.seconds, 2),
        }


def report_of(opening: SeasonOpening) -> SeasonReport | None:
    """Return the report of an opening; none while it is worked on."""
    if opening.report is None:
        return None
    periods = tuple(map(OpenedPeriod.of_json, opening.report["periods"]))
    return SeasonReport(
        opening.year, periods, mails=opening.report["mails"], seconds=opening.report["seconds"]
    )


def days(of: Window) -> dict[str, str]:
    """Return a window as it is kept in JSON."""
    return {name: day.isoformat() for name, day in of._asdict().items()}


def window(stored: dict[str, str]) -> Window:
    """Return the window that `days` wrote."""
    return Window(*(date.fromisoformat(stored[name]) for name in Window._fields))
