"""The page of quarterly filers: who files each quarter, with the records of the years before."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.generic import View

from filing.files import responses
from filing.lar.fields import AGENCY_NAMES
from filing.pages import tool_pages
from filing.panel import lar_counts
from filing.requests import describe_unknown_parameters

YEARS = 3  # of counts
_FILE = "{year} Quarterly Filer Loan and Application Counts.csv"


@dataclass(frozen=True)
class FilerRow:
    """A quarterly filer. counts: of its records, newest year first; None where it filed none."""

    name: str
    lei: str
    agency: str
    counts: tuple[int | None, ...]


@dataclass(frozen=True)
class QuarterlyFilers:
    """The quarterly filers of the newest panel that has any; year 0 without one."""

    year: int

    @classmethod
    def current(cls) -> QuarterlyFilers:
        """Return those of the newest year that has begun."""
        filer = lar_counts.find_quarterly_filers(until=timezone.now().year).first()
        return cls(filer.activity_year if filer else 0)

    @property
    def years(self) -> list[int]:
        """The years of the counts, newest first."""
        return [self.year - back for back in range(1, YEARS + 1)] if self.year else []

    @property
    def columns(self) -> list[str]:
        """The headings of the table and the CSV."""
        return ["Institution Name", "LEI", "Agency", *(f"{year} LAR Count" for year in self.years)]

    @cached_property
    def rows(self) -> list[FilerRow]:
        """The filers by name."""
        return [
            FilerRow(
                filer.institution.name.upper(),
                filer.institution.lei,
                AGENCY_NAMES.get(filer.institution.agency, ""),
                tuple(
                    {count.year: count.count for count in filer.lar_counts}.get(year)
                    for year in self.years
                ),
            )
            for filer in lar_counts.list_quarterly_filers(self.year, self.years)
        ]

    @cached_property
    def totals(self) -> dict[str, list[int]]:
        """The sums of the counts by year: of these filers, and of all."""
        by_year = {each.year: each.count for each in lar_counts.count_records_by_year(self.years)}
        own = [sum(row.counts[place] or 0 for row in self.rows) for place in range(len(self.years))]
        return {
            "Total of Quarterly Filers": own,
            "Total of All Filers": [by_year[year] for year in self.years],
        }

    def sorted_by(self, column: int, *, descending: bool, search: str = "") -> list[FilerRow]:
        """Return the filers by a column, those without a count last.

        search: a part of their name or LEI; all of them if it is blank.
        """
        part = search.upper()

        def value(row: FilerRow) -> str | int:
            texts = (row.name, row.lei, row.agency)
            return texts[column] if column < len(texts) else row.counts[column - len(texts)] or 0

        rows = (row for row in self.rows if part in row.name or part in row.lei)
        return sorted(rows, key=value, reverse=descending)

    def lines(self) -> Iterable[list[str | int]]:
        """Yield the lines of the CSV, with the totals at the end."""
        yield [*self.columns]
        for row in self.rows:
            yield [
                *(row.name, row.lei, row.agency),
                *("" if count is None else count for count in row.counts),
            ]
        for label, sums in self.totals.items():
            yield [label, "", "", *sums]


@dataclass(frozen=True)
class SortedColumn:
    """A heading that sorts. query: of the address that sorts by it, or turns the order around."""

    label: str
    query: str
    order: str  # the value of aria-sort


class QuarterlyFilersPage(View):
    """The quarterly filers as a table that can be sorted."""

    http_method_names = ["get", "head"]

    def get(self, request: HttpRequest) -> HttpResponse:
        filers = QuarterlyFilers.current()
        # A count is most telling from its largest on.
        choices = {
            f"{'-' if descending else ''}{column}": (column, descending)
            for column in range(len(filers.columns))
            for descending in (False, True)
        }
        sort, search = (request.GET.get(name, "").strip() for name in ("sort", "q"))
        column, descending = choices.get(sort, (0, False))
        context = {
            "filers": filers,
            "columns": _headings(filers, column, descending=descending, search=search),
            "rows": filers.sorted_by(column, descending=descending, search=search),
            "search": search,
            "sort": sort if sort in choices else "",
            "calls": tool_pages.build_get_examples(
                f"/v2/public/institutions/quarterly/{filers.year}/lars/past/{YEARS}"
            ),
            "unknown_parameters": describe_unknown_parameters(request.GET, ["sort", "q"]),
        }
        return render(request, "graphs/quarterly_filers.html", context)


class QuarterlyFilersCsv(View):
    """The same as CSV."""

    http_method_names = ["get", "head"]

    def get(self, request: HttpRequest) -> HttpResponse:
        filers = QuarterlyFilers.current()
        name = _FILE.format(year=filers.year)
        text = "".join(responses.write_csv_lines(filers.lines()))
        return responses.make_attachment(name, HttpResponse(text, content_type=responses.CSV))


def _headings(
    filers: QuarterlyFilers, sorted_column: int, *, descending: bool, search: str
) -> list[SortedColumn]:
    first_count = len(filers.columns) - len(filers.years)
    headings = []
    for number, label in enumerate(filers.columns):
        is_sorted = number == sorted_column
        turns = not descending if is_sorted else number >= first_count
        order = ("descending" if descending else "ascending") if is_sorted else "none"
        query = {"sort": f"{'-' if turns else ''}{number}"} | ({"q": search} if search else {})
        headings.append(SortedColumn(label, urlencode(query), order))
    return headings
