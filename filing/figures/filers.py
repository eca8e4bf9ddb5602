"""Figures of filers: who filed, how much, when, in how many attempts, late or without having to.

Filers are the institutions with a submission of the period that counts, without test institutions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import date, timedelta
from typing import Any

import polars as pl
from django.db.models import Count, F, QuerySet, Sum

from filing import day_hours, standing
from filing.day_hours import Hour
from filing.figures.questions import (
    AGENCY,
    INSTITUTION,
    LEI,
    RECORDS,
    Figure,
    FigureChart,
    FigureParameter,
    FigureQuestion,
    Rows,
)
from filing.lar.years import Period
from filing.models import Filing, FilingPeriod, Institution, Submission
from filing.periods import duties, timeliness
from filing.periods.timeliness import Timeliness

GROUP, DAYS_GROUP, OWING_GROUP = "Filers", "Days and weeks", "Quarterly, late and voluntary filers"
_QUARTERS = ("Q1", "Q2", "Q3")
_FILERS = "Filers are the institutions whose signed submission for {period} counts."
_SIGNED = F("signature__signed_at")
_PLACE = {"city": F("record_counts__city"), "state": F("record_counts__state")}
_MOST_ROWS = FigureParameter("n", "Rows at most", least=1, most=100_000, default=100)
_BETWEEN = (
    FigureParameter("min", "More records than", is_optional=True),
    FigureParameter("max", "Fewer records than", is_optional=True),
)


def list_values(rows: QuerySet[Submission], **columns: Any) -> QuerySet[Any]:
    """Return tuples of submissions with the columns, which are expressions by their names."""
    # Named apart from the columns of the table, with some of which they would conflict.
    named = {f"_{name}": expression for name, expression in columns.items()}
    return rows.annotate(**named).values_list(*named)


def _count_filers(question: FigureQuestion) -> Rows:
    return [(question.count_filed().count(),)]


def _count_records(question: FigureQuestion) -> Rows:
    return [(question.count_filed().aggregate(number=Sum(RECORDS, default=0))["number"],)]


def _count_sheets(question: FigureQuestion) -> Rows:
    return [(question.count_filed().filter(transmittal_sheet__isnull=False).count(),)]


def _count_single_attempts(question: FigureQuestion) -> Rows:
    return [(question.count_filed().filter(sequence_number=1).count(),)]


def _count_multiple_attempts(question: FigureQuestion) -> Rows:
    return [(question.count_filed().filter(sequence_number__gt=1).count(),)]


def _list_attempts(question: FigureQuestion) -> Rows:
    rows = list_values(
        question.count_filed(),
        institution=INSTITUTION,
        records=RECORDS,
        attempts=F("sequence_number"),
        lei=LEI,
    )
    return rows.order_by("-_attempts", "-_records", "_lei")[: question.values["n"]]


def _list_top_filers(question: FigureQuestion) -> Rows:
    rows = list_values(
        question.count_filed(),
        **{"institution": INSTITUTION, "lei": LEI, "records": RECORDS, **_PLACE, "at": _SIGNED},
    )
    return rows.order_by("-_records", "_lei")[: question.values["n"]]


def _list_periods_of_filer(question: FigureQuestion) -> Rows:
    rows = list_values(
        question.find_counting(filing__institution__lei=question.values["lei"]).order_by(
            "-filing__period__year", "-filing__period__quarter"
        ),
        year=F("filing__period__year"),
        quarter=F("filing__period__quarter"),
        institution=INSTITUTION,
        records=RECORDS,
        **_PLACE,
        at=_SIGNED,
        agency=AGENCY,
    )
    return [
        (f"{year}-{quarter}" if quarter else str(year), *others) for year, quarter, *others in rows
    ]


def _between(question: FigureQuestion) -> QuerySet[Submission]:
    rows = question.count_filed()
    least, most = question.values["min"], question.values["max"]
    # The lines of a file are its records and the transmittal sheet.
    rows = rows if least is None else rows.filter(lines__gt=least + 1)
    return rows if most is None else rows.filter(lines__lt=most + 1)


def _list_between(question: FigureQuestion) -> Rows:
    rows = list_values(_between(question), institution=INSTITUTION, lei=LEI, records=RECORDS)
    return rows.order_by("-_records", "_lei")


def _count_between(question: FigureQuestion) -> Rows:
    return [(_between(question).count(),)]


def _count_by_agency(question: FigureQuestion) -> Rows:
    rows = question.count_filed().values_list(AGENCY)
    return rows.annotate(number=Count("pk")).order_by(AGENCY)


def _count_records_by_agency(question: FigureQuestion) -> Rows:
    return question.count_filed().values_list(AGENCY).annotate(number=Sum(RECORDS)).order_by(AGENCY)


def _count_signatures(question: FigureQuestion) -> Rows:
    rows = question.find_signatures().values_list(Hour("signed_at")).annotate(number=Count("pk"))
    by_day = _add_up_days(rows)
    days = (question.as_of - timedelta(days=ago) for ago in range(question.values["n"]))
    return [(day, by_day[day]) for day in reversed(list(days))]


def _add_up_days(hours: Iterable[tuple[str, int]]) -> Counter[date]:
    by_day: Counter[date] = Counter()
    for hour, number in hours:
        by_day[day_hours.find_day_of_hour(hour)] += number
    return by_day


def _count_by_week(question: FigureQuestion, number: Any) -> Rows:
    """Return a number for each week of the season and agency. number: what is aggregated."""
    rows = (
        question.count_filed().values_list(Hour(_SIGNED), AGENCY).annotate(number=number).order_by()
    )
    opens, weeks = question.period.opens, Counter[tuple[int, str]]()
    for hour, agency, count in rows:
        weeks[(day_hours.find_day_of_hour(hour) - opens).days // 7 + 1, agency] += count
    return [
        (week, agency, count, opens + timedelta(weeks=week - 1))
        for (week, agency), count in sorted(weeks.items())
    ]


def _count_filers_by_week(question: FigureQuestion) -> Rows:
    return _count_by_week(question, Count("pk"))


def _count_records_by_week(question: FigureQuestion) -> Rows:
    return _count_by_week(question, Sum(RECORDS))


def _list_quarterly_filers(question: FigureQuestion) -> Rows:
    owing = Institution.objects.filter(activity_year=question.year, quarterly_filer=True)
    if not question.with_tests:
        owing = owing.filter(standing.is_real_institution())
    leis = owing.order_by().values("lei")
    quarters = question.find_counting(
        filing__period__year=question.year,
        filing__period__quarter__in=_QUARTERS,
        filing__institution__lei__in=leis,
    )
    filed = set(list_values(quarters, lei=LEI, quarter=F("filing__period__quarter")))
    before = question.find_counting(
        filing__period__year=question.year - 1,
        filing__period__quarter="",
        filing__institution__lei__in=leis,
    )
    records = dict(list_values(before, lei=LEI, records=RECORDS))
    institutions = list(owing.order_by("name", "lei").values_list("name", "lei"))
    releases = duties.read_releases([lei for _, lei in institutions])
    of_quarters = Filing.objects.filter(
        institution__in=owing, period__year=question.year, period__quarter__in=_QUARTERS
    )
    is_owed = {
        (filing.institution.lei, filing.period.quarter): not duties.find_reason_not_owed(filing)
        for filing in of_quarters.select_related("institution", "period")
    }

    def is_filed(lei: str, quarter: str) -> bool | None:
        if (lei, quarter) in filed:
            return True
        is_released = releases.has(lei, Period.of(question.year, quarter))
        return False if is_owed.get((lei, quarter), not is_released) else None

    rows = [
        (name, lei, *(is_filed(lei, quarter) for quarter in _QUARTERS), records.get(lei))
        for name, lei in institutions
    ]
    return [row for row in rows if any(quarter is not None for quarter in row[2:5])]


def _list_late(question: FigureQuestion, periods: Iterable[FilingPeriod]) -> QuerySet[Any]:
    """Return filers of periods whose first signature came after the deadline, by that."""
    late = timeliness.match_signatures("first_signed_at", "filing__", Timeliness.LATE)
    rows = timeliness.with_first_signature(
        question.find_counting(filing__period__in=list(periods)), filing="filing"
    ).filter(late)
    return list_values(
        rows.order_by("filing__period__quarter", "first_signed_at", "pk"),
        quarter=F("filing__period__quarter"),
        agency=AGENCY,
        institution=INSTITUTION,
        records=RECORDS,
        day=F("first_signed_at"),
        number=F("sequence_number"),
        lei=LEI,
    )


def _describe_late(row: tuple[Any, ...], period: str) -> tuple[Any, ...]:
    _, agency, institution, records, first, number, lei = row
    day = day_hours.to_filing_zone(first).date()
    return agency, institution, records, day, f"{lei}-{period}-{number}"


def _list_late_filers(question: FigureQuestion) -> Rows:
    rows = _list_late(question, [question.period])
    return [_describe_late(row, str(question.period)) for row in rows]


def _list_late_by_quarter(question: FigureQuestion) -> Rows:
    periods = FilingPeriod.objects.filter(year=question.year, quarter__in=_QUARTERS)
    names = {period.quarter: str(period) for period in periods}
    return [(row[0], *_describe_late(row, names[row[0]])) for row in _list_late(question, periods)]


def _list_voluntary(question: FigureQuestion) -> Rows:
    """Return the filers that were under both thresholds in both years before, or may have been."""
    filers = pl.DataFrame(
        list(list_values(question.count_filed(), name=INSTITUTION, lei=LEI, agency=AGENCY)),
        ["institution", "lei", "agency"],
        orient="row",
    )
    years = [question.year - 1, question.year - 2]
    earlier = question.find_counting(
        filing__period__year__in=years, filing__period__quarter="", record_counts__isnull=False
    )
    counts = pl.DataFrame(
        list(
            list_values(
                earlier,
                lei=LEI,
                year=F("filing__period__year"),
                closed=F("record_counts__closed_end_originated"),
                open=F("record_counts__open_end_originated"),
            )
        ),
        {"lei": pl.String, "year": pl.Int64, "closed": pl.Int64, "open": pl.Int64},
        orient="row",
    )
    closed_end, open_end = question.find_thresholds()
    if filers.is_empty():
        return []
    for year in years:
        of_year = counts.filter(pl.col("year") == year).select(
            "lei", pl.col("closed", "open").name.suffix(str(year))
        )
        filers = filers.join(of_year, on="lei", how="left")
    # Nulls stay null: what is not known is neither under nor over.
    under = pl.all_horizontal(
        *(pl.col(f"closed{year}") < closed_end for year in years),
        *(pl.col(f"open{year}") < open_end for year in years),
    )
    state = pl.when(under).then(pl.lit("voluntary")).when(under.is_null()).then(pl.lit("unknown"))
    names = [f"{kind}{year}" for year in years for kind in ("closed", "open")]
    found = filers.with_columns(state=state).drop_nulls("state")
    found = found.sort("state", "institution", "lei", descending=[True, False, False])
    return found.select("institution", "lei", "agency", "state", *names).rows()


FIGURES = (
    Figure("total_filers", "Filers", GROUP, ("filers",), _FILERS, _count_filers),
    Figure(
        "total_records",
        "Records",
        GROUP,
        ("records",),
        f"{_FILERS} Records are the lines of their files without the transmittal sheet.",
        _count_records,
    ),
    Figure(
        "total_sheets",
        "Transmittal sheets",
        GROUP,
        ("sheets",),
        f"{_FILERS} Each of their files has one transmittal sheet, so this equals the filers.",
        _count_sheets,
    ),
    Figure(
        "single_attempts",
        "Filers with one attempt",
        GROUP,
        ("filers",),
        f"{_FILERS} Counted are those whose counting submission has number 1.",
        _count_single_attempts,
    ),
    Figure(
        "multiple_attempts",
        "Filers with several attempts",
        GROUP,
        ("filers",),
        f"{_FILERS} Counted are those whose counting submission has a number above 1.",
        _count_multiple_attempts,
    ),
    Figure(
        "filer_attempts",
        "Attempts of each filer",
        GROUP,
        ("institution", "records", "attempts", "lei"),
        f"{_FILERS} Attempts are the number of the counting submission; the most come first.",
        _list_attempts,
        parameters=(_MOST_ROWS,),
    ),
    Figure(
        "top_filers",
        "Filers with the most records",
        GROUP,
        ("institution", "lei", "records", "city", "state", "signedAt"),
        f"{_FILERS} City and state are those of the transmittal sheet.",
        _list_top_filers,
        parameters=(_MOST_ROWS,),
        chart=FigureChart("institution", "records"),
        is_counted=True,
    ),
    Figure(
        "filer_all_periods",
        "One filer in all periods",
        GROUP,
        ("period", "institution", "records", "city", "state", "signedAt", "agency"),
        "What counts of the LEI {lei} in every period; city, state and agency are those of the "
        "transmittal sheet.",
        _list_periods_of_filer,
        parameters=(FigureParameter("lei", "LEI", is_lei=True),),
        chart=FigureChart("period", "records"),
    ),
    Figure(
        "filers_by_records",
        "Filers by number of records",
        GROUP,
        ("institution", "lei", "records"),
        f"{_FILERS} Listed are those with more records than min and fewer than max.",
        _list_between,
        parameters=_BETWEEN,
        chart=FigureChart("institution", "records"),
    ),
    Figure(
        "filers_count_by_records",
        "Number of filers by number of records",
        GROUP,
        ("filers",),
        f"{_FILERS} Counted are those with more records than min and fewer than max.",
        _count_between,
        parameters=_BETWEEN,
    ),
    Figure(
        "filers_by_agency",
        "Filers by agency",
        GROUP,
        ("agency", "filers"),
        f"{_FILERS} The agency is that of the transmittal sheet.",
        _count_by_agency,
        chart=FigureChart("agency", "filers"),
        is_counted=True,
    ),
    Figure(
        "records_by_agency",
        "Records by agency",
        GROUP,
        ("agency", "records"),
        f"{_FILERS} The agency is that of the transmittal sheet.",
        _count_records_by_agency,
        chart=FigureChart("agency", "records"),
        is_counted=True,
    ),
    Figure(
        "signatures_by_day",
        "Signatures by day",
        DAYS_GROUP,
        ("day", "signatures"),
        "All signatures for {period}, also of submissions that were replaced since, by day in the "
        "filing time zone: the last {n} days.",
        _count_signatures,
        parameters=(FigureParameter("n", "Days", least=1, most=1_000, default=30),),
        chart=FigureChart("day", "signatures"),
    ),
    Figure(
        "filers_by_week_by_agency",
        "Filers by week and agency",
        DAYS_GROUP,
        ("week", "agency", "filers", "begins"),
        f"{_FILERS} Week 1 begins on the day on which the period opens; the day is that of the "
        "signature.",
        _count_filers_by_week,
        chart=FigureChart("begins", "filers", "agency"),
        is_counted=True,
    ),
    Figure(
        "records_by_week_by_agency",
        "Records by week and agency",
        DAYS_GROUP,
        ("week", "agency", "records", "begins"),
        f"{_FILERS} Week 1 begins on the day on which the period opens; the day is that of the "
        "signature.",
        _count_records_by_week,
        chart=FigureChart("begins", "records", "agency"),
        is_counted=True,
    ),
    Figure(
        "quarterly_filers",
        "Institutions that owe quarterly data",
        OWING_GROUP,
        ("institution", "lei", "q1", "q2", "q3", "recordsYearBefore"),
        "The quarterly filers of the year's panel: whether what they filed for each quarter "
        "counts, and the records of their annual file of the year before. Blank: the institution "
        "does not owe the quarter: because of an event such as a merger or a new LEI, or because "
        "the filing is canceled or not required.",
        _list_quarterly_filers,
    ),
    Figure(
        "late_filers",
        "Late filers",
        OWING_GROUP,
        ("agency", "institution", "records", "day", "submission"),
        "Filers whose first signature for {period} came after the filing deadline, {deadline}, or "
        "after the extended one of the institution. The day is that of the first signature; "
        "records and submission are those that count.",
        _list_late_filers,
        chart=FigureChart("institution", "records"),
        is_counted=True,
    ),
    Figure(
        "late_filers_by_quarter",
        "Late filers by quarter",
        OWING_GROUP,
        ("quarter", "agency", "institution", "records", "day", "submission"),
        "Filers of the quarters of the year whose first signature for the quarter came after its "
        "filing deadline, or after the extended one of the institution. Records and submission are "
        "those that count.",
        _list_late_by_quarter,
    ),
    Figure(
        "voluntary_filers",
        "Voluntary filers",
        OWING_GROUP,
        (
            *("institution", "lei", "agency", "state"),
            *("closedEnd1YearBefore", "openEnd1YearBefore"),
            *("closedEnd2YearsBefore", "openEnd2YearsBefore"),
        ),
        "Filers that originated fewer closed-end loans and fewer open-end lines of credit than the "
        "coverage thresholds of the year (12 CFR 1003.2(g)) in both of the two years before, by "
        "the annual files that count. Unknown: a file of these years, or a threshold, is missing, "
        "and what is known is below.",
        _list_voluntary,
    ),
)
