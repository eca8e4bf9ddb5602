"""What holds submissions up: until a person acts, or because the service does not get on.

Of one submission: why it failed, an upload that was cut off, a verified file whose edits could not
all be run. As conditions on many: stuck, failed, in need of attention, signed today.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.db.models import Exists, F, OuterRef, Q
from django.utils import timezone

from filing import day_hours
from filing.faults import find_fault
from filing.jobs.queue import LONG_WAIT
from filing.lar.years import describe_missing_rules
from filing.models import Job, ResumableUpload, Signature, StatusChange, Submission
from filing.statuses import Fault, FilingStatus, Status
from filing.submissions import rules_run

_ENDED = (Status.SIGNED, Status.FAILED)
_STOPPED = "This submission stops here: contact the help desk."
# Without a byte, after which an upload in parts counts as cut off.
CUT_OFF_AFTER = timedelta(seconds=30)
_IN_PROGRESS = [status for status in Status if not status.is_settled]


@dataclass(frozen=True)
class Halt:
    """What holds a submission up: whose fault it was, the upload that was cut off, or missing data.

    waits: why a verified file cannot be signed yet. stops: why nothing can be done with it.
    """

    fault: Fault | None = None
    upload: ResumableUpload | None = None
    waits: str = ""
    stops: str = ""


def find_halts(submissions: Iterable[Submission]) -> dict[int, Halt]:
    """Return what holds submissions up, by key, without those that nothing does."""
    submissions = list(submissions)  # read several times
    faults = {key: Halt(fault=fault) for key, fault in _faults(submissions).items()}
    cut_off = {key: Halt(upload=upload) for key, upload in _cut_off(submissions).items()}
    reasons = rules_run.find_reasons_to_wait(submissions) if settings.SIGNING_ENABLED else {}
    waiting = {key: Halt(waits=reason) for key, reason in reasons.items()}
    stopped = {key: Halt(stops=reason) for key, reason in _stopped(submissions).items()}
    return faults | cut_off | waiting | stopped


def find_halt(submission: Submission) -> Halt | None:
    """Return what holds a submission up, if anything does."""
    return find_halts([submission]).get(submission.pk)


def _faults(submissions: list[Submission]) -> dict[int, Fault]:
    """Return whose fault it was that submissions failed. A retry by staff begins again."""
    failed = [submission.pk for submission in submissions if submission.status == Status.FAILED]
    if not failed:
        return {}
    ends = StatusChange.objects.filter(submission__in=failed, after=Status.FAILED)
    latest = dict(ends.order_by("id").values_list("submission", "event"))
    return {key: find_fault(latest.get(key, "")) for key in failed}


def _stopped(submissions: list[Submission]) -> dict[int, str]:
    """Return why nothing can be done with files of a year that is not open for filing."""
    return {
        submission.pk: f"{reason} {_STOPPED}"
        for submission in submissions
        if submission.status not in _ENDED and (reason := describe_missing_rules(submission.period))
    }


def _cut_off(submissions: list[Submission]) -> dict[int, ResumableUpload]:
    """Return the uploads in parts that have stopped arriving, and wait for their sender."""
    arriving = [
        submission.pk for submission in submissions if submission.status == Status.UPLOADING
    ]
    if not arriving:
        return {}
    since = timezone.now() - CUT_OFF_AFTER
    alive = Job.objects.filter(
        submission__in=arriving, stage="upload", state=Job.State.RUNNING, heartbeat__gte=since
    )
    cut_off = ResumableUpload.objects.filter(
        ~Q(offset=F("length")),
        ~Q(submission__in=alive.values("submission")),
        submission__in=arriving,
        outcome=ResumableUpload.Outcome.OPEN,
        used_at__lt=since,
    )
    return {upload.submission_id: upload for upload in cut_off}


def is_stuck() -> Q:
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


def is_failed() -> Q:
    """Return the condition on submissions that ended with an error."""
    return Q(status=Status.FAILED)


def is_failed_without_successor() -> Q:
    """Return the condition on failed submissions of open filings without a later submission."""
    later = Submission.objects.filter(
        filing=OuterRef("filing"), sequence_number__gt=OuterRef("sequence_number")
    )
    is_open = Q(filing__status__in=[FilingStatus.NOT_STARTED, FilingStatus.IN_PROGRESS])
    return is_failed() & is_open & Q(discarded_at=None) & Q(~Exists(later))


def is_needing_attention() -> Q:
    """Return the condition on submissions that staff should look at today."""
    # Repeats what follows from the rest, so that an index leads to the few candidates.
    candidates = Q(status__in=[*_IN_PROGRESS, Status.FAILED])
    return candidates & (is_stuck() | is_failed_without_successor())


def is_signed_today() -> Q:
    """Return the condition on submissions signed today, in the filing time zone."""
    signed = Signature.objects.filter(signed_at__gte=day_hours.find_start_of_day(day_hours.today()))
    return Q(pk__in=signed.order_by().values("submission"))
