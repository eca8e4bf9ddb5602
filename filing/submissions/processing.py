"""What workers write to submissions, each in one transaction that holds the job first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction

from filing.edits.engine import Outcome
from filing.emails import finished
from filing.jobs import queue
from filing.lar.parse import Scan
from filing.models import EditResult, Job, Submission
from filing.registries.kinds import Lease
from filing.statuses import Event, Status
from filing.submissions import moves, reception
from filing.submissions.moves import Overtaken


@dataclass(frozen=True)
class Checked:
    """What the edits of a file came to: the outcomes that count, and the moves that follow.

    quality, macro: whether there is something of the kind to verify.
    """

    outcomes: Sequence[Outcome]
    quality: bool
    macro: bool
    events: Sequence[Event]


def submission_of(job_id: int) -> Submission:
    """Return the submission that a job is about."""
    related = ("filing__institution", "filing__period")
    return Submission.objects.select_related(*related).get(jobs=job_id)


def enter(submission: Submission, starts_in: Status, started: Event, works_in: Status) -> bool:
    """Move a submission into a stage; false if it has moved on to where the stage has no place."""
    if submission.status == starts_in:
        try:
            moves.move(submission, started)
        except Overtaken:
            submission.refresh_from_db(fields=["status"])
    return submission.status == works_in


def leave(submission: Submission, lease: Lease) -> None:
    """End the job of a stage that a submission did not wait for.

    Raises: LostLease.
    """
    with transaction.atomic():
        lease.fail(f"The submission has moved on to {submission.status} without this.")


def keep_parsed(submission: Submission, lease: Lease, scan: Scan, folder: str) -> Job | None:
    """Publish the lines and format errors of a file; return the job of its edits without errors.

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
            finished.queue(submission)
            return None
        # The worker goes on with it at once.
        return queue.add("edits", submission=submission, rows_total=scan.lines, rings=False)


@transaction.atomic
def keep_checked(submission: Submission, lease: Lease, checked: Checked, folder: str) -> None:
    """Publish what the edits found, and move the submission to where it rests.

    Raises: LostLease.
    """
    lease.finish()
    EditResult.objects.filter(submission=submission).delete()
    EditResult.objects.bulk_create(_result(submission, each) for each in checked.outcomes)
    first, *others = checked.events
    moves.move(
        submission,
        first,
        edits_folder=folder,
        quality_exists=checked.quality,
        macro_exists=checked.macro,
        quality_verified=False,
        macro_verified=False,
    )
    for event in others:
        moves.move(submission, event)
    finished.queue(submission)


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


def fail(job_id: int, reason: str) -> None:
    """End the submission of a job that was given up, with an email that says why.

    Raises: NotReady where somebody else has moved it.
    """
    moves.fail(submission_of(job_id), reason)


def take_upload_back(job_id: int, reason: str) -> None:
    """Open the submission of an upload whose web process is gone, so that it is uploaded again.

    Raises: NotReady where somebody else has moved it.
    """
    reception.abandon_upload(submission_of(job_id))
