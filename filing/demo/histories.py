"""The history of one made-up submission: its events and every database row they would leave.

A table says which sequences of events there are, how often each occurs, and when.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.utils import timezone

from filing import requests
from filing.demo.files.mix import draw_weighted
from filing.edits.edit import Edit, EditKind, EditLevel
from filing.models import (
    Attempt,
    AuditEvent,
    EditResult,
    Filing,
    Job,
    Mail,
    Signature,
    StatusChange,
    Submission,
    TrailEntry,
)
from filing.statuses import MOVES, Event, Status, fault_of_ours
from filing.submissions import make_receipt_number

# Each stage with the event that starts it and the one that ends it.
_STAGES = (
    ("upload", Event.UPLOAD_STARTED, Event.UPLOAD_FINISHED),
    ("parse", Event.UPLOAD_FINISHED, Event.PARSE_PASSED),
    ("edits", Event.PARSE_PASSED, Event.EDITS_STARTED),
)
_PEOPLE = ("ann", "bob", "carla", "deng", "emil", "fatima", "grace", "hugo")
_WORKER = "worker-1:4711:0a1b2c3d4e5f"
_LAST_ERROR = "OSError: [Errno 5] Input/output error"
BY_PEOPLE = {Event.UPLOAD_STARTED, Event.EVERYTHING_VERIFIED, Event.SIGNED}
_UPLOADED = (Event.UPLOAD_STARTED, Event.UPLOAD_FINISHED)
_PARSED = (*_UPLOADED, Event.PARSE_STARTED, Event.PARSE_PASSED)
_ROWS_PASSED = (*_PARSED, Event.EDITS_STARTED, Event.SYNTACTICAL_AND_VALIDITY_PASSED)
_QUALITY = (*_ROWS_PASSED, Event.QUALITY_FOUND_ERRORS)
_MACRO = (*_QUALITY, Event.MACRO_FOUND_ERRORS)
_CLEAN = (*_ROWS_PASSED, Event.QUALITY_PASSED, Event.MACRO_PASSED)
_VERIFIED = (*_MACRO, Event.EVERYTHING_VERIFIED)
_INVALID = (*_PARSED, Event.EDITS_STARTED, Event.SYNTACTICAL_OR_VALIDITY_FOUND_ERRORS)
_UNREADABLE = (*_UPLOADED, Event.PARSE_STARTED, Event.PARSE_FOUND_ERRORS)
_STOPPED = (*_UPLOADED, Event.PARSE_STARTED, Event.FAILED)
EventSequence = tuple[Event, ...]
# Sequences with weights: of submissions that a later one replaced, and of the latest ones.
_EARLIER: dict[EventSequence, int] = {
    (): 10,
    _UNREADABLE: 15,
    _INVALID: 40,
    _STOPPED: 2,
    _QUALITY: 8,
    _MACRO: 10,
    _VERIFIED: 5,
    (*_VERIFIED, Event.SIGNED): 10,
}
_LAST: dict[EventSequence, int] = {
    (): 40,
    _UNREADABLE: 50,
    _INVALID: 100,
    _STOPPED: 10,
    _QUALITY: 50,
    _MACRO: 80,
    _VERIFIED: 100,
    (*_VERIFIED, Event.SIGNED): 450,
    (*_CLEAN, Event.NOTHING_TO_VERIFY, Event.SIGNED): 100,
    # Still being processed, or stuck.
    _UPLOADED[:1]: 3,
    _UPLOADED: 3,
    _PARSED[:3]: 3,
    _PARSED: 3,
    (*_PARSED, Event.EDITS_STARTED): 4,
    _ROWS_PASSED: 1,
    _CLEAN[:-1]: 1,
    _CLEAN: 2,
}


@dataclass
class History:
    """A submission and all rows that belong to it; none of it is in the database yet."""

    submission: Submission
    changes: list[StatusChange] = field(default_factory=list)
    jobs: list[Job] = field(default_factory=list)
    attempts: list[Attempt] = field(default_factory=list)
    edits: list[EditResult] = field(default_factory=list)
    signatures: list[Signature] = field(default_factory=list)
    mail_jobs: list[Job] = field(default_factory=list)
    mails: list[Mail] = field(default_factory=list)
    trail: list[TrailEntry] = field(default_factory=list)


def draw_history(
    filing: Filing,
    number: int,
    edits: Sequence[Edit],
    *,
    span: tuple[datetime, datetime],
    is_last: bool,
    chance: random.Random,
) -> History:
    """Return the history of a filing's submission with this number.

    span: the earliest time it may start, and the time by which all of it has happened.
    """
    events = draw_event_sequence(chance, is_last=is_last)
    history = History(Submission(filing=filing, sequence_number=number))
    person = chance.choice(_PEOPLE)
    email = f"{person}@{filing.institution.email_domains[0]}"
    _walk(history, events, draw_event_times(events, span, chance), (person, email), chance)
    submission = history.submission
    if Event.UPLOAD_FINISHED in events:
        _file(submission, chance, parsed=Event.PARSE_PASSED in events)
    if submission.status == Status.PARSED_WITH_ERRORS:
        submission.format_errors = chance.randrange(1, 200)
    if submission.status == Status.FAILED:
        submission.failure = fault_of_ours("parse", reference=str(submission))
        _mail(history, "failure", email)
    _work(history, events)
    _find(history, events, edits, chance)
    if submission.status == Status.SIGNED:
        _sign(history, person, email)
    return history


def _walk(
    history: History,
    events: EventSequence,
    times: list[datetime],
    who: tuple[str, str],
    chance: random.Random,
) -> None:
    submission, status = history.submission, Status.CREATED
    before: Status | None = None
    for event, at in zip((None, *events), times, strict=True):
        by_person = event is None or event in BY_PEOPLE
        if event is not None:
            before, status = status, MOVES[status, event]
        history.changes.append(
            StatusChange(
                submission=submission,
                before=before,
                after=status,
                event=event.name if event else "CREATED",
                at=at,
                actor_id=f"id-{who[1]}" if by_person else "",
                actor_username=who[0] if by_person else "",
                actor_email=who[1] if by_person else "",
                address=f"198.51.100.{chance.randrange(1, 255)}" if by_person else "",
                request_id=requests.make_request_id(chance.choice),
                reason=fault_of_ours("parse", reference=str(submission))
                if event is Event.FAILED
                else "",
            )
        )
    submission.status = status
    submission.created_at, submission.changed_at = times[0], times[-1]
    if Event.UPLOAD_FINISHED in events:
        submission.uploaded_at = times[2]
    history.trail.append(
        _entry(AuditEvent.TOKEN_ISSUED, submission, times[0], who, about="password")
    )


def _file(submission: Submission, chance: random.Random, *, parsed: bool) -> None:
    name = f"{submission.lei}-{submission.period}-{submission.sequence_number}"
    submission.file_name = f"lar-{submission.period}-{chance.randrange(10**6):06d}.txt"
    submission.sha256 = hashlib.sha256(name.encode()).hexdigest()
    lines = round(10 ** chance.uniform(1, 5))
    submission.size = lines * 400
    if parsed:
        submission.lines = lines
        submission.transmittal_sheet = {
            "lei": submission.lei,
            "institution_name": submission.filing.institution.name,
            "contact_email": f"hmda@{submission.filing.institution.email_domains[0]}",
        }


def _work(history: History, events: EventSequence) -> None:
    """Add the jobs of the stages: done, or for the current stage of an unfinished one, at work."""
    submission = history.submission
    rests = Status(submission.status).is_settled
    for stage, begun, ended in _STAGES:
        if begun not in events:
            continue
        at = history.changes[events.index(begun) + 1].at
        job = Job(
            submission=submission,
            stage=stage,
            owner=_WORKER,
            state=Job.State.DONE,
            attempts=1,
            queued_at=at,
            not_before=at,
            started_at=at,
            heartbeat=at,
            rows_done=submission.lines,
            rows_total=submission.lines,
        )
        is_over = rests or (ended in events and ended is not events[-1])
        if not is_over and events[-1] is begun and stage != "upload":
            job.state, job.owner, job.attempts = Job.State.QUEUED, "", 0
            job.started_at = job.heartbeat = None
        elif not is_over and not (ended in events and stage != "edits"):
            job.state, job.lease_until = Job.State.RUNNING, at + timedelta(seconds=30)
        else:
            job.finished_at = at
            outcome = Attempt.Outcome.DONE
            if submission.status == Status.FAILED and stage == "parse":
                job.state, job.attempts, job.last_error = Job.State.FAILED, 5, _LAST_ERROR
                outcome = Attempt.Outcome.FAILED
            history.attempts.append(
                Attempt(job=job, number=job.attempts, owner=_WORKER, started_at=at,
                        ended_at=at, outcome=outcome, rows=job.rows_done, error=job.last_error)
            )  # fmt: skip
        history.jobs.append(job)


def _find(
    history: History, events: EventSequence, edits: Sequence[Edit], chance: random.Random
) -> None:
    """Add the edits that were triggered."""
    kinds = {
        Event.SYNTACTICAL_OR_VALIDITY_FOUND_ERRORS: (EditKind.SYNTACTICAL, EditKind.VALIDITY),
        Event.QUALITY_FOUND_ERRORS: (EditKind.QUALITY,),
        Event.MACRO_FOUND_ERRORS: (EditKind.MACRO,),
    }
    submission = history.submission
    submission.quality_exists = Event.QUALITY_FOUND_ERRORS in events
    submission.macro_exists = Event.MACRO_FOUND_ERRORS in events
    verified = Event.EVERYTHING_VERIFIED in events
    submission.quality_verified = verified and submission.quality_exists
    submission.macro_verified = verified and submission.macro_exists
    for event in events:
        of_kind = [edit for edit in edits if edit.kind in kinds.get(event, ())]
        for edit in chance.sample(of_kind, min(len(of_kind), chance.randrange(2, 8))):
            is_of_records = edit.level is EditLevel.LAR
            total = chance.randrange(1, max(submission.lines, 2)) if is_of_records else 1
            history.edits.append(
                EditResult(submission=submission, code=edit.code, kind=edit.kind.value,
                           level=edit.level.value, total=total)
            )  # fmt: skip


def _sign(history: History, person: str, email: str) -> None:
    submission, at = history.submission, history.changes[-1].at
    at = at.replace(microsecond=at.microsecond // 1000 * 1000)
    signature = Signature(
        submission=submission,
        receipt=make_receipt_number(submission, at),
        signed_at=at,
        signer_id=f"id-{email}",
        signer_username=person,
        signer_email=email,
        sha256=submission.sha256,
    )
    history.signatures.append(signature)
    entry = _entry(
        AuditEvent.FILING_COMPLETED, submission, at, (person, email), about=str(submission.filing)
    )
    history.trail.append(entry)
    _mail(history, "receipt", email, key=signature.receipt)


def _mail(history: History, kind: str, to: str, key: str = "") -> None:
    submission, at = history.submission, history.changes[-1].at
    job = Job(stage="mail", state=Job.State.DONE, attempts=1, queued_at=at,
              not_before=at, started_at=at, heartbeat=at, finished_at=at)  # fmt: skip
    history.mail_jobs.append(job)
    history.mails.append(
        Mail(kind=kind, key=f"{kind}:{key or submission}:{to}", to=to, submission=submission,
             subject=f"{kind.capitalize()} of {submission}", text="Made up.", job=job,
             made_at=at, sent_at=min(at + timedelta(seconds=2), timezone.now()))
    )  # fmt: skip


def _entry(
    event: AuditEvent, of: Submission, at: datetime, who: tuple[str, str], *, about: str
) -> TrailEntry:
    return TrailEntry(
        at=at,
        event=event,
        actor_id=f"id-{who[1]}",
        actor_username=who[0],
        actor_email=who[1],
        lei=of.lei,
        about=about,
    )


def draw_event_sequence(chance: random.Random, *, is_last: bool) -> EventSequence:
    """Return a random sequence of events. is_last: the submission is the latest of its filing."""
    return draw_weighted(chance, _LAST if is_last else _EARLIER, 1)[0]


def draw_event_times(
    events: EventSequence, span: tuple[datetime, datetime], chance: random.Random
) -> list[datetime]:
    """Return when a submission was created, and when each event happened.

    span: the earliest time it may be created, and the time by which all of it has happened.
    """
    pauses = [
        timedelta(seconds=chance.uniform(30, 20_000) if event in BY_PEOPLE else chance.random())
        for event in events
    ]
    latest = span[1] - sum(pauses, timedelta())
    at = span[0] + max(latest - span[0], timedelta()) * chance.random()
    result = [at]
    for pause in pauses:
        at += pause
        result.append(at)
    return result
