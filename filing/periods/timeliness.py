"""Timely or late: the one place that decides it for filings, submissions and days.

A filing is timely if its first signed submission was signed by the end of the deadline, in the
filing time zone. What is signed after the first one is a correction, which does not make the filing
late. The timeliness of a submission is that of its own signature.

Source: 12 CFR 1003.5(a)(1), which sets the deadline for the submission of the file.
"""

from __future__ import annotations

from datetime import date, datetime, timedelta
from enum import StrEnum
from typing import Any

from django.db.models import Exists, Min, OuterRef, Q, QuerySet, Subquery
from django.utils import timezone

from filing import day_hours
from filing.models import DeadlineExtension, Filing, FilingPeriod, Signature, Submission
from filing.models.extensions import OwnDays, known_extensions
from filing.periods import duties
from filing.statuses import FilingStatus, Status


class Timeliness(StrEnum):
    """Whether a submission or filing is timely or late."""

    TIMELY = "timely"
    LATE = "late"
    OVERDUE = "late, not signed"
    DUE = "not due yet"
    REPLACED = "nothing due"  # another submission was signed, or the filing is not owed


_SIGNED = (Timeliness.TIMELY, Timeliness.LATE)


def find_deadline(period: FilingPeriod) -> datetime:
    """Return the first moment at which a signature is late.

    period: with the days of the institution (`Filing.window`), where it is about one.
    """
    return day_hours.find_start_of_day(period.timely_until + timedelta(days=1))


def is_late(day: date, period: FilingPeriod) -> bool:
    """Tell whether a filing that is first signed on a day is late."""
    return day > period.timely_until


def find_timeliness(submission: Submission) -> Timeliness:
    """Return the timeliness of a submission, read with its filing, period and signature."""
    filing = submission.filing
    if submission.status == Status.SIGNED:
        return _signed(submission.signature.signed_at, filing)
    return _unsigned(filing) if duties.is_due(filing) else Timeliness.REPLACED


def describe_submission(submission: Submission) -> str:
    """Return the timeliness of a submission in words, and whether it is a correction."""
    state = find_timeliness(submission).value
    return f"{state} (correction)" if is_correction(submission) else state


def is_correction(submission: Submission) -> bool:
    """Tell whether a submission was signed after another one of its filing."""
    if submission.status != Status.SIGNED:
        return False
    first = first_signed_at(submission)
    return first is not None and first < submission.signature.signed_at


def find_first_timeliness(submission: Submission) -> Timeliness:
    """Return the timeliness that the filing of a signed submission has, also if cancelled since."""
    first = first_signed_at(submission) or submission.signature.signed_at
    return _signed(first, submission.filing)


def find_filing_timeliness(filing: Filing) -> Timeliness:
    """Return the timeliness of a filing, by its first signature if it has one."""
    if filing.status == FilingStatus.COMPLETED:
        first = first_signed_at(filing)
        return _signed(first, filing) if first else Timeliness.LATE
    return _unsigned(filing) if duties.is_due(filing) else Timeliness.REPLACED


def with_first_signature(rows: QuerySet[Any], *, filing: str) -> QuerySet[Any]:
    """Return filings or submissions with `first_signed_at`, so that lists take one statement.

    Args:
        rows: The filings or submissions.
        filing: The look-up from a row to the key of its filing.
    """
    firsts = Signature.objects.filter(submission__filing=OuterRef(filing)).order_by("signed_at")
    return rows.annotate(first_signed_at=Subquery(firsts.values("signed_at")[:1]))


def first_signed_at(row: Filing | Submission) -> datetime | None:
    """Return when a filing, or that of a submission, was first signed; None if it was not."""
    if hasattr(row, "first_signed_at"):
        return row.first_signed_at
    key = row.pk if isinstance(row, Filing) else row.filing_id
    signatures = Signature.objects.filter(submission__filing=key)
    return signatures.aggregate(first=Min("signed_at"))["first"]


def is_submission_with_timeliness(timeliness: Timeliness) -> Q:
    """Return the condition on submissions with this timeliness."""
    if timeliness in _SIGNED:
        return Q(status=Status.SIGNED) & match_signatures(
            "signature__signed_at", "filing__", timeliness
        )
    unsigned = ~Q(status=Status.SIGNED)
    if timeliness is Timeliness.REPLACED:
        return unsigned & ~duties.match_due("filing__")
    return unsigned & duties.match_due("filing__") & _is_unsigned("filing__", timeliness)


