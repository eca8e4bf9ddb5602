"""Late or timely: a filing is timely to the end of its deadline, where its regulator is."""

from __future__ import annotations

from datetime import datetime, time, timedelta
from enum import StrEnum

from django.db.models import Q
from django.utils import timezone

from filing import day_hours
from filing.models import Filing, FilingPeriod, Submission
from filing.statuses import FilingStatus, Status

_OWED = (FilingStatus.NOT_STARTED, FilingStatus.IN_PROGRESS)


class Timeliness(StrEnum):
    """How a submission stands to the filing deadline of its period."""

    TIMELY = "timely"
    LATE = "late"
    OVERDUE = "late, not signed"
    DUE = "not due yet"
    REPLACED = "nothing due"  # another submission was signed, or the filing was cancelled


_SIGNED = (Timeliness.TIMELY, Timeliness.LATE)


def today() -> datetime:
    """Return when today began, where filings are taken."""
    return datetime.combine(day_hours.today(), time(), day_hours.zone())


def deadline(period: FilingPeriod) -> datetime:
    """Return the first moment at which a signature is late."""
    return datetime.combine(period.timely_until + timedelta(days=1), time(), day_hours.zone())


def of(submission: Submission) -> Timeliness:
    """Return how a submission stands now. It has its filing, period and signature at hand."""
    filing = submission.filing
    if submission.status == Status.SIGNED:
        return _signed(submission.signature.signed_at, filing)
    return Timeliness.REPLACED if filing.status not in _OWED else _unsigned(filing)


def of_filing(filing: Filing) -> Timeliness:
    """Return how a filing stands now: by its last signature, if it has one."""
    if filing.status == FilingStatus.COMPLETED and filing.completed_at:
        return _signed(filing.completed_at, filing)
    return Timeliness.REPLACED if filing.status not in _OWED else _unsigned(filing)


def submissions(wanted: Timeliness) -> Q:
    """Return the condition on submissions that stand so now."""
    if wanted in _SIGNED:
        return Q(status=Status.SIGNED) & _signed_at("signature__signed_at", "filing__", wanted)
    unsigned = ~Q(status=Status.SIGNED)
    if wanted is Timeliness.REPLACED:
        return unsigned & ~Q(filing__status__in=_OWED)
    return unsigned & Q(filing__status__in=_OWED, filing__period__in=_periods(wanted))


def filings(wanted: Timeliness) -> Q:
    """Return the condition on filings that stand so now."""
    if wanted in _SIGNED:
        return Q(status=FilingStatus.COMPLETED) & _signed_at("completed_at", "", wanted)
    if wanted is Timeliness.REPLACED:
        return Q(status=FilingStatus.CANCELLED)
    return Q(status__in=_OWED, period__in=_periods(wanted))


def _signed(at: datetime, filing: Filing) -> Timeliness:
    return Timeliness.LATE if at >= deadline(filing.period) else Timeliness.TIMELY


def _unsigned(filing: Filing) -> Timeliness:
    return Timeliness.OVERDUE if timezone.now() >= deadline(filing.period) else Timeliness.DUE


def _periods(wanted: Timeliness) -> list[int]:
    """Return the periods whose filing deadline is over, or is not."""
    now, is_overdue = timezone.now(), wanted is Timeliness.OVERDUE
    every = FilingPeriod.objects.order_by()
    return [period.pk for period in every if (now >= deadline(period)) is is_overdue]


def _signed_at(moment: str, filing: str, wanted: Timeliness) -> Q:
    """Return the condition on a time of signature. filing: how the filing is come to from there."""
    after = "gte" if wanted is Timeliness.LATE else "lt"
    found = Q(pk__in=[])
    for period in FilingPeriod.objects.order_by():
        found |= Q(**{f"{moment}__{after}": deadline(period), f"{filing}period": period})
    return found
