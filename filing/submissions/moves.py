"""Moves of submissions: the one place that writes their status, and their history with it."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.utils import timezone

from filing import audit
from filing.access import SERVICE, Caller
from filing.emails import finished, outbox
from filing.errors import NotReady
from filing.models import Filing, StatusChange, Submission
from filing.statuses import MOVES, Event, Status


class Overtaken(NotReady):
    """Someone else moved the submission between reading and writing."""


def begin(filing: Filing, number: int, *, by: Caller) -> Submission:
    """Return a new submission of a filing, with the first line of its history."""
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
    """Move a submission along the table of moves: the one writer of its status.

    fields: what else changes with the status, by the names of the columns.

    Raises: NotReady when the table has no such move; Overtaken when someone else was first.
    """
    before = Status(submission.status)
    after = MOVES.get((before, event))
    if after is None:
        raise NotReady(f"A submission with status {before.value} cannot take {event.name}.")
    now = timezone.now()
    fields |= {"status": after, "changed_at": now}
    with transaction.atomic():
        changed = Submission.objects.filter(pk=submission.pk, status=before).update(**fields)
        if not changed:
            raise Overtaken(f"Submission {submission} was moved by another user or process.")
        _record(submission, before, after, event, by=by, reason=reason, at=now)
    _take_over(submission, fields)
    return after


def remark(
    submission: Submission, event: Event, *, by: Caller, reason: str = "", **fields: object
) -> None:
    """Keep in the history what was done to a submission without moving it.

    fields: what changes with it, by the names of the columns.
    """
    status = Status(submission.status)
    with transaction.atomic():
        if fields:
            Submission.objects.filter(pk=submission.pk).update(**fields)
        _record(submission, status, status, event, by=by, reason=reason)
    _take_over(submission, fields)


def fail(
    submission: Submission, reason: str, *, event: Event = Event.FAILED, by: Caller = SERVICE
) -> None:
    """End a submission that cannot go on, with a reason that a person can act on, and email it."""
    with transaction.atomic():
        move(submission, event, by=by, reason=reason, failure=reason)
        mails = outbox.failure(submission)
        finished.queue(submission, but_not_to=[mail.to for mail in mails])


def _take_over(submission: Submission, fields: dict[str, object]) -> None:
    """Give the object in memory what the database has by now."""
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
        address=origin.address,
        request_id=origin.request_id,
        reason=reason,
    )
