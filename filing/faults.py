"""Whose fault a failure is: the one answer for lists, checks, figures, alerts, emails and reports.

A failure is the service's, or that of rules that are missing: staff act. Or it is the sender's, or
an operator has ended the work: the filer acts, and staff are not told. `FAULTS` has it by event.
"""

from __future__ import annotations

from django.db.models import OuterRef, Q, Subquery, Value
from django.db.models.functions import Coalesce
from django.db.models.lookups import In

from filing.models import Job, StatusChange
from filing.statuses import FAULTS, Event, Fault, Status

_OF_OTHERS = [event.name for event, fault in FAULTS.items() if not fault.is_ours]


def find_fault(event: str) -> Fault:
    """Return the fault of the event that ended a submission.

    A newer version of the service may know events that this one does not: these are ours.
    """
    known = Event.__members__.get(event, Event.FAILED)
    return FAULTS.get(known, FAULTS[Event.FAILED])


def is_of_others(submission: str = "pk") -> Q:
    """Return the condition on rows whose submission ended by a fault that is not ours.

    submission: the column with its key. A retry by staff begins again: the last end counts.
    """
    ends = StatusChange.objects.filter(submission=OuterRef(submission), after=Status.FAILED)
    last = Subquery(ends.order_by("-id").values("event")[:1])
    return Q(In(Coalesce(last, Value("")), _OF_OTHERS))


def is_failed_by_us() -> Q:
    """Return the condition on the failed jobs that staff are told of, and may retry.

    The upload of a file ends as a failed job when its sender stops sending or it is refused. That
    is told to the sender, who uploads again; an error of ours then is in the log and the answer.
    """
    others = Q(stage="upload") | Q(submission__discarded_at__isnull=False)
    return Q(state=Job.State.FAILED) & ~others & ~is_of_others("submission")
