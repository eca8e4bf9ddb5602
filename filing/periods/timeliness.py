"""Timely or late: a filing is timely until the end of its deadline, in the filing time zone."""

from __future__ import annotations

from datetime import datetime, time, timedelta
from enum import StrEnum

from django.db.models import Q
from django.utils import timezone

from filing import day_hours
from filing.models import Filing, FilingPeriod, Submission
from filing.statuses import FilingStatus, Status

_EXPECTED = (FilingStatus.NOT_STARTED, FilingStatus.IN_PROGRESS)


class Timeliness(StrEnum):
    """Whether a submission or filing is timely or late."""

    TIMELY = "timely"
    LATE = "late"
    OVERDUE = "late, not signed"
    DUE = "not due yet"
    REPLACED = "nothing due"  # another submission was signed, or the filing was cancelled


_SIGNED = (Timeliness.TIMELY, Timeliness.LATE)


def today() -> datetime:
    """Return when today began, in the filing time zone."""
    return datetime.combine(day_hours.today(), time(), day_hours.zone())


def deadline(period: FilingPeriod) -> datetime:
    """Return the first moment at which a signature is late."""
    return datetime.combine(period.timely_until + timedelta(days=1), time(), day_hours.zone())


def of(submission: Submission) -> Timeliness:
    """Return the timeliness of a submission, read with its filing, period and signature."""
    filing = submission.filing
    if submission.status == Status.SIGNED:
        return _signed(submission.signature.signed_at, filing)
    return Timeliness.REPLACED if filing.status not in _EXPECTED else _unsigned(filing)


def of_filing(filing: Filing) -> Timeliness:
    """Return the timeliness of a filing, by its last signature if it has one."""
    if filing.status == FilingStatus.COMPLETED and filing.completed_at:
        return _signed(filing.completed_at, filing)
    return Timeliness.REPLACED if filing.status not in _EXPECTED else _unsigned(filing)


def submissions(timeliness: Timeliness) -> Q:
    """Return the condition on submissions with this timeliness."""
    if timeliness in _SIGNED:
        return Q(status=Status.SIGNED) & _signed_at("signature__signed_at", "filing__", timeliness)
    unsigned = ~Q(status=Status.SIGNED)
    if timeliness is Timeliness.REPLACED:
        return unsigned & ~Q(filing__status__in=_EXPECTED)
    return unsigned & Q(filing__status__in=_EXPECTED, filing__period__in=_periods(timeliness))


def filings(timeliness: Timeliness) -> Q:
    """Return the condition on filings with this timeliness."""
    if timeliness in _SIGNED:
        return Q(status=FilingStatus.COMPLETED) & _signed_at("completed_at", "", timeliness)
    if timeliness is Timeliness.REPLACED:
        return Q(status=FilingStatus.CANCELLED)
    return Q(status__in=_EXPECTED, period__in=_periods(timeliness))


def _signed(at: datetime, filing: Filing) -> Timeliness:
    return Timeliness.LATE if at >= deadline(filing.period) else Timeliness.TIMELY


def _unsigned(filing: Filing) -> Timeliness:
    return Timeliness.OVERDUE if timezone.now() >= deadline(filing.period) else Timeliness.DUE


def _periods(timeliness: Timeliness) -> list[int]:
    """Return the periods whose filing deadline has passed, or has not."""
    now, is_overdue = timezone.now(), timeliness is Timeliness.OVERDUE
    periods = FilingPeriod.objects.order_by()
    return [period.pk for period in periods if (now >= deadline(period)) is is_overdue]


def _signed_at(moment: str, filing: str, timeliness: Timeliness) -> Q:
    """Return the condition on the time of signature. filing: the lookup path to the filing."""
    after = "gte" if timeliness is Timeliness.LATE else "lt"
    condition = Q(pk__in=[])
    for period in FilingPeriod.objects.order_by():
        condition |= Q(**{f"{moment}__{after}": deadline(period), f"{filing}period": period})
    return condition
