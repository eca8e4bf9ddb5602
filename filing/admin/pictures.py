"""The charts of the season page: what each shows, its numbers as a table, and how it is drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from django.utils.formats import date_format

from filing.charts import drawing, style
from filing.charts.axes import Axis, Rows, Series
from filing.seasons.figures import STANDS, Curve, Filings, Standing

STAND_COLOURS = {
    "failed": style.RED,
    "no file yet": style.GREY,
    "being checked": style.GOLD,
    "to be corrected": style.VIOLET,
    "to be verified": style.TEAL,
    "to be signed": style.NAVY,
    "signed": style.BLUE,
}


@dataclass(frozen=True)
class Picture:
    """A chart: its name in its address, what it says in words, its numbers, how it is drawn."""

    name: str
    title: str
    says: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    draw: Callable[[int], str]


def signed(curve: Curve, filings: Filings) -> Picture:
    """Show the signed filings against those that are expected."""
    drawn = [
        {"day": day.isoformat(), "filings": number, "what": what}
        for what, numbers in (
            ("signed", curve.by_day.items()),
            ("expected", [(day, filings.expected) for day in curve.by_day]),
        )
        for day, number in numbers
    ]
    says = (
        f"{filings.signed:,} of {filings.expected:,} expected filings are signed, "
        f"{filings.percent:.1f} %."
    )
    return Picture(
        "signed",
        "Signed against expected filings",
        says,
        ("Day", "Signed by its end", "Expected"),
        [
            (_day(day), f"{number:,}", f"{filings.expected:,}")
            for day, number in reversed(curve.by_day.items())
        ],
        lambda width: drawing.lines(
            drawn,
            x=Axis("day", kind="temporal", format="%b %-d"),
            y=Axis("filings", "filings", "quantitative"),
            series=Series("what", {"expected": style.GREY}),
            description=says,
            width=width,
        ),
    )


def standing(found: Standing) -> Picture:
    """Show where the submissions stand, by the day of their last step."""
    drawn = [
        {"day": f"{day:%b} {day.day}", "submissions": number, "stands": stands}
        for day, by_stand in found.by_day.items()
        for stands, number in by_stand.items()
    ]
    moved = sum(sum(by_stand.values()) for by_stand in found.by_day.values())
    today = sum(next(reversed(found.by_day.values())).values())
    says = (
        f"{moved:,} submissions made their last step in these {len(found.by_day)} days, "
        f"{today:,} of them today."
    )
    return _bars(
        "standing",
        "Submissions by the day of their last step, and where they stand now",
        says,
        ("Day", *STANDS),
        [
            (_day(day), *(f"{number:,}" for number in by_stand.values()))
            for day, by_stand in reversed(found.by_day.items())
        ],
        drawn,
        ("day", "submissions"),
        Series("stands", STAND_COLOURS),
    )


def hours(found: dict[datetime, int]) -> Picture:
    """Show the files that came in, hour by hour."""
    drawn = [
        {"hour": f"{hour:%b} {hour.day}, {hour:%H}:00", "files": number}
        for hour, number in found.items()
    ]
    busiest, most = max(found.items(), key=lambda each: each[1])
    says = f"{sum(found.values()):,} files came in within {len(found)} hours"
    if most:
        says += f", most of them at {date_format(busiest, 'M j, H:i')}: {most:,}"
    return _bars(
        "hours",
        "Files by hour, of all periods",
        f"{says}.",
        ("Hour from", "Files"),
        [
            (date_format(hour, "M j, H:i T"), f"{number:,}")
            for hour, number in reversed(found.items())
        ],
        drawn,
        ("hour", "files"),
        None,
    )


def _bars(
    name: str,
    title: str,
    says: str,
    columns: Sequence[str],
    rows: Sequence[Sequence[Any]],
    drawn: Rows,
    axes: tuple[str, str],
    series: Series | None,
) -> Picture:
    x, y = Axis(axes[0]), Axis(axes[1], axes[1], "quantitative")
    return Picture(
        name,
        title,
        says,
        columns,
        rows,
        lambda width: drawing.bars(drawn, x=x, y=y, series=series, description=says, width=width),
    )


def _day(day: date) -> str:
    return date_format(day, "M j, Y")
