"""Figures of how filing goes: edits, time and attempts, open filings, corrections, the queue."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import Any

import polars as pl
from django.db.models import Count, F, Max, Min, QuerySet, Sum

from filing import day_hours
from filing.day_hours import Hour
from filing.figures.filers import list_values
from filing.figures.questions import (
    AGENCY,
    INSTITUTION,
    LEI,
    RECORDS,
    SIZES,
    EpochSeconds,
    Figure,
    FigureChart,
    FigureParameter,
    FigureQuestion,
    Rows,
    size_of,
    summarize_numbers,
)
from filing.models import Attempt, EditResult, StatusChange, Submission, ToolUse
from filing.people import memberships
from filing.seasons import figures as season_figures
from filing.statuses import Event

EDITS, TIMES, OPEN, SERVICE = (
    "Edits over the season",
    "Time and attempts",
    "Open filings and corrections",
    "The service",
)
GROUPS = (EDITS, TIMES, OPEN, SERVICE)
_HOUR = 3600  # seconds
_LAST_DAYS = FigureParameter("n", "Days", least=1, most=366, default=14)
# The events with which edits of a kind are triggered in a file, and verified.
_TRIGGERED = {
    Event.QUALITY_FOUND_ERRORS.name: "quality",
    Event.MACRO_FOUND_ERRORS.name: "macro",
}
_VERIFIED = {Event.QUALITY_VERIFIED.name: "quality", Event.MACRO_VERIFIED.name: "macro"}


def find_signed_edits(filed: QuerySet[Submission]) -> QuerySet[EditResult]:
    """Return the edits that were triggered in submissions."""
    return EditResult.objects.filter(submission__in=filed.values("pk"), total__gt=0).order_by()


def percent(part: float, whole: float) -> float | None:
    """Return a share in percent with two places; None of nothing."""
    return round(100 * part / whole, 2) if whole else None


def _list_edits(question: FigureQuestion) -> Rows:
    uploaded = question.find_submissions()
    triggered = (
        EditResult.objects.filter(submission__in=uploaded.values("pk"), total__gt=0)
        .order_by()
        .values_list("code", "kind")
        .annotate(
            filers=Count("submission__filing", distinct=True),
            submissions=Count("submission", distinct=True),
        )
    )
    signed = {
        (code, kind): numbers
        for code, kind, *numbers in find_signed_edits(question.count_filed())
        .values_list("code", "kind")
        .annotate(filers=Count("submission", distinct=True), records=Sum("total"))
    }
    filers = uploaded.aggregate(number=Count("filing", distinct=True))["number"]
    rows = [
        (code, kind, number, percent(number, filers), files, *signed.get((code, kind), (0, 0)))
        for code, kind, number, files in triggered
    ]
    return sorted(rows, key=lambda row: (-row[2], row[0]))


def count_by_size(question: FigureQuestion) -> dict[str, tuple[int, int]]:
    """Return the filers of each class and their records; no class without filers."""
    counted = question.count_filed().values_list(size_of())
    rows = counted.annotate(filers=Count("pk"), total=Sum(RECORDS))
    return {size: (filers, records) for size, filers, records in rows}


def _list_edits_by_size(question: FigureQuestion) -> Rows:
    sizes, order = count_by_size(question), list(SIZES)
    by_size = find_signed_edits(question.count_filed()).values_list(
        size_of("submission__"), "code", "kind"
    )
    counted = by_size.annotate(filers=Count("submission", distinct=True), records=Sum("total"))
    rows = [
        (
            *(size, code, kind, filers, percent(filers, sizes[size][0])),
            *(records, percent(records, sizes[size][1])),
        )
        for size, code, kind, filers, records in counted
    ]
    return sorted(rows, key=lambda row: (order.index(row[0]), -row[3], row[1]))


def _list_verifications(question: FigureQuestion) -> Rows:
    """Return how long after the check the kinds of edits were verified, by edit."""
    filed = question.count_filed()
    events = list(
        StatusChange.objects.filter(
            submission__in=filed.values("pk"), event__in=[*_TRIGGERED, *_VERIFIED]
        )
        .order_by()
        .values_list("submission", "event")
        .annotate(last=Max(EpochSeconds("at")))
    )
    names = ["submission", "event", "at"]
    changes = pl.DataFrame(events, names, orient="row") if events else None
    results = list(
        find_signed_edits(filed)
        .filter(kind__in=["quality", "macro"])
        .values_list("submission", "code", "kind")
    )
    if changes is None or not results:
        return []
    triggered, verified = (
        changes.filter(pl.col("event").is_in(list(kinds))).with_columns(
            kind=pl.col("event").replace_strict(kinds)
        )
        for kinds in (_TRIGGERED, _VERIFIED)
    )
    hours = triggered.join(verified, on=["submission", "kind"]).select(
        "submission", "kind", hours=(pl.col("at_right") - pl.col("at")) / _HOUR
    )
    edits = pl.DataFrame(results, ["submission", "code", "kind"], orient="row").unique()
    timed = edits.join(hours, on=["submission", "kind"])
    return summarize_numbers(timed, ["code", "kind"], "hours").rows()


def _list_times(question: FigureQuestion) -> Rows:
    """Return the hours from the first upload to the first signature, and attempts, by size."""
    filed = pl.DataFrame(
        list(
            list_values(
                question.count_filed(),
                filing=F("filing"),
                size=size_of(),
                attempts=F("sequence_number"),
            )
        ),
        {"filing": pl.Int64, "size": pl.String, "attempts": pl.Int64},
        orient="row",
    )
    uploaded = question.find_submissions().values_list("filing")
    firsts = pl.DataFrame(
        list(
            uploaded.annotate(
                first=Min(EpochSeconds("uploaded_at")),
                signed=Min(EpochSeconds("signature__signed_at")),
            )
        ),
        {"filing": pl.Int64, "first": pl.Float64, "signed": pl.Float64},
        orient="row",
    )
    timed = filed.join(firsts, on="filing", how="left").with_columns(
        hours=(pl.col("signed") - pl.col("first")) / _HOUR
    )
    if timed.is_empty():
        return []
    by_size = summarize_numbers(timed, ["size"], "hours", "attempts").rows()
    by_size.sort(key=lambda row: list(SIZES).index(row[0]))
    whole = timed.with_columns(size=pl.lit("all"))
    return [*by_size, *summarize_numbers(whole, ["size"], "hours", "attempts").rows()]


def _count_open(question: FigureQuestion) -> Rows:
    by_status: dict[str, list[Any]] = {}
    rows = season_figures.find_filings_not_signed(question.period).values_list(
        "last_status", "last_step_at"
    )
    for status, since in rows.iterator(chunk_size=5_000):
        numbers = by_status.setdefault(
            season_figures.describe_status(status) or "no submission", [0, since]
        )
        numbers[0] += 1
        numbers[1] = min(numbers[1], since) if since else None
    return [(status, number, since) for status, (number, since) in sorted(by_status.items())]


def _list_open(question: FigureQuestion) -> Rows:
    rows = (
        season_figures.find_filings_not_signed(question.period)
        .filter(last_id__isnull=False)
        .order_by("last_step_at")
    )
    return [
        (name, lei, season_figures.describe_status(status), since, number)
        for name, lei, status, since, number in rows.values_list(
            *("institution__name", "institution__lei"),
            *("last_status", "last_step_at", "last_number"),
        )
    ]


def _list_not_filed(question: FigureQuestion) -> Rows:
    filings = season_figures.find_filings_not_signed(question.period)
    leis = filings.order_by().values("institution__lei")
    members = memberships.find_filing_addresses(leis)
    before = question.find_counting(
        filing__period__year=question.year - 1,
        filing__period__quarter="",
        filing__institution__lei__in=leis,
    )
    sheets = dict(list_values(before, lei=LEI, sheet=F("transmittal_sheet")))
    names = ("contact_name", "contact_phone", "contact_email")
    rows = filings.values_list(
        *("institution__name", "institution__lei", "institution__email_domains", "last_status")
    )
    return [
        (
            *(name, lei, season_figures.describe_status(status) or "no submission"),
            *("; ".join(sorted(members.get(lei, ()))), "; ".join(domains)),
            *(str((sheets.get(lei) or {}).get(field, "")) for field in names),
        )
        for name, lei, domains, status in rows
    ]


def _list_corrections(question: FigureQuestion) -> Rows:
    signed = (
        question.find_signatures()
        .values("submission__filing")
        .annotate(
            number=Count("pk"),
            last=Max("signed_at"),
            changed=Sum("submission__record_counts__changed"),
        )
    )
    corrected = {
        filing: (number - 1, changed, last)
        for filing, number, last, changed in signed.filter(number__gt=1).values_list(
            "submission__filing", "number", "last", "changed"
        )
    }
    filed = list_values(
        question.count_filed().filter(filing__in=list(corrected)),
        filing=F("filing"),
        institution=INSTITUTION,
        lei=LEI,
        agency=AGENCY,
        records=RECORDS,
    )
    rows = [(*facts, *corrected[filing]) for filing, *facts in filed]
    return sorted(rows, key=lambda row: (-row[4], row[1]))


def _list_queue(question: FigureQuestion) -> Rows:
    days = question.values["n"]
    first = day_hours.find_start_of_day(question.as_of - timedelta(days=days - 1))
    last = day_hours.find_start_of_day(question.as_of + timedelta(days=1))
    done = Attempt.objects.filter(
        outcome=Attempt.Outcome.DONE, ended_at__gte=first, ended_at__lt=last
    ).order_by()
    rows = done.values_list(
        Hour("ended_at"),
        "job__stage",
        EpochSeconds("started_at") - EpochSeconds("job__queued_at"),
        EpochSeconds("ended_at") - EpochSeconds("started_at"),
    )
    return _summarize_work(rows)


def _summarize_work(rows: Iterable[Sequence[Any]]) -> Rows:
    types = {"hour": pl.String, "stage": pl.String, "wait": pl.Float64, "work": pl.Float64}
    work = pl.DataFrame(list(rows), types, orient="row")
    if work.is_empty():
        return []
    days = {hour: day_hours.find_day_of_hour(hour) for hour in work["hour"].unique()}
    # A job that staff queued again may have begun before it was queued the last time.
    by_day = work.with_columns(
        day=pl.col("hour").replace_strict(days, return_dtype=pl.Date),
        wait=pl.when(pl.col("wait") >= 0).then("wait"),
    )
    return summarize_numbers(by_day, ["day", "stage"], "wait", "work").rows()


def _list_tool_uses(question: FigureQuestion) -> Rows:
    first = question.as_of - timedelta(days=question.values["n"] - 1)
    uses = ToolUse.objects.filter(day__range=(first, question.as_of)).order_by("day", "tool")
    return uses.values_list("day", "tool", "uses")


FIGURES = (
    Figure(
        "edits_triggered",
        "Edits that were triggered",
        EDITS,
        ("edit", "kind", "filers", "share", "submissions", "signedFilers", "signedRecords"),
        "Institutions in one of whose files for {period} the edit was triggered, also in percent "
        "of all that uploaded one, and these files. Signed: the filers and records that trigger it "
        "in what counts.",
        _list_edits,
        chart=FigureChart("edit", "filers"),
    ),
    Figure(
        "edits_by_size",
        "Edits by size of the institution",
        EDITS,
        ("size", "edit", "kind", "filers", "share", "records", "recordShare"),
        "Filers in whose counting submission the edit was triggered, also in percent of the filers "
        "of their size, and its records, also in percent of all records of these filers. The size "
        "is the number of records.",
        _list_edits_by_size,
    ),
    Figure(
        "edits_verified",
        "How long edits wait to be verified",
        EDITS,
        ("edit", "kind", "filers", "medianHours", "p90Hours"),
        "Hours from the check of the counting submission to the verification of its quality or "
        "macro edits, of the filers that triggered the edit.",
        _list_verifications,
        chart=FigureChart("edit", "medianHours"),
    ),
    Figure(
        "time_to_signature",
        "Time to signature, and attempts",
        TIMES,
        ("size", "filers", "medianHours", "p90Hours", "medianAttempts", "p90Attempts"),
        "Hours from a filer's first upload to its first signature, and the number of its counting "
        "submission: the median and the 90th percentile, by the number of records.",
        _list_times,
        chart=FigureChart("size", "medianHours"),
    ),
    Figure(
        "open_filings_by_status",
        "Where open filings are",
        OPEN,
        ("status", "filings", "oldest"),
        "Expected filings that are not signed, by the status of their last submission, and since "
        "when the one that has waited longest has had it.",
        _count_open,
        chart=FigureChart("status", "filings"),
        is_live=True,
    ),
    Figure(
        "open_filings",
        "Open filings",
        OPEN,
        ("institution", "lei", "status", "since", "submission"),
        "Expected filings that are not signed but have a submission: its status, since when, and "
        "its number. Those that have waited longest come first.",
        _list_open,
        is_live=True,
    ),
    Figure(
        "not_filed",
        "Not filed, with contacts",
        OPEN,
        (
            *("institution", "lei", "status", "users", "emailDomains"),
            *("contactName", "contactPhone", "contactEmail"),
        ),
        "Expected filings that are not signed: the users who may file for the institution now or "
        "look after its people, and the contact on the transmittal sheet of the year before.",
        _list_not_filed,
        is_live=True,
    ),
    Figure(
        "corrections",
        "Corrections after signature",
        OPEN,
        (
            *("institution", "lei", "agency", "records"),
            *("corrections", "recordsChanged", "lastSignedAt"),
        ),
        "Filers that signed again: how often, and how many records were added, removed or changed "
        "against the file signed before, over all their corrections. Blank: not compared yet.",
        _list_corrections,
        chart=FigureChart("institution", "corrections"),
        is_counted=True,
    ),
    Figure(
        "queue_by_day",
        "Queue and stages by day",
        SERVICE,
        ("day", "stage", "jobs", "medianWait", "p90Wait", "medianWork", "p90Work"),
        "Jobs of all periods that were done in the last {n} days: seconds in the queue and at "
        "work, median and 90th percentile.",
        _list_queue,
        parameters=(_LAST_DAYS,),
        chart=FigureChart("day", "jobs", "stage"),
    ),
    Figure(
        "tool_use_by_day",
        "Public checks and tools by day",
        SERVICE,
        ("day", "tool", "uses"),
        "Uses of public tools that were answered, on pages and over the API, in the last {n} days. "
        "Only their number is kept.",
        _list_tool_uses,
        parameters=(_LAST_DAYS,),
        chart=FigureChart("day", "uses", "tool"),
    ),
)
