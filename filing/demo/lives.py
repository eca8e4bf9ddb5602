"""One made-up submission: the way it went, and every row that this would have left."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.utils import timezone

from filing.demo import ways
from filing.demo.ways import BY_PEOPLE, Way
from filing.edits.edit import Edit, Kind, Level
from filing.models import (
    Attempt,
    EditResult,
    Filing,
    Happening,
    Job,
    Mail,
    Signature,
    StatusChange,
    Submission,
    TrailEntry,
)
from filing.requests import ids
from filing.statuses import MOVES, Event, Status
from filing.submissions import receipt

# Whose work an event is begun and ended by.
_STAGES = (
    ("upload", Event.UPLOAD_STARTED, Event.UPLOAD_FINISHED),
    ("parse", Event.UPLOAD_FINISHED, Event.PARSE_PASSED),
    ("edits", Event.PARSE_PASSED, Event.EDITS_STARTED),
)
_PEOPLE = ("ann", "bob", "carla", "deng", "emil", "fatima", "grace", "hugo")
_WORKER = "worker-1:4711:0a1b2c3d4e5f"
_FAILURE = (
    "The parse stage did not succeed in 5 attempts. Upload the file again; if it happens again, "
    "give the help desk the reference 0123456789."
)


@dataclass
class Life:
    """A submission and everything that came of it; none of it is in the database yet."""

    submission: Submission
    changes: list[StatusChange] = field(default_factory=list)
    jobs: list[Job] = field(default_factory=list)
    tries: list[Attempt] = field(default_factory=list)
    edits: list[EditResult] = field(default_factory=list)
    signatures: list[Signature] = field(default_factory=list)
    mail_jobs: list[Job] = field(default_factory=list)
    mails: list[Mail] = field(default_factory=list)
    trail: list[TrailEntry] = field(default_factory=list)


def life(
    filing: Filing,
    number: int,
    edits: Sequence[Edit],
    *,
    span: tuple[datetime, datetime],
    is_last: bool,
    chance: random.Random,
) -> Life:
    """Return the submission of a filing with this number. span: when it began, at the earliest."""
    way = ways.way(chance, is_last=is_last)
    made = Life(Submission(filing=filing, sequence_number=number))
    person = chance.choice(_PEOPLE)
    email = f"{person}@{filing.institution.email_domains[0]}"
    _walk(made, way, ways.times(way, span, chance), (person, email), chance)
    submission = made.submission
    if Event.UPLOAD_FINISHED in way:
        _file(submission, chance, parsed=Event.PARSE_PASSED in way)
    if submission.status == Status.PARSED_WITH_ERRORS:
        submission.format_errors = chance.randrange(1, 200)
    if submission.status == Status.FAILED:
        submission.failure = _FAILURE
        _mail(made, "failure", email)
    _work(made, way)
    _find(made, way, edits, chance)
    if submission.status == Status.SIGNED:
        _sign(made, person, email)
    return made


def _walk(
    life: Life, way: Way, times: list[datetime], who: tuple[str, str], chance: random.Random
) -> None:
    submission, status = life.submission, Status.CREATED
    before: Status | None = None
    for event, at in zip((None, *way), times, strict=True):
        by_person = event is None or event in BY_PEOPLE
        if event is not None:
            before, status = status, MOVES[status, event]
        life.changes.append(
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
                request_id=ids.new(chance.choice),
                reason=_FAILURE if event is Event.FAILED else "",
            )
        )
    submission.status = status
    submission.created_at, submission.changed_at = times[0], times[-1]
    if Event.UPLOAD_FINISHED in way:
        submission.uploaded_at = times[2]
    life.trail.append(_entry(Happening.TOKEN_ISSUED, submission, times[0], who, about="password"))


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


def _work(life: Life, way: Way) -> None:
    """Add the jobs: what is over is done, what a submission on its way waits for runs or waits."""
    submission = life.submission
    rests = Status(submission.status).rests
    for stage, begun, ended in _STAGES:
        if begun not in way:
            continue
        at = life.changes[way.index(begun) + 1].at
        job = Job(
            submission=submission,
            stage=stage,
            owner=_WORKER,
            state=Job.State.DONE,
            attempts=1,
            queued_at=at,
            rung_at=at,
            not_before=at,
            started_at=at,
            heartbeat=at,
            rows_done=submission.lines,
            rows_total=submission.lines,
        )
        is_over = rests or (ended in way and ended is not way[-1])
        if not is_over and way[-1] is begun and stage != "upload":
            job.state, job.owner, job.attempts = Job.State.QUEUED, "", 0
            job.started_at = job.heartbeat = None
        elif not is_over and not (ended in way and stage != "edits"):
            job.state, job.lease_until = Job.State.RUNNING, at + timedelta(seconds=30)
        else:
            job.finished_at = at
            outcome = Attempt.Outcome.DONE
            if submission.status == Status.FAILED and stage == "parse":
                job.state, job.attempts, job.last_error = Job.State.FAILED, 5, _FAILURE
                outcome = Attempt.Outcome.FAILED
            life.tries.append(
                Attempt(job=job, number=job.attempts, owner=_WORKER, started_at=at,
                        ended_at=at, outcome=outcome, rows=job.rows_done, error=job.last_error)
            )  # fmt: skip
        life.jobs.append(job)


def _find(life: Life, way: Way, edits: Sequence[Edit], chance: random.Random) -> None:
    """Add what the edits found on this way."""
    kinds = {
        Event.SYNTACTICAL_OR_VALIDITY_FOUND_ERRORS: (Kind.SYNTACTICAL, Kind.VALIDITY),
        Event.QUALITY_FOUND_ERRORS: (Kind.QUALITY,),
        Event.MACRO_FOUND_ERRORS: (Kind.MACRO,),
    }
    submission = life.submission
    submission.quality_exists = Event.QUALITY_FOUND_ERRORS in way
    submission.macro_exists = Event.MACRO_FOUND_ERRORS in way
    verified = Event.EVERYTHING_VERIFIED in way
    submission.quality_verified = verified and submission.quality_exists
    submission.macro_verified = verified and submission.macro_exists
    for event in way:
        those = [edit for edit in edits if edit.kind in kinds.get(event, ())]
        for edit in chance.sample(those, min(len(those), chance.randrange(2, 8))):
            whole = edit.level is not Level.LAR
            total = 1 if whole else chance.randrange(1, max(submission.lines, 2))
            life.edits.append(
                EditResult(submission=submission, code=edit.code, kind=edit.kind.value,
                           level=edit.level.value, total=total)
            )  # fmt: skip


def _sign(life: Life, person: str, email: str) -> None:
    submission, at = life.submission, life.changes[-1].at
    at = at.replace(microsecond=at.microsecond // 1000 * 1000)
    signature = Signature(
        submission=submission,
        receipt=receipt(submission, at),
        signed_at=at,
        signer_id=f"id-{email}",
        signer_username=person,
        signer_email=email,
        sha256=submission.sha256,
    )
    life.signatures.append(signature)
    entry = _entry(
        Happening.FILING_COMPLETED, submission, at, (person, email), about=str(submission.filing)
    )
    life.trail.append(entry)
    _mail(life, "receipt", email, key=signature.receipt)


def _mail(life: Life, kind: str, to: str, key: str = "") -> None:
    submission, at = life.submission, life.changes[-1].at
    job = Job(stage="mail", state=Job.State.DONE, attempts=1, queued_at=at, rung_at=at,
              not_before=at, started_at=at, heartbeat=at, finished_at=at)  # fmt: skip
    life.mail_jobs.append(job)
    life.mails.append(
        Mail(kind=kind, key=f"{kind}:{key or submission}:{to}", to=to, submission=submission,
             subject=f"{kind.capitalize()} of {submission}", text="Made up.", job=job,
             made_at=at, sent_at=min(at + timedelta(seconds=2), timezone.now()))
    )  # fmt: skip


def _entry(
    happening: Happening, of: Submission, at: datetime, who: tuple[str, str], *, about: str
) -> TrailEntry:
    return TrailEntry(
        at=at,
        happening=happening,
        actor_id=f"id-{who[1]}",
        actor_username=who[0],
        actor_email=who[1],
        lei=of.lei,
        about=about,
    )
