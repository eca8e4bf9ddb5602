"""Conditions on submissions: stuck, failed, in need of attention, signed today."""

from __future__ import annotations

from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from filing.jobs.long_waits import LONG_WAIT
from filing.models import Job, Signature, Submission
from filing.periods import timeliness
from filing.statuses import FilingStatus, Status

_IN_PROGRESS = [status for status in Status if not status.is_settled]


def stuck() -> Q:
    """Return the condition on submissions that the service should process, and does not.

    That is: nothing has happened for a minute, and no worker has sent a heartbeat since. An upload
    in parts that rests waits for the filer.
    """
    now = timezone.now()
    since = now - LONG_WAIT
    rests = Q(heartbeat=None, state=Job.State.RUNNING, lease_until__gte=now)
    alive = Job.objects.filter(Q(heartbeat__gte=since) | rests, submission=OuterRef("pk"))
    in_progress = Q(status__in=_IN_PROGRESS, changed_at__lt=since, discarded_at=None)
    return in_progress & Q(~Exists(alive))


def failed() -> Q:
    """Return the condition on submissions that ended with an error."""
    return Q(status=Status.FAILED)


def failed_without_successor() -> Q:
    """Return the condition on failed submissions of open filings without a later submission."""
    later = Submission.objects.filter(
        filing=OuterRef("filing"), sequence_number__gt=OuterRef("sequence_number")
    )
    is_open = Q(filing__status__in=[FilingStatus.NOT_STARTED, FilingStatus.IN_PROGRESS])
    return failed() & is_open & Q(discarded_at=None) & Q(~Exists(later))


def needing_attention() -> Q:
    """Return the condition on submissions that staff should look at today."""
    # Repeats what follows from the rest, so that an index leads to the few candidates.
    candidates = Q(status__in=[*_IN_PROGRESS, Status.FAILED])
    return candidates & (stuck() | failed_without_successor())


def signed_today() -> Q:
    """Return the condition on submissions signed today, in the filing time zone."""
    signed = Signature.objects.filter(signed_at__gte=timeliness.today())
    return Q(pk__in=signed.order_by().values("submission"))
