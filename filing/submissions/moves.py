"""Moves of submissions: the only place that writes their status, together with their history.

A submission in progress can be discarded; whatever would go on with it is refused then.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from django.db import transaction
from django.utils import timezone

from filing import audit, registries
from filing.access import SERVICE, Caller
from filing.emails import finished, outbox
from filing.errors import Conflict, NotReady
from filing.jobs import queue
from filing.models import Filing, StatusChange, Submission
from filing.registries import StaffEvent
from filing.statuses import FAULTS, MOVES, Event, Fault, Status
from filing.submissions import ownership
from filing.webhooks import deliveries


class ConcurrentChange(NotReady):
    """Another user or process changed the submission between reading and writing."""


def begin_submission(filing: Filing, number: int, *, by: Caller) -> Submission:
    """Return a new submission of a filing, with the first entry of its history."""
    submission = Submission.objects.create(filing=filing, sequence_number=number)
    _record(submission, None, Status.CREATED, Event.CREATED, by=by)
    return submission


def move_submission(
    submission: Submission,
    event: Event,
    *,
    by: Caller = SERVICE,
    reason: str = "",
    **fields: object,
) -> Status:
    """Change the status of a submission by the table of moves; return the new status.

    fields: other columns to change with the status.

    Raises: NotReady when the table has no such move; ConcurrentChange when another process was
    faster, or the filer has discarded the submission.
    """
    before = Status(submission.status)
    after = MOVES.get((before, event))
    if after is None:
        raise NotReady(f"A submission with status {before.value} cannot take {event.name}.")
    now = timezone.now()
    fields |= {"status": after, "changed_at": now}
    with transaction.atomic():
        current = Submission.objects.filter(pk=submission.pk, status=before, discarded_at=None)
        is_changed = current.update(**fields)
        if not is_changed:
            raise ConcurrentChange(
                f"Submission {submission} was changed by another user or process."
            )
        _record(submission, before, after, event, by=by, reason=reason, at=now)
    _set_attributes(submission, fields)
    return after


def record_remark(
    submission: Submission, event: Event, *, by: Caller, reason: str = "", **fields: object
) -> None:
    """Record an event in the history of a submission without changing its status.

    fields: columns to change with it.
    """
    status = Status(submission.status)
    with transaction.atomic():
        if fields:
            Submission.objects.filter(pk=submission.pk).update(**fields)
        _record(submission, status, status, event, by=by, reason=reason)
    _set_attributes(submission, fields)


def fail_submission(
    submission: Submission, reason: str, *, event: Event = Event.FAILED, by: Caller = SERVICE
) -> None:
    """Fail a submission, with a reason that tells the filer what is wrong, and email it.

    event: one of `FAULTS`, which tells whose fault it is, and who acts next.
    """
    with transaction.atomic():
        move_submission(submission, event, by=by, reason=reason, failure=reason)
        emails = outbox.queue_failure(submission, FAULTS[event])
        if FAULTS[event].is_ours:
            _tell_staff_of_failure(submission, FAULTS[event])
        notify_waiting(submission, excluded=[email.to for email in emails], fault=FAULTS[event])


def _tell_staff_of_failure(submission: Submission, fault: Fault) -> None:
    times = submission.changes.filter(after=Status.FAILED).count()
    registries.emit_staff_event(
        StaffEvent(
            "failure",
            f"failure:{submission}:{times}",
            f"Submission {submission} failed: {fault.title}",
            "filing_submission_change",
            (submission.pk,),
            submission.lei,
        )
    )


def notify_waiting(
    submission: Submission,
    *,
    excluded: Collection[str] = (),
    fault: Fault | None = None,
    unrun: str = "",
    waits: str = "",
) -> None:
    """Queue the emails and webhook deliveries of a submission that now waits for a person.

    Call this in the transaction of its last move: a check passes through other statuses first.
    excluded: addresses that get another email about it. fault: why it failed, if it did. unrun:
    which edits were not run. waits: why it cannot be signed yet.
    """
    foreign = ownership.find_foreign_lei(submission)
    finished.queue_finished_emails(
        submission,
        excluded=excluded,
        fault=fault,
        foreign=foreign.sentence if foreign else "",
        unrun=unrun,
        waits=waits,
    )
    deliveries.queue_status_message(submission)


def _set_attributes(submission: Submission, fields: dict[str, object]) -> None:
    """Update the object in memory to the row in the database."""
    for name, value in fields.items():
        setattr(submission, name, value)


def _record(
    submission: Submission,
    before: Status | None,
    after: Status,
    event: Event,
    *,
    by: Caller,
    reason: str = "",
    at: datetime | None = None,
) -> None:
    origin = audit.current_origin()
    StatusChange.objects.create(
        submission=submission,
        before=before,
        after=after,
        event=event.name,
        at=at or timezone.now(),
        **by.actor_columns,
        actor_name=by.name,
        address=origin.address,
        request_id=origin.request_id,
        reason=reason,
    )


def discard_submission(submission: Submission, *, by: Caller, reason: str = "") -> Submission:
    """Return the submission, discarded: it is not uploaded to, verified or signed again.

    Its status, file and history stay. A worker that is running it loses the lease and writes
    nothing more. Repeating a call changes nothing.

    Raises: Conflict when it is signed.
    """
    with transaction.atomic():
        queue.end_jobs(submission, f"Discarded by {by}.")
        current = (
            Submission.objects.select_for_update(of=("self",))
            .select_related("filing__institution", "filing__period")
            .get(pk=submission.pk)
        )
        require_discardable(current)
        if not current.discarded_at:
            now = timezone.now()
            record_remark(current, Event.DISCARDED, by=by, reason=reason, discarded_at=now)
    return current


def require_discardable(submission: Submission) -> None:
    """Refuse to discard what is signed. Raises: Conflict."""
    if submission.status == Status.SIGNED:
        raise Conflict(
            f"Submission {submission} is signed, and what was filed is not discarded. To correct "
            "it, file again."
        )


def require_not_discarded(submission: Submission) -> None:
    """Refuse to go on with a submission that was discarded. Raises: Conflict."""
    if submission.discarded_at:
        raise Conflict(
            f"Submission {submission} was discarded. Upload the file in a new submission."
        )
