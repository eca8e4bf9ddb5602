"""The report on an opening of a season, in JSON and in words."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any

from filing.lar.years import Period
from filing.models import SeasonOpening
from filing.seasons.windows import Deadline, Window


@dataclass(frozen=True)
class OpenedPeriod:
    """The report on one period: how many filings were created, and how many existed.

    before: the window that the period had, none if it is new.
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
            f"{self.made:,} filings created, {self.existing:,} already existed"
        )

    def as_json(self) -> dict[str, Any]:
        return {
            "period": str(self.period),
            "window": window_to_json(self.window),
            "before": window_to_json(self.before) if self.before else None,
            "made": self.made,
            "existing": self.existing,
        }

    @classmethod
    def of_json(cls, data: dict[str, Any]) -> OpenedPeriod:
        return cls(
            Period.parse(data["period"]),
            window_from_json(data["window"]),
            data["made"],
            data["existing"],
            window_from_json(data["before"]) if data["before"] else None,
        )


@dataclass(frozen=True)
class SeasonReport:
    """The report on an opening of a season, or on its dry run.

    emails: queued by this opening; no user gets two about a season. seconds: of the work.
    """

    year: int
    periods: tuple[OpenedPeriod, ...]
    dry_run: bool = False
    emails: int = 0
    seconds: float = 0

    @property
    def made(self) -> int:
        return sum(period.made for period in self.periods)

    @property
    def existing(self) -> int:
        return sum(period.existing for period in self.periods)

    @property
    def nothing_new(self) -> bool:
        """True where the opening changed nothing."""
        return not self.emails and not any(
            period.made or period.is_new or period.moved for period in self.periods
        )

    def __str__(self) -> str:
        heading = "Dry run, nothing was changed. It would be" if self.dry_run else "Season opened"
        lines = [f"{heading}:", *map(str, self.periods)]
        if self.emails:
            lines.append(f"{self.emails:,} emails queued")
        lines += [
            f"{period.period}: {period.deadline_difference}"
            for period in self.periods
            if period.deadline_difference
        ]
        if self.nothing_new and not self.dry_run:
            lines.append("Nothing has changed: all filings and windows already existed.")
        return "\n".join(lines)

    def as_json(self) -> dict[str, Any]:
        return {
            "periods": [period.as_json() for period in self.periods],
            "mails": self.emails,
            "seconds": round(self.seconds, 2),
        }


def read_report(opening: SeasonOpening) -> SeasonReport | None:
    """Return the report on an opening; none while it is running."""
    if opening.report is None:
        return None
    periods = tuple(map(OpenedPeriod.of_json, opening.report["periods"]))
    return SeasonReport(
        opening.year, periods, emails=opening.report["mails"], seconds=opening.report["seconds"]
    )


def window_to_json(window: Window) -> dict[str, str]:
    """Return a window as JSON."""
    return {name: day.isoformat() for name, day in window._asdict().items()}


def window_from_json(data: dict[str, str]) -> Window:
    """Return the window from the JSON that `window_to_json` returned."""
    return Window(*(date.fromisoformat(data[name]) for name in Window._fields))
