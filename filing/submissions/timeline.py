"""The history of a submission: status changes, jobs, emails, notes and audit log entries."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from operator import attrgetter

from django.contrib.contenttypes.models import ContentType
from django.db.models import Q

from filing.access import THE_SERVICE, person_with_email
from filing.models import Attempt, Job, Mail, Note, StatusChange, Submission, TrailEntry
from filing.statuses import Event, Status

STAGE_LABELS = {"upload": "Upload", "parse": "Reading the file", "edits": "Running the edits"}


@dataclass(frozen=True)
class TimelineEntry:
    """One entry of the history.

    kind: status, work, mail, note or trail. who: a user, or `the service`. why: the reason or the
    error, as it was recorded. seconds: the duration.
    """

    at: datetime
    kind: str
    what: str
    who: str
    why: str = ""
    seconds: float | None = None
    rows: int | None = None
    size: int | None = None
    went_wrong: bool = False


def read_timeline(submission: Submission) -> list[TimelineEntry]:
    """Return the history of a submission, oldest first, in six queries.

    Of entries with the same time, a job comes before the move that it led to.
    """
    moments = [
        *_attempts(submission),
        *_changes(submission),
        *_mails(submission),
        *_notes(submission),
        *_trail(submission),
    ]
    return sorted(moments, key=attrgetter("at"))


def _changes(submission: Submission) -> Iterator[TimelineEntry]:
    signature = getattr(submission, "signature", None)
    for change in StatusChange.objects.filter(submission=submission).order_by("at", "id"):
        # A newer version of the service may know events that this one does not.
        event = Event.__members__.get(change.event)
        label = event.label if event else change.event
        facts = [change.reason]
        if event is Event.SIGNED and signature:
            facts.append(f"Receipt {signature.receipt}.")
        yield TimelineEntry(
            at=change.at,
            kind="status",
            what=f"{label}: status {change.after} {Status(change.after).message}",
            who=person_with_email(change),
            why=" ".join(filter(None, facts)),
            went_wrong=event is not None and event.is_setback,
        )


def _attempts(submission: Submission) -> Iterator[TimelineEntry]:
    """Yield each attempt at a stage or an email when it ended, and those still running."""
    of_submission = Q(job__submission=submission) | Q(job__mail__submission=submission)
    for attempt in Attempt.objects.filter(of_submission).select_related("job__mail"):
        mail: Mail | None = getattr(attempt.job, "mail", None)
        if mail and attempt.outcome == Attempt.Outcome.DONE:
            continue  # the email has an entry of its own
        stage = f"Email to {mail.to}" if mail else STAGE_LABELS[attempt.job.stage]
        duration = attempt.ended_at - attempt.started_at if attempt.started_at else None
        is_upload = attempt.job.stage == "upload"
        yield TimelineEntry(
            at=attempt.ended_at,
            kind="mail" if mail else "work",
            what=f"{stage}, attempt {attempt.number}: {attempt.get_outcome_display()}",
            who=THE_SERVICE,
            why=attempt.error,
            seconds=duration.total_seconds() if duration else None,
            rows=None if mail or is_upload else attempt.rows,
            size=submission.size if is_upload and attempt.outcome == Attempt.Outcome.DONE else None,
            went_wrong=attempt.outcome != Attempt.Outcome.DONE,
        )
    for job in Job.objects.filter(
        submission=submission, state=Job.State.RUNNING, started_at__isnull=False
    ):
        yield TimelineEntry(
            at=job.started_at or job.queued_at,
            kind="work",
            what=f"{STAGE_LABELS[job.stage]}, attempt {job.attempts}: running",
            who=THE_SERVICE,
            rows=None if job.stage == "upload" else job.rows_done,
        )


def _mails(submission: Submission) -> Iterator[TimelineEntry]:
    for mail in Mail.objects.filter(submission=submission):
        email = f"Email to {mail.to} ({mail.get_kind_display()})"
        yield TimelineEntry(at=mail.made_at, kind="mail", what=f"{email}: queued", who=THE_SERVICE)
        if mail.sent_at:
            seconds = (mail.sent_at - mail.made_at).total_seconds()
            yield TimelineEntry(
                at=mail.sent_at,
                kind="mail",
                what=f"{email}: sent",
                who=THE_SERVICE,
                seconds=seconds,
            )


def _notes(submission: Submission) -> Iterator[TimelineEntry]:
    about = ContentType.objects.get_for_model(Submission)
    for note in Note.objects.filter(content_type=about, object_id=submission.pk):
        yield TimelineEntry(
            at=note.at, kind="note", what="Note", who=person_with_email(note), why=note.reason
        )


def _trail(submission: Submission) -> Iterator[TimelineEntry]:
    # The audit log is large; there is an index on the institution and the time.
    since = TrailEntry.objects.filter(lei=submission.lei, at__gte=submission.created_at)
    for entry in since.filter(about=str(submission)):
        yield TimelineEntry(
            at=entry.at,
            kind="trail",
            what=entry.get_event_display().capitalize(),
            who=person_with_email(entry),
            why=entry.reason,
        )
