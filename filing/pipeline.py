"""What happens to a file between its upload and the edits that people read.

`STAGES` is the order. Each stage reads what the one before has stored, writes its results whole
into a folder of its own attempt, and then, in one transaction that only goes through while it still
has the job, publishes them: results, status, and the job of the next stage.
"""

from __future__ import annotations

import logging
import math
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from structlog.contextvars import bound_contextvars

from filing import errands, jobs, notify, storage, submissions, trail
from filing.edits import engine
from filing.edits.edit import Edit, Kind, Level
from filing.edits.facts import Facts, Panel
from filing.errors import LostLease, NotReady
from filing.jobs import Lease
from filing.lar import parse
from filing.lar.blocks import NotText
from filing.models import EditResult, Institution, Job, Submission
from filing.persisting import is_without_room, persist
from filing.reference import registry
from filing.statuses import Event, Status

log = logging.getLogger(__name__)

RING_AGAIN_SECONDS = 15
OVERDUE_FIRST_SECONDS = 10  # no longer, so that a worker of two queues comes to the other one
RING_AT_MOST = 10  # jobs a sweep, so that a long queue is not filled with rings

_last_sweep = -math.inf  # by the clock of this process


class Unreadable(Exception):
    """The file cannot be read by any number of attempts; the message says what to do."""


@dataclass(frozen=True)
class Stage:
    """One step of the way: the state it starts from, how it says so, and what it does."""

    name: str
    starts_in: Status
    started: Event
    works_in: Status
    run: Callable[[Submission, Lease], Job | None]


def work(job_id: int) -> None:
    """Work on a job, if it is still to be had, and then on the jobs that follow from it.

    What is overdue comes first, for a while: its own ring may be lost with a worker, and a new one
    would wait behind all others. A ring for a job that was taken meanwhile is nothing to go by, or
    old rings would pile up.
    """
    rung_for = jobs.waiting(job_id)
    if rung_for is None:
        return
    until = time.monotonic() + OVERDUE_FIRST_SECONDS
    while late := jobs.overdue(seconds=RING_AGAIN_SECONDS, large=rung_for.large):
        if time.monotonic() > until:
            notify.ring(late)
            break
        if not _work_from(late.pk):
            break
    _work_from(job_id)


def _work_from(job_id: int) -> bool:
    """Return whether the job was to be had."""
    current: int | None = job_id
    while current is not None:
        lease = _claim(current)
        if lease is None:
            return current != job_id
        told = {"request_id": lease.request_id, "job": lease.job_id, "stage": lease.stage}
        with trail.coming_from(request_id=lease.request_id), bound_contextvars(**told):
            if lease.submission_id is None:
                errands.attempt(lease)
                return True
            current = _attempt(lease, lease.submission_id)
    return True


def _claim(job_id: int) -> Lease | None:
    return persist(lambda: jobs.claim(job_id))


def _attempt(lease: Lease, submission_id: int) -> int | None:
    submission = Submission.objects.select_related("filing__institution", "filing__period").get(
        pk=submission_id
    )
    following: Job | None = None
    try:
        stage = STAGES[lease.stage]
        if _enter(stage, submission):
            with lease.kept():
                following = stage.run(submission, lease)
            log.info("%s: %s done, %s rows", submission, lease.stage, lease.rows_done)
        else:
            with transaction.atomic():
                lease.fail(f"The submission has moved on to {submission.status} without this.")
    except LostLease:
        log.warning("Job %s was taken over while it was worked on", lease.job_id)
    except (Unreadable, NotText) as error:
        _give_up(submission, lease, str(error))
    # Whatever else can go wrong in a stage, the job must be tried again and in the end given up.
    except Exception as error:
        log.exception("Job %s (%s of %s) failed", lease.job_id, lease.stage, submission)
        failure = error
        persist(lambda: _try_again(submission, lease, failure))
    else:
        if following:
            return following.pk
    if waiting := jobs.next_of_institution(submission.lei):
        notify.ring(waiting)
    return None


def _enter(stage: Stage, submission: Submission) -> bool:
    """Move a submission into a stage; false if it has moved on to where the stage has no place."""
    if submission.status == stage.starts_in:
        try:
            submissions.move(submission, stage.started)
        except submissions.Overtaken:
            submission.refresh_from_db(fields=["status"])
    return submission.status == stage.works_in


