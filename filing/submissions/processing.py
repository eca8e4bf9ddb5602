"""The writes of workers to submissions, each in one transaction that locks the job first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction

from filing import storage
from filing.edits.engine import Outcome
from filing.jobs import queue
from filing.lar import encodings
from filing.lar.blocks import NotText
from filing.lar.parse import Scan
from filing.lar.years import NoRulebookError
from filing.models import EditResult, Job, Submission
from filing.registries.kinds import Lease
from filing.statuses import Event, Status, fault_of_ours
from filing.submissions import moves, reception, resumable_uploads, rules_run
from filing.submissions.moves import Overtaken


@dataclass(frozen=True)
class CheckResult:
    """The result of the edits: the outcomes that count, and the moves that follow.

    quality, macro: whether edits of the kind must be verified.
    """

    outcomes: Sequence[Outcome]
    quality: bool
    macro: bool
    events: Sequence[Event]


def submission_of(job_id: int) -> Submission:
    """Return the submission of a job."""
    related = ("filing__institution", "filing__period")
    return Submission.objects.select_related(*related).get(jobs=job_id)


def enter(submission: Submission, starts_in: Status, started: Event, works_in: Status) -> bool:
    """Move a submission into a stage; false if its status no longer fits the stage."""
    if submission.status == starts_in:
        try:
            moves.move(submission, started)
        except Overtaken:
            submission.refresh_from_db(fields=["status"])
    return submission.status == works_in


def leave(submission: Submission, lease: Lease) -> None:
    """Fail the job of a stage that no longer fits the status of its submission.

    Raises: LostLease.
    """
    with transaction.atomic():
        lease.fail(f"The submission already has status {submission.status}.")


def publish_parsing(submission: Submission, lease: Lease, scan: Scan, folder: str) -> Job | None:
    """Publish the lines and formatting errors of a file; return the next job if there are none.

    Raises: LostLease.
    """
    with transaction.atomic():
        lease.finish()
        moves.move(
            submission,
            Event.PARSE_FOUND_ERRORS if scan.bad else Event.PARSE_PASSED,
            reason=scan.hint if scan.bad else "",
            parse_folder=folder,
            lines=scan.lines,
            transmittal_sheet=scan.transmittal_sheet,
            format_errors=scan.bad,
            failure=scan.hint,
        )
        if scan.bad:
            moves.rest(submission)
            return None
        # The same worker runs it at once.
        return queue.add("edits", submission=submission, rows_total=scan.lines, notifies=False)


@transaction.atomic
def publish_edits(
    submission: Submission, lease: Lease, result: CheckResult, folder: str, *, rules: str
) -> None:
    """Publish the results of the edits, and move the submission to its new status.

    What is signed stays as it is. rules: as `rules_run.describe_rules` has them.

    Raises: LostLease.
    """
    lease.finish()
    EditResult.objects.filter(submission=submission).delete()
    results = [_result(submission, outcome) for outcome in result.outcomes]
    EditResult.objects.bulk_create(results)
    if submission.status == Status.SIGNED:
        Submission.objects.filter(pk=submission.pk).update(edits_folder=folder, rules_run=rules)
        return
    first, *others = result.events
    moves.move(
        submission,
        first,
        edits_folder=folder,
        rules_run=rules,
        quality_exists=result.quality,
        macro_exists=result.macro,
        quality_verified=False,
        macro_verified=False,
    )
    for event in others:
        moves.move(submission, event)
    unrun = [each for each in results if each.not_run]
    is_ready = submission.status == Status.VERIFIED
    moves.rest(
        submission,
        unrun=rules_run.describe_unrun(unrun),
        waits=rules_run.missing_for_signature(submission, unrun) if is_ready else "",
    )


def _result(submission: Submission, outcome: Outcome) -> EditResult:
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


def refuse_file(submission: Submission, lease: Lease, fault: NotText) -> None:
    """Fail a submission whose file is not UTF-8 text, with an email that says what to do.

    Raises: LostLease.
    """
    reason = encodings.explain(storage.local(submission.raw_file), line=fault.line)
    _refuse(submission, lease, str(fault), reason, Event.NOT_TEXT_FOUND)


def refuse_period(submission: Submission, lease: Lease, fault: NoRulebookError) -> None:
    """Fail a submission for whose period there are no edits: without rules nothing passes.

    Raises: LostLease.
    """
    reason = f"No edits could be run on your file, so it did not pass. {fault}"
    _refuse(submission, lease, str(fault), reason, Event.NO_RULES_FOUND)


def _refuse(submission: Submission, lease: Lease, error: str, reason: str, event: Event) -> None:
    """Fail a job, and its submission unless that is signed. error: for staff."""
    with transaction.atomic():
        lease.fail(error)
        if submission.status != Status.SIGNED:
            moves.fail(submission, reason, event=event)


def fail(job_id: int) -> None:
    """Fail the submission of a failed job, by a fault of the service, with an email to the filer.

    Staff read the technical reason as the last error of the job.

    Raises: NotReady where another process has changed the submission.
    """
    submission = submission_of(job_id)
    if submission.status == Status.SIGNED:  # its edits were run again
        return
    stage = Job.objects.values_list("stage", flat=True).get(pk=job_id)
    moves.fail(submission, fault_of_ours(stage, reference=str(submission)))


def abandon_upload(job_id: int) -> None:
    """Reopen a submission for upload after its web process was lost, or no further part came.

    Raises: NotReady where another process has changed the submission.
    """
    submission = submission_of(job_id)
    if not resumable_uploads.expire(submission):
        reception.abandon_upload(submission)
