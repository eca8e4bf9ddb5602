"""Moves of submissions: the only place that writes their status, together with their history."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from django.db import transaction
from django.utils import timezone

from filing import audit
from filing.access import SERVICE, Caller
from filing.emails import finished, outbox
from filing.errors import NotReady
from filing.models import Filing, StatusChange, Submission
from filing.statuses import FAULTS, MOVES, Event, Fault, Status
from filing.submissions import ownership
from filing.webhooks import events


class Overtaken(NotReady):
    """Another user or process changed the submission between reading and writing."""


def begin(filing: Filing, number: int, *, by: Caller) -> Submission:
    """Return a new submission of a filing, with the first entry of its history."""
    submission = Submission.objects.create(filing=filing, sequence_number=number)
    _record(submission, None, Status.CREATED, Event.CREATED, by=by)
    return submission


def move(
    submission: Submission,
    event: Event,
    *,
    by: Caller = SERVICE,
    reason: str = "",
    **fields: object,
) -> Status:
    """Change the status of a submission by the table of moves; return the new status.

    fields: other columns to change with the status.

    Raises: NotReady when the table has no such move; Overtaken when another process was faster, or
    the filer has discarded the submission.
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
            raise Overtaken(f"Submission {submission} was changed by another user or process.")
        _record(submission, before, after, event, by=by, reason=reason, at=now)
    _set_attributes(submission, fields)
    return after


def remark(
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


def fail(
    submission: Submission, reason: str, *, event: Event = Event.FAILED, by: Caller = SERVICE
) -> None:
    """Fail a submission, with a reason that tells the filer what is wrong, and email it.

    event: one of `FAULTS`, which tells whose fault it is, and who acts next.
    """
    with transaction.atomic():
        move(submission, event, by=by, reason=reason, failure=reason)
        emails = outbox.failure(submission, FAULTS[event])
        rest(submission, excluded=[email.to for email in emails], fault=FAULTS[event])


def rest(
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
    foreign = ownership.foreign_lei(submission)
    finished.queue(
        submission,
        excluded=excluded,
        fault=fault,
        foreign=foreign.sentence if foreign else "",
        unrun=unrun,
        waits=waits,
    )
    events.at_rest(submission)


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
    origin = audit.origin()
    StatusChange.objects.create(
        submission=submission,
        before=before,
        after=after,
        event=event.name,
        at=at or timezone.now(),
        actor_id=by.id,
        actor_username=by.username,
        actor_email=by.email,
        actor_name=by.name,
        address=origin.address,
        request_id=origin.request_id,
        reason=reason,
    )
