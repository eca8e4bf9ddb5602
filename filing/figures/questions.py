"""What a figure is, the question that someone asks with it, and the shape of all answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from functools import cached_property
from typing import Any

import polars as pl
from django.db.models import Case, CharField, F, Func, QuerySet, Value, When
from django.db.models.fields import FloatField

from filing import day_hours, standing
from filing.errors import BadInput
from filing.lar.fields import AGENCIES
from filing.lar.formulas import guard_value
from filing.models import FilingPeriod, FilingYear, Signature, Submission
from filing.storable_text import is_storable

Rows = Iterable[Sequence[Any]]

_LONGEST_NUMBER = 20  # digits, leading zeros included

# Columns of submissions, by name.
INSTITUTION, LEI = F("filing__institution__name"), F("filing__institution__lei")
RECORDS = F("lines") - 1  # without the transmittal sheet
AGENCY = Case(
    *(When(record_counts__agency=code, then=Value(name)) for code, name in AGENCIES.items()),
    default=Value("not counted yet"),
    output_field=CharField(),
)
# The classes of institutions by size: their names, and the records from which the next one begins.
SIZES = {
    "under 100": 100,
    "100 to 499": 500,
    "500 to 2,499": 2_500,
    "2,500 to 24,999": 25_000,
    "25,000 and more": None,
}


def size_of(path: str = "") -> Case:
    """Return the class of submissions by size.

    path: the look-up to them, such as `submission__`.
    """
    # The lines of a file are its records and the transmittal sheet.
    limits = {name: limit for name, limit in SIZES.items() if limit}
    return Case(
        *(When(**{f"{path}lines__lte": limit}, then=Value(name)) for name, limit in limits.items()),
        default=Value(list(SIZES)[-1]),
        output_field=CharField(),
    )


class EpochSeconds(Func):
    """A time in seconds since 1970, of which a database computes differences by the thousand."""

    template = "EXTRACT(EPOCH FROM %(expressions)s)"
    output_field = FloatField()

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> Any:
        """Return the same from a Julian day."""
        template = "((julianday(%(expressions)s) - 2440587.5) * 86400.0)"
        return self.as_sql(compiler, connection, template=template, **context)


@dataclass(frozen=True)
class FigureParameter:
    """A value that a figure needs besides its period: a number, or an LEI.

    default: None where a value is required, unless is_optional. find_default: of a question.
    """

    name: str
    label: str
    least: int = 0
    most: int = 1_000_000_000
    default: int | None = None
    is_lei: bool = False
    is_optional: bool = False
    find_default: Callable[[FigureQuestion], int | None] | None = None

    @property
    def accepts(self) -> str:
        """What may be entered, as the end of a sentence."""
        if self.is_lei:
            return "an LEI of 20 letters and digits"
        return f"a whole number from {self.least:,} to {self.most:,}"

    def read(self, text: str, question: FigureQuestion) -> str | int | None:
        """Return the value. Raises: BadInput, which says what is right."""
        text = text.strip()
        if not text:
            default = self.find_default(question) if self.find_default else self.default
            if default is None and not self.is_optional:
                raise BadInput(f"{self.label} ({self.name}) is missing; enter {self.accepts}.")
            return default
        if self.is_lei:
            if len(text) == 20 and text.isascii() and text.isalnum():
                return text.upper()
        elif (
            text.isascii()
            and text.isdecimal()
            and len(text) <= _LONGEST_NUMBER
            and self.least <= int(text) <= self.most
        ):
            return int(text)
        shown = f' is "{text[:40]}"' if is_storable(text) else " has characters that are not text"
        raise BadInput(f"{self.label} ({self.name}){shown}; enter {self.accepts}.")


@dataclass(frozen=True)
class FigureQuestion:
    """A figure's question about a period, as of the end of a day in the filing time zone.

    with_tests: whether test institutions count. values: of the parameters, by name.
    """

    period: FilingPeriod
    as_of: date
    with_tests: bool = False
    values: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def until(self) -> datetime | None:
        """The first moment after the day; None for today, of which all counts that there is."""
        if self.as_of >= day_hours.today():
            return None
        return day_hours.find_start_of_day(self.as_of + timedelta(days=1))

    @property
    def year(self) -> int:
        return self.period.year

    def count_filed(self) -> QuerySet[Submission]:
        """Return the submissions of the period that counted, one for each filer."""
        return self.find_counting(filing__period=self.period)

    def find_counting(self, **where: Any) -> QuerySet[Submission]:
        """Return the submissions, of any period, that counted at the end of the day."""
        counting = Submission.objects.filter(standing.is_counting(until=self.until), **where)
        return self._without_tests(counting, "").order_by()

    def find_signatures(self) -> QuerySet[Signature]:
        """Return all signatures of the period, also of submissions that were replaced since."""
        signatures = Signature.objects.filter(
            standing.is_on_record("submission__"), submission__filing__period=self.period
        )
        if self.until:
            signatures = signatures.filter(signed_at__lt=self.until)
        return self._without_tests(signatures, "submission__").order_by()

    def find_submissions(self) -> QuerySet[Submission]:
        """Return all submissions of the period whose file had come by the end of the day."""
        uploaded = Submission.objects.filter(filing__period=self.period, uploaded_at__isnull=False)
        if self.until:
            uploaded = uploaded.filter(uploaded_at__lt=self.until)
        return self._without_tests(uploaded, "").order_by()

    def find_thresholds(self) -> tuple[int | None, int | None]:
        """Return from how many closed-end and open-end loans institutions report in this year."""
        year = FilingYear.objects.filter(pk=self.year).first()
        return (year.closed_end_threshold, year.open_end_threshold) if year else (None, None)

    def _without_tests(self, rows: QuerySet[Any], path: str) -> QuerySet[Any]:
        return rows if self.with_tests else rows.filter(standing.is_for_the_public(path))


@dataclass(frozen=True)
class FigureChart:
    """How the first rows of a figure are drawn: the columns of both axes, and of the colors."""

    x: str
    y: str
    series: str = ""


@dataclass(frozen=True)
class Figure:
    """A figure of the catalogue.

    columns: of its rows, by name. definition: what exactly is counted. is_counted: whether it adds
    up stored counts of records, which a file that an earlier release read may not have yet.
    is_live: whether it is known for the current day only.
    """

    name: str
    title: str
    group: str
    columns: tuple[str, ...]
    definition: str
    find_rows: Callable[[FigureQuestion], Rows]
    parameters: tuple[FigureParameter, ...] = ()
    chart: FigureChart | None = None
    is_counted: bool = False
    is_live: bool = False


@dataclass(frozen=True)
class FigureAnswer:
    """The answer to a figure, in the one shape that pages and programs read."""

    figure: Figure
    question: FigureQuestion
    rows: list[list[Any]]
    definition: str

    def as_json(self) -> dict[str, Any]:
        """Return the answer as programs read it."""
        return {
            "figure": self.figure.name,
            "period": str(self.question.period),
            "asOf": self.question.as_of.isoformat(),
            "columns": list(self.figure.columns),
            "rows": self.rows,
            "definition": self.definition,
        }

    def list_cells(self) -> Iterator[list[Any]]:
        """Yield the columns and the rows for a CSV file, in which no cell is a formula."""
        for row in (self.figure.columns, *self.rows):
            yield [guard_value(value) for value in row]


def to_plain_cell(value: Any) -> Any:
    """Return a value of a row as JSON and CSV have it: times and days as ISO 8601."""
    if isinstance(value, datetime):
        return day_hours.to_filing_zone(value).isoformat(timespec="seconds")
    return value.isoformat() if isinstance(value, date) else value


def summarize_numbers(frame: pl.DataFrame, by: Sequence[str], *names: str) -> pl.DataFrame:
    """Return the rows, and the median and 90th percentile of columns, by the values of others."""
    quantiles = [
        pl.col(name).quantile(share, "linear").round(2).alias(f"{name}_{label}")
        for name in names
        for share, label in ((0.5, "median"), (0.9, "p90"))
    ]
    return frame.group_by(by).agg(pl.len().alias("number"), *quantiles).sort(by)
