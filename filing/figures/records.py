"""Figures of records: places, kinds of property, denials, the partial exemption, lines of credit.

They add up `RecordCounts`, one row for each file.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import polars as pl
from django.db.models import Count, F, Q, QuerySet, Sum

from filing.figures.filers import list_values
from filing.figures.questions import (
    AGENCY,
    INSTITUTION,
    LEI,
    Figure,
    FigureChart,
    FigureParameter,
    FigureQuestion,
    Rows,
)
from filing.models import Submission

GROUP = "Records"
_REASONS = [f"record_counts__denial_{reason}" for reason in range(1, 10)]
_PROPERTIES = {
    "single family, site-built": "single_family",
    "manufactured": "manufactured",
    "multifamily": "multifamily",
}
_TOP = (FigureParameter("n", "Rows at most", least=1, most=100_000, default=100),)
_ONLY_OPEN_END = Q(
    record_counts__open_end__gt=0, record_counts__closed_end=0, record_counts__line_exempt=0
)
_ONLY_CLOSED_END = Q(
    record_counts__closed_end__gt=0, record_counts__open_end=0, record_counts__line_exempt=0
)
_EXEMPTION = Q(record_counts__with_exemption__gt=0)
_ABOUT_EXEMPTION = (
    "Filers with an exemption code (Exempt or 1111) in at least one field of a record, as edit "
    "Q646 reads them: they use the partial exemption."
)
_ABOUT_ONLY = (
    "Filers with at least one record of {kind}, none of the other kind, and none whose line of "
    "credit is exempt."
)


def _list_counties(question: FigureQuestion) -> Rows:
    texts = (
        question.count_filed()
        .exclude(record_counts__counties="")
        .values_list("record_counts__counties")
    )
    entries = pl.Series([text for (text,) in texts if text], dtype=pl.String)
    if entries.is_empty():
        return []
    pairs = (
        entries.str.split(" ")
        .explode()
        .str.split_exact(":", 1)
        .struct.rename_fields(["county", "records"])
    )
    counties = pairs.struct.unnest().group_by("county").agg(pl.col("records").cast(pl.Int64).sum())
    most_first = counties.sort(["records", "county"], descending=[True, False])
    return most_first.head(question.values["n"]).rows()


def _count_properties(question: FigureQuestion) -> Rows:
    sums = {name: Sum(f"record_counts__{name}", default=0) for name in _PROPERTIES.values()}
    numbers = question.count_filed().aggregate(**sums)
    return [(label, numbers[name]) for label, name in _PROPERTIES.items()]


def _count_denials(question: FigureQuestion) -> Rows:
    sums = {name: Sum(name) for name in (*_REASONS, "record_counts__denial_exempt")}
    counted = question.count_filed().filter(record_counts__isnull=False).values_list(AGENCY)
    return counted.annotate(**{f"n_{name}": each for name, each in sums.items()}).order_by(AGENCY)


def _count_where(condition: Q) -> Callable[[FigureQuestion], Rows]:
    """Return what counts the filers of a kind by agency."""

    def count(question: FigureQuestion) -> Rows:
        filers = question.count_filed().filter(condition).values_list(AGENCY)
        return filers.annotate(number=Count("pk")).order_by(AGENCY)

    return count


def _sum_where(condition: Q, column: str) -> Callable[[FigureQuestion], Rows]:
    """Return what adds up records of the filers of a kind by agency."""

    def add_up(question: FigureQuestion) -> Rows:
        filers = question.count_filed().filter(condition).values_list(AGENCY)
        return filers.annotate(number=Sum(f"record_counts__{column}")).order_by(AGENCY)

    return add_up


def _list_where(condition: Q, *columns: str) -> Callable[[FigureQuestion], Rows]:
    """Return what lists the filers of a kind, those with most of the first column first."""

    def list_filers(question: FigureQuestion) -> Rows:
        rows = _with_counts(question.count_filed().filter(condition), *columns)
        rows = rows.order_by(f"-_{columns[0]}", "_lei")
        return rows[: question.values["n"]] if "n" in question.values else rows

    return list_filers


def _with_counts(filers: QuerySet[Submission], *columns: str) -> QuerySet[Any]:
    counts = {name: F(f"record_counts__{name}") for name in columns}
    return list_values(filers, institution=INSTITUTION, lei=LEI, agency=AGENCY, **counts)


def _list_quarters(question: FigureQuestion) -> Rows:
    quarters = {f"q{number}": F(f"record_counts__quarter_{number}") for number in range(1, 5)}
    rows = list_values(question.count_filed(), institution=INSTITUTION, lei=LEI, **quarters)
    return rows.order_by("_institution", "_lei")


def _originations(kind: str, *, below: bool) -> Figure:
    """Return the figure of filers whose originated loans of a kind are under a number, or not."""
    column, words = f"record_counts__{kind}_originated", kind.replace("_", "-")
    place = 0 if kind == "closed_end" else 1
    threshold = FigureParameter(
        "x", "Loans", find_default=lambda question: question.find_thresholds()[place]
    )

    def count(question: FigureQuestion) -> Rows:
        limit = {f"{column}__{'lt' if below else 'gte'}": question.values["x"]}
        return _count_where(Q(**limit))(question)

    return Figure(
        f"{kind}_originations_{'below' if below else 'at_least'}",
        f"Filers {'below' if below else 'with at least'} a number of {words} originations",
        GROUP,
        ("agency", "filers"),
        f"Filers that originated (action taken 1) {'fewer than' if below else 'at least'} {{x}} "
        f"{words} loans, by agency. Without a number, the coverage threshold of the year counts "
        "(12 CFR 1003.2(g)).",
        count,
        parameters=(threshold,),
        chart=FigureChart("agency", "filers"),
        is_counted=True,
    )


def _counted(
    name: str,
    title: str,
    columns: tuple[str, ...],
    definition: str,
    find_rows: Callable[[FigureQuestion], Rows],
    *,
    parameters: tuple[FigureParameter, ...] = (),
) -> Figure:
    """Return a figure of counts, drawn by its first column and its last one, unless it is wide."""
    is_drawn = len(columns) <= 4
    chart = FigureChart(columns[0], columns[-1]) if is_drawn else None
    return Figure(
        name, title, GROUP, columns, definition, find_rows, parameters, chart, is_counted=True
    )


FIGURES = (
    _counted(
        "top_counties",
        "Counties with the most records",
        ("county", "records"),
        "Records of the filers by county, where it is known; most first.",
        _list_counties,
        parameters=_TOP,
    ),
    _counted(
        "records_by_property",
        "Records by kind of property",
        ("property", "records"),
        "Records of the filers: site-built (construction method 1) and manufactured homes (2) with "
        "1 to 4 units, and multifamily dwellings with 5 units or more.",
        _count_properties,
    ),
    _counted(
        "denial_reasons_by_agency",
        "Reasons for denial by agency",
        ("agency", *(f"reason{number}" for number in range(1, 10)), "exempt"),
        "Records that give the reason in any of the four fields: 1 debt-to-income ratio, 2 "
        "employment history, 3 credit history, 4 collateral, 5 insufficient cash, 6 unverifiable "
        "information, 7 credit application incomplete, 8 mortgage insurance denied, 9 other. "
        "Exempt: the first field is 1111.",
        _count_denials,
    ),
    _counted(
        "filers_using_exemption_by_agency",
        "Filers that use the partial exemption, by agency",
        ("agency", "filers"),
        _ABOUT_EXEMPTION,
        _count_where(_EXEMPTION),
    ),
    _counted(
        "records_using_exemption_by_agency",
        "Records that use the partial exemption, by agency",
        ("agency", "records"),
        "Records with an exemption code (Exempt or 1111) in at least one field, as edit Q646 reads "
        "them.",
        _sum_where(_EXEMPTION, "with_exemption"),
    ),
    _counted(
        "filers_claiming_exemption",
        "Filers that use the partial exemption",
        ("institution", "lei", "agency", "records"),
        f"{_ABOUT_EXEMPTION} Records are those with such a code.",
        _list_where(_EXEMPTION, "with_exemption"),
    ),
    _counted(
        "open_end_filers_by_agency",
        "Filers with open-end lines of credit, by agency",
        ("agency", "filers"),
        "Filers with at least one record of an open-end line of credit.",
        _count_where(Q(record_counts__open_end__gt=0)),
    ),
    _counted(
        "open_end_records_by_agency",
        "Records of open-end lines of credit, by agency",
        ("agency", "records"),
        "Records of the filers whose field Open-End Line of Credit is 1.",
        _sum_where(Q(record_counts__open_end__gt=0), "open_end"),
    ),
    _counted(
        "filers_only_open_end_by_agency",
        "Filers with open-end lines of credit only, by agency",
        ("agency", "filers"),
        _ABOUT_ONLY.format(kind="an open-end line of credit"),
        _count_where(_ONLY_OPEN_END),
    ),
    _counted(
        "filers_only_open_end",
        "Filers with open-end lines of credit only",
        ("institution", "lei", "agency", "records"),
        _ABOUT_ONLY.format(kind="an open-end line of credit"),
        _list_where(_ONLY_OPEN_END, "open_end"),
    ),
    _counted(
        "filers_only_closed_end_by_agency",
        "Filers with closed-end loans only, by agency",
        ("agency", "filers"),
        _ABOUT_ONLY.format(kind="a closed-end loan"),
        _count_where(_ONLY_CLOSED_END),
    ),
    _counted(
        "filers_only_closed_end",
        "Filers with closed-end loans only",
        ("institution", "lei", "agency", "records"),
        _ABOUT_ONLY.format(kind="a closed-end loan"),
        _list_where(_ONLY_CLOSED_END, "closed_end"),
    ),
    _originations("closed_end", below=True),
    _originations("closed_end", below=False),
    _originations("open_end", below=True),
    _originations("open_end", below=False),
    _counted(
        "top_open_end",
        "Filers with the most open-end lines of credit",
        ("institution", "lei", "agency", "records"),
        "Filers by their records of open-end lines of credit, most first.",
        _list_where(Q(record_counts__open_end__gt=0), "open_end"),
        parameters=_TOP,
    ),
    _counted(
        "quarterly_records",
        "Records by quarter",
        ("institution", "lei", "q1", "q2", "q3", "q4"),
        "Records of each filer by the quarter of the date of the action taken.",
        _list_quarters,
    ),
)
