"""The average prime offer rates in use, in memory for the calculator, and their table as CSV."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import chain
from threading import Lock
from typing import Any

import polars as pl
from django.db.models import OuterRef, QuerySet, Subquery
from django.utils import timezone

from filing.files import responses
from filing.lar.formulas import guard_formula
from filing.registries import Backlog
from ratespread.models import TERMS, AporKind, AporTable, AporWeek

PLACES = 12  # after the decimal point
RATE = pl.Decimal(38, PLACES)
KINDS = (AporKind.FIXED, AporKind.VARIABLE)  # in the order of the tables in memory

# From the Monday of a week: new rates come each Thursday, for the Monday after it.
OLD_AFTER = timedelta(days=14)

_DAYS = 7
_DATE = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
_WEEKS = 500  # written at a time


@dataclass(frozen=True, slots=True)
class WeekOfRates:
    """The rates of one week, in percent, by term."""

    kind: AporKind
    monday: date
    rates: Sequence[str]
    load_id: int


class AporTables:
    """Both tables: the rate of each kind, week and term. Missing weeks have nulls."""

    def __init__(self, weeks: Iterable[WeekOfRates] = ()) -> None:
        self._rows = {(week.kind, week.monday): week for week in weeks}
        mondays = [monday for _, monday in self._rows]
        self.first = min(mondays, default=date(2017, 1, 2))
        self.count = (max(mondays) - self.first).days // _DAYS + 1 if mondays else 0
        days = [self.first + timedelta(days=number) for number in range(self.count * _DAYS)]
        self._days = pl.Enum([day.isoformat() for day in days])
        texts = [text for kind in KINDS for text in self._texts(kind)]
        self._rates = pl.Series("rate", texts, dtype=pl.String).cast(RATE)

    def _texts(self, kind: AporKind) -> Iterator[str | None]:
        blank = [None] * TERMS
        for number in range(self.count):
            row = self.week(kind, number)
            yield from row.rates if row else blank

    def week(self, kind: AporKind, number: int) -> WeekOfRates | None:
        """Return the week with a number, or None if the table lacks it."""
        return self._rows.get((kind, self.first + timedelta(days=_DAYS * number)))

    def span(self, kind: AporKind) -> tuple[date, date] | None:
        """Return the first and the last week of a table, or None if it is empty."""
        mondays = [monday for week_kind, monday in self._rows if week_kind == kind]
        return (min(mondays), max(mondays)) if mondays else None

    def day_numbers(self, texts: pl.Series) -> pl.Series:
        """Return the number of each day since the first Monday of the tables.

        Shape: null for anything but a real date written YYYY-MM-DD, -1 for one outside the tables.
        """
        numbers = texts.cast(self._days, strict=False).to_physical().cast(pl.Int32)
        if not numbers.null_count():
            return numbers
        unknown = texts.filter(numbers.is_null()).unique()
        real = unknown.filter(is_date_text(unknown)).implode()
        outside = texts.is_in(real).fill_null(False) & numbers.is_null()
        return numbers.set(outside, -1)

    def rates(self, kinds: pl.Series, weeks: pl.Series, terms: pl.Series) -> pl.Series:
        """Return the rate of each kind (its position in KINDS), week number and term."""
        return self._rates.gather((kinds * self.count + weeks) * TERMS + (terms - 1))


def is_date_text(texts: pl.Series) -> pl.Series:
    """Return, for each text, whether it is a real date written YYYY-MM-DD."""
    looks_so = texts.str.contains(_DATE) & ~texts.str.starts_with("0000")
    return looks_so & texts.str.to_date("%Y-%m-%d", strict=False).is_not_null()


def annotate_newest_week(tables: QuerySet[AporTable]) -> QuerySet[Any]:
    """Return the tables, each with the Monday of its newest published rates as `newest`."""
    weeks = AporWeek.objects.filter(
        kind=OuterRef("kind"), replaced_by=None, load__is_demo=False
    ).order_by("-week")
    return tables.annotate(newest=Subquery(weeks.values("week")[:1]))


def count_old_tables() -> Backlog:
    """Count the tables whose rates are old, or whose last check failed."""
    tables = list(annotate_newest_week(AporTable.objects.all()))
    old = [each for each in tables if each.trouble or (each.newest and is_table_old(each.newest))]
    return Backlog(len(old))


def is_table_old(week: date) -> bool:
    """Tell whether a newest week is so old that newer rates must have been published."""
    return timezone.localdate() - week > OLD_AFTER


_lock = Lock()
_cached: tuple[object, AporTables] = (None, AporTables())


def read_current_tables() -> AporTables:
    """Return the current tables of the database; a process reads each version once."""
    global _cached
    version = [
        *AporTable.objects.order_by("kind").values_list("version", "load", "load__loaded_at")
    ]
    with _lock:
        if _cached[0] != version:
            _cached = (version, AporTables(_weeks()))
        return _cached[1]


def _weeks() -> Iterable[WeekOfRates]:
    rows = AporWeek.objects.filter(replaced_by=None).order_by()
    for kind, monday, rates, load_id in rows.values_list("kind", "week", "rates", "load_id"):
        yield WeekOfRates(AporKind(kind), monday, rates, load_id)


def write_table_lines(kind: AporKind) -> Iterator[str]:
    """Yield the table in pieces: week, the rate of each term, and the source of the week."""
    header = ["week", *range(1, TERMS + 1), "load", "source", "demo"]
    rows = chain([header], map(_row, _weeks_of_table(kind)))
    return responses.write_csv_pieces(rows, size=_WEEKS, lineterminator="\n")


def _weeks_of_table(kind: AporKind) -> Iterator[AporWeek]:
    rows = AporWeek.objects.filter(kind=kind, replaced_by=None).select_related("load")
    return rows.order_by("week").iterator(chunk_size=_WEEKS)


def _row(week: AporWeek) -> list[Any]:
    load = week.load
    is_demo = "true" if load.is_demo else "false"
    return [week.week, *week.rates, load.pk, guard_formula(load.source), is_demo]
