"""The charts of the season page, each with its numbers as a table and a description."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from operator import itemgetter
from typing import Any

from django.utils.formats import date_format

from filing.charts import drawing, style
from filing.charts.axes import Axis, Rows, Series
from filing.seasons.figures import STATUS_GROUPS, Curve, Filings, StatusCounts

STATE_COLORS = {
    "failed": style.RED,
    "no file yet": style.GREY,
    "being checked": style.GOLD,
    "to be corrected": style.VIOLET,
    "to be verified": style.TEAL,
    "to be signed": style.NAVY,
    "signed": style.BLUE,
}


@dataclass(frozen=True)
class Chart:
    """A chart: its name in the address, its description in words, its numbers, its drawing."""

    name: str
    title: str
    description: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    draw: Callable[[int], str]


def signed(curve: Curve, filings: Filings) -> Chart:
    """Return the chart of signed and expected filings by day."""
    points = [
        {"day": day.isoformat(), "filings": number, "line": line}
        for line, numbers in (
            ("signed", curve.by_day.items()),
            ("expected", [(day, filings.expected) for day in curve.by_day]),
        )
        for day, number in numbers
    ]
    description = (
        f"{filings.signed:,} of {filings.expected:,} expected filings are signed, "
        f"{filings.percent:.1f}%."
    )
    return Chart(
        "signed",
        "Signed and expected filings",
        description,
        ("Day", "Signed by the end of the day", "Expected"),
        [
            (_day(day), f"{number:,}", f"{filings.expected:,}")
            for day, number in reversed(curve.by_day.items())
        ],
        lambda width: drawing.lines(
            points,
            x=Axis("day", kind="temporal", format="%b %-d"),
            y=Axis("filings", "filings", "quantitative"),
            series=Series("line", {"expected": style.GREY}),
            description=description,
            width=width,
        ),
    )


def standing(totals: StatusCounts) -> Chart:
    """Return the chart of submissions by their state and the day of their last status change."""
    bars = [
        {"day": f"{day:%b} {day.day}", "submissions": number, "state": state}
        for day, by_state in totals.by_day.items()
        for state, number in by_state.items()
    ]
    changed = sum(sum(by_state.values()) for by_state in totals.by_day.values())
    today = sum(next(reversed(totals.by_day.values())).values())
    description = (
        f"{changed:,} submissions last changed status in these {len(totals.by_day)} days, "
        f"{today:,} of them today."
    )
    return _bars(
        "standing",
        "Submissions by the day of their last status change, and their state now",
        description,
        ("Day", *STATUS_GROUPS),
        [
            (_day(day), *(f"{number:,}" for number in by_state.values()))
            for day, by_state in reversed(totals.by_day.items())
        ],
        bars,
        ("day", "submissions"),
        Series("state", STATE_COLORS),
    )


def hours(files_by_hour: dict[datetime, int]) -> Chart:
    """Return the chart of uploaded files by hour."""
    bars = [
        {"hour": f"{hour:%b} {hour.day}, {hour:%H}:00", "files": number}
        for hour, number in files_by_hour.items()
    ]
    busiest, most = max(files_by_hour.items(), key=itemgetter(1))
    description = f"{sum(files_by_hour.values()):,} files in {len(files_by_hour)} hours"
    if most:
        description += f", most of them at {date_format(busiest, 'M j, H:i')}: {most:,}"
    return _bars(
        "hours",
        "Files by hour, all periods",
        f"{description}.",
        ("Hour from", "Files"),
        [
            (date_format(hour, "M j, H:i T"), f"{number:,}")
            for hour, number in reversed(files_by_hour.items())
        ],
        bars,
        ("hour", "files"),
        None,
    )


def _bars(
    name: str,
    title: str,
    description: str,
    columns: Sequence[str],
    rows: Sequence[Sequence[Any]],
    bars: Rows,
    axes: tuple[str, str],
    series: Series | None,
) -> Chart:
    x, y = Axis(axes[0]), Axis(axes[1], axes[1], "quantitative")

    def draw(width: int) -> str:
        return drawing.bars(bars, x=x, y=y, series=series, description=description, width=width)

    return Chart(name, title, description, columns, rows, draw)


def _day(day: date) -> str:
    return date_format(day, "M j, Y")