def is_filing_with_timeliness(timeliness: Timeliness, path: str = "") -> Q:
    """Return the condition on filings with this timeliness.

    Args:
        timeliness: The timeliness.
        path: The look-up from the rows to their filings, with its underscores, such as `filings__`
            for periods; none for filings themselves.
    """
    if timeliness in _SIGNED:
        # For all filings at once, which takes a quarter of the time of a look-up for each.
        signed_at = match_signatures("signed_at", "submission__filing__", Timeliness.TIMELY)
        in_time = Signature.objects.filter(signed_at).values("submission__filing")
        is_timely = Q(**{f"{path}pk__in": in_time})
        completed = Q(**{f"{path}status": FilingStatus.COMPLETED})
        return completed & (is_timely if timeliness is Timeliness.TIMELY else ~is_timely)
    if timeliness is Timeliness.REPLACED:
        return ~duties.match_expected(path)
    return duties.match_due(path) & _is_unsigned(path, timeliness)


def _is_unsigned(path: str, timeliness: Timeliness) -> Q:
    """Return the condition on the deadlines of filings: passed, or not."""
    periods = Q(**{f"{path}period__in": _periods(timeliness)})
    if not known_extensions():
        return periods
    running = match_running_extensions(path)
    return periods & ~running if timeliness is Timeliness.OVERDUE else periods | running


def match_running_extensions(path: str = "") -> Q:
    """Return the condition on filings whose deadline was extended and has not passed.

    path: the look-up from the rows to their filings, with its underscores.
    """
    return match_extensions(path, timely_until__gte=day_hours.today())


def match_extensions(path: str = "", **days: date) -> Q:
    """Return the condition on filings with an extension. days: conditions on its days.

    path: the look-up from the rows to their filings, with its underscores.
    """
    if not known_extensions():  # most of the time: no query looks for any
        return Q(pk__in=[])
    extensions = DeadlineExtension.objects.filter(
        is_active=True,
        lei=OuterRef("institution__lei"),
        year=OuterRef("period__year"),
        quarter=OuterRef("period__quarter"),
        **days,
    )
    return Q(**{f"{path}pk__in": Filing.objects.filter(Exists(extensions)).values("pk")})


def match_signatures(moment: str, filing: str, timeliness: Timeliness) -> Q:
    """Return the condition on rows with a timely or late time of signature.

    moment: the look-up of the time. filing: that to the filing, with its underscores.
    """
    after = "gte" if timeliness is Timeliness.LATE else "lt"
    condition, by_extension = Q(pk__in=[]), Q()
    for period in FilingPeriod.objects.order_by():
        deadline = find_deadline(period)
        condition |= Q(**{f"{moment}__{after}": deadline, f"{filing}period": period})
        days = {own.timely_until for own in _list_extensions(period)}
        for day in days:
            leis = DeadlineExtension.objects.filter(
                is_active=True, year=period.year, quarter=period.quarter, timely_until=day
            )
            end = day_hours.find_start_of_day(day + timedelta(days=1))
            by_extension |= Q(
                **{
                    f"{moment}__gte": deadline,
                    f"{moment}__lt": end,
                    f"{filing}period": period,
                    f"{filing}institution__lei__in": leis.values("lei"),
                }
            )
    if not by_extension:
        return condition
    return condition & ~by_extension if timeliness is Timeliness.LATE else condition | by_extension


def count_timely_by_extension(firsts: QuerySet[Any], period: FilingPeriod) -> int:
    """Count filings of a period that were signed after its deadline, but by their own.

    firsts: the filings, each with the time of its first signature as `first_signed_at`.
    """
    if not _list_extensions(period):
        return 0
    late = {"first_signed_at__gte": find_deadline(period)}
    return firsts.filter(match_signatures("first_signed_at", "", Timeliness.TIMELY), **late).count()


def _list_extensions(period: FilingPeriod) -> list[OwnDays]:
    return [
        own
        for (_, year, quarter), own in known_extensions().items()
        if (year, quarter) == (period.year, period.quarter)
    ]


def _signed(at: datetime, filing: Filing) -> Timeliness:
    return Timeliness.LATE if at >= find_deadline(filing.window) else Timeliness.TIMELY


def _unsigned(filing: Filing) -> Timeliness:
    return Timeliness.OVERDUE if timezone.now() >= find_deadline(filing.window) else Timeliness.DUE


def _periods(timeliness: Timeliness) -> list[int]:
    """Return the periods whose filing deadline has passed, or has not."""
    now, is_overdue = timezone.now(), timeliness is Timeliness.OVERDUE
    periods = FilingPeriod.objects.order_by()
    return [period.pk for period in periods if (now >= find_deadline(period)) is is_overdue]