def _try_again(submission: Submission, lease: Lease, error: Exception) -> None:
    note = f"{type(error).__name__}: {error}"
    if is_without_room(error) and lease.wait_for_room(note):
        return
    if lease.attempt < jobs.patience(lease.stage).attempts:
        lease.release(note)
    else:
        _give_up(submission, lease, _hopeless(lease.stage), note=note)


def _hopeless(stage: str) -> str:
    reference = uuid.uuid4().hex[:10]
    return (
        f"The {stage} stage did not succeed in {jobs.patience(stage).attempts} attempts. "
        f"Upload the file again; if it happens again, give the help desk the reference {reference}."
    )


def _give_up(submission: Submission, lease: Lease, reason: str, *, note: str = "") -> None:
    try:
        with transaction.atomic():
            lease.fail(f"{reason} {note}".strip())
            submissions.fail(submission, reason)
    except (LostLease, NotReady):
        log.warning("Job %s was taken over before it could be given up", lease.job_id)


def _parse(submission: Submission, lease: Lease) -> Job | None:
    """Find the lines of the file and its format errors."""
    folder = storage.folder(submission, "parse", lease.mark)
    raw = storage.local(submission.raw_file)

    def progress(rows: int, position: int) -> None:
        lease.rows_done = rows
        lease.rows_total = max(rows, round(rows * submission.size / max(position, 1)))

    with storage.workshop() as made:
        offsets, bad_rows = made / storage.OFFSETS, made / storage.BAD_ROWS
        with offsets.open("wb") as offsets_file, bad_rows.open("wb") as bad_rows_file:
            scan = parse.scan(raw, offsets_file, bad_rows_file, progress=progress)
        lease.rows_done = lease.rows_total = scan.lines
        storage.keep(offsets, f"{folder}/{storage.OFFSETS}")
        storage.keep(bad_rows, f"{folder}/{storage.BAD_ROWS}")
    with transaction.atomic():
        lease.finish()
        Submission.objects.filter(pk=submission.pk).update(
            parse_folder=folder,
            lines=scan.lines,
            transmittal_sheet=scan.transmittal_sheet,
            format_errors=scan.bad,
            failure=scan.hint,
        )
        if scan.bad:
            submissions.move(submission, Event.PARSE_FOUND_ERRORS, reason=scan.hint)
            following = None
        else:
            submissions.move(submission, Event.PARSE_PASSED)
            following = jobs.queue(submission, "edits", rows_total=scan.lines)
    storage.discard_other_attempts(submission, "parse", kept=folder)
    return following


def _edit(submission: Submission, lease: Lease) -> Job | None:
    """Run the edits of the period and publish what the filer may act on."""
    folder = storage.folder(submission, "edits", lease.mark)
    raw = storage.local(submission.raw_file)
    lease.rows_total = submission.lines

    def progress(rows: int, position: int) -> None:
        lease.rows_done = rows

    with storage.workshop() as made:
        findings = made / storage.FINDINGS
        with findings.open("wb") as findings_file:
            report = engine.run(raw, _facts(submission), findings_file, progress=progress)
        lease.rows_done = submission.lines
        storage.keep(findings, f"{folder}/{storage.FINDINGS}")
    with transaction.atomic():
        lease.finish()
        _publish(submission, report, folder)
    storage.discard_other_attempts(submission, "edits", kept=folder)
    return None


def _facts(submission: Submission) -> Facts:
    """Return what the edits may look up beside the file itself."""
    institution: Institution = submission.filing.institution
    return Facts(
        period=submission.period,
        transmittal_sheet=submission.transmittal_sheet,
        institution=Panel(institution.lei, institution.agency, institution.tax_id),
        census=registry.census(submission.period.year),
    )


