"""What needs somebody: submissions that do not go on by themselves."""

from __future__ import annotations

from datetime import timedelta

from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from filing.models import Job, Signature, Submission
from filing.periods import timeliness
from filing.statuses import FilingStatus, Status

STUCK_AFTER = timedelta(seconds=60)
_ON_THEIR_WAY = [status for status in Status if not status.rests]


def stuck() -> Q:
    """Return the condition on submissions that should move by themselves, and do not.

    That is: nothing has happened for a minute, and no worker has shown a sign of life since.
    """
    since = timezone.now() - STUCK_AFTER
    alive = Job.objects.filter(submission=OuterRef("pk"), heartbeat__gte=since)
    return Q(status__in=_ON_THEIR_WAY, changed_at__lt=since) & Q(~Exists(alive))


def failed() -> Q:
    """Return the condition on submissions that ended with an error."""
    return Q(status=Status.FAILED)


def failed_and_left() -> Q:
    """Return the condition on failed submissions after which nothing came: no other, no end."""
    later = Submission.objects.filter(
        filing=OuterRef("filing"), sequence_number__gt=OuterRef("sequence_number")
    )
    owed = Q(filing__status__in=[FilingStatus.NOT_STARTED, FilingStatus.IN_PROGRESS])
    return failed() & owed & Q(~Exists(later))


def needed() -> Q:
    """Return the condition on submissions that somebody should look at today."""
    # Said once more, so that an index leads to the few that may be meant.
    of_these = Q(status__in=[*_ON_THEIR_WAY, Status.FAILED])
    return of_these & (stuck() | failed_and_left())


def signed_today() -> Q:
    """Return the condition on submissions that were signed today, where filings are taken."""
    signed = Signature.objects.filter(signed_at__gte=timeliness.today())
    return Q(pk__in=signed.order_by().values("submission"))