def _publish(submission: Submission, report: engine.Report, folder: str) -> None:
    """Write the results and move the submission to where it rests.

    Quality and macro edits of a file with syntactical or validity errors stay out: they would
    have to be looked at again with the corrected file. The transmittal sheet's own quality edits
    belong to the first stage and are kept.
    """
    fired = {outcome.edit.kind for outcome in report.outcomes if outcome.total}
    stops = bool(fired & {Kind.SYNTACTICAL, Kind.VALIDITY})
    kept = [
        outcome
        for outcome in report.outcomes
        if (outcome.total or not outcome.run) and not (stops and _comes_later(outcome.edit))
    ]
    EditResult.objects.filter(submission=submission).delete()
    EditResult.objects.bulk_create(_result(submission, outcome) for outcome in kept)
    shown = {outcome.edit.kind for outcome in kept if outcome.total}
    quality, macro = Kind.QUALITY in shown, Kind.MACRO in shown
    Submission.objects.filter(pk=submission.pk).update(
        edits_folder=folder,
        quality_exists=quality,
        macro_exists=macro,
        quality_verified=False,
        macro_verified=False,
    )
    for event in _events(stops=stops, quality=quality, macro=macro):
        submissions.move(submission, event)


def _comes_later(edit: Edit) -> bool:
    is_quality = edit.kind is Kind.QUALITY and edit.level is not Level.TS
    return is_quality or edit.kind is Kind.MACRO


def _result(submission: Submission, outcome: engine.Outcome) -> EditResult:
    return EditResult(
        submission=submission,
        code=outcome.edit.code,
        kind=outcome.edit.kind.value,
        level=outcome.edit.level.value,
        total=outcome.total,
        position=outcome.position,
        listed=outcome.listed,
        figures=outcome.figures,
        not_run=outcome.reason,
    )


def _events(*, stops: bool, quality: bool, macro: bool) -> list[Event]:
    if stops:
        return [Event.SYNTACTICAL_OR_VALIDITY_FOUND_ERRORS]
    events = [Event.SYNTACTICAL_AND_VALIDITY_PASSED]
    events.append(Event.QUALITY_FOUND_ERRORS if quality else Event.QUALITY_PASSED)
    if macro:
        events.append(Event.MACRO_FOUND_ERRORS)
    elif not quality:
        events += [Event.MACRO_PASSED, Event.NOTHING_TO_VERIFY]
    return events


def sweep_if_due() -> None:
    """Sweep when this process has not for a while.

    Between two jobs that is: the message that asks for a sweep waits in the queue like any other.
    """
    if time.monotonic() - _last_sweep >= settings.JOB_SWEEP_SECONDS:
        sweep()


def sweep() -> None:
    """Take care of what killed processes left behind. Any number of these may run at a time."""
    global _last_sweep
    _last_sweep = time.monotonic()
    for job in jobs.abandoned().select_related(
        "submission__filing__institution", "submission__filing__period"
    ):
        if job.stage == "upload":
            _abandon_upload(job)
        elif job.attempts >= jobs.patience(job.stage).attempts:
            _give_up_abandoned(job)
        else:
            notify.ring(job)
    for job in jobs.waiting_too_long(RING_AGAIN_SECONDS)[:RING_AT_MOST]:
        notify.ring(job)
    storage.remove_stale_work(storage.STALE_AFTER_SECONDS, time.time())


def _abandon_upload(job: Job) -> None:
    try:
        with transaction.atomic():
            taken = _take_from_owner(job, "The web process or the connection was gone.")
            if taken and job.submission:
                submissions.abandon_upload(job.submission)
    except NotReady:
        log.info("Upload of %s was settled by somebody else", job.submission)


def _give_up_abandoned(job: Job) -> None:
    try:
        with transaction.atomic():
            taken = _take_from_owner(job, "The worker was gone at each attempt.")
            if taken and job.submission:
                submissions.fail(job.submission, _hopeless(job.stage))
    except NotReady:
        log.info("Job %s was settled by somebody else", job.pk)


def _take_from_owner(job: Job, error: str) -> bool:
    """Mark an abandoned job as failed, unless its owner or another sweeper was faster."""
    taken = (
        jobs.abandoned()
        .filter(pk=job.pk, owner=job.owner)
        .update(state="failed", lease_until=None, finished_at=timezone.now(), last_error=error)
    )
    if taken:
        jobs.lost(job)
    return bool(taken)


STAGES = {
    stage.name: stage
    for stage in (
        Stage("parse", Status.UPLOADED, Event.PARSE_STARTED, Status.PARSING, _parse),
        Stage("edits", Status.PARSED, Event.EDITS_STARTED, Status.VALIDATING, _edit),
    )
}
