"""The stages of a submission, in their order: kinds of job that each begin from a status.

    upload   a web process receives the file, which then waits to be parsed
    parse    finds the lines of the file and its formatting errors, and runs the edits meanwhile
    edits    publishes the results for the filer, who acts next; it runs the edits itself where the
             facts have changed since, and whenever they are to be run again

Each stage reads the results of the one before, writes its own into a folder of its attempt, and
publishes them in one transaction that locks the job first and only commits while it has the job.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from django.db import transaction

from filing import storage
from filing.edits import engine
from filing.edits.edit import Edit, EditKind, EditLevel
from filing.edits.engine import EditOutcome
from filing.edits.facts import EditFacts
from filing.jobs import queue
from filing.lar.blocks import NotText
from filing.lar.formats import Record
from filing.lar.parser import FileScan, Scan
from filing.lar.years import NoRulebookError
from filing.models import EditResult, EditReview, Job, Submission
from filing.registries import JobKind, Lease
from filing.statuses import FAULTS, Event, Status, fault_of_ours
from filing.submissions import (
    findings,
    moves,
    reception,
    resumable_uploads,
    rules_run,
    stored_reports,
)
from filing.submissions.moves import ConcurrentChange
from filing.submissions.record_counts import RecordCounter
from filing.submissions.stored_reports import CheckBasis


@dataclass(frozen=True)
class ProcessingStage:
    """One stage: the status it starts from, the event of its start, and its function.

    fits: whether it also runs on a submission that it does not move.
    """

    name: str
    starts_in: Status
    started: Event
    works_in: Status
    run: Callable[[Submission, Lease], Job | None]
    fits: Callable[[Submission], bool] = lambda submission: False

    @property
    def kind(self) -> JobKind:
        """The kind of job that runs the stage."""
        return JobKind(self.name, self.work, end=fail_submission_of_job, shows_progress=True)

    def work(self, lease: Lease) -> int | None:
        """Run the stage of a job; return the key of the job that follows, if any.

        Raises: LostLease.
        """
        submission = find_submission_of_job(lease.job_id)
        if not self.enter(submission) and not self.fits(submission):
            with transaction.atomic():
                lease.fail(f"The submission already has status {submission.status}.")
            return None
        try:
            following = self.run(submission, lease)
        except NotText as error:
            refuse_file(submission, lease, error)
            return None
        except NoRulebookError as error:
            refuse_period(submission, lease, error)
            return None
        return following.pk if following else None

    def enter(self, submission: Submission) -> bool:
        """Move a submission into the stage; false if its status no longer fits."""
        if submission.status == self.starts_in:
            try:
                moves.move_submission(submission, self.started)
            except ConcurrentChange:
                submission.refresh_from_db(fields=["status"])
        return submission.status == self.works_in


def refuse_file(submission: Submission, lease: Lease, fault: NotText) -> None:
    """Fail a submission whose file is not UTF-8 text, with an email that says what to do.

    Raises: LostLease.
    """
    _refuse(submission, lease, str(fault), str(fault), Event.NOT_TEXT_FOUND)


def refuse_period(submission: Submission, lease: Lease, fault: NoRulebookError) -> None:
    """Fail a submission for whose period there are no edits: without rules nothing passes.

    Raises: LostLease.
    """
    reason = f"No edits could be run on your file, so it did not pass. {fault}"
    _refuse(submission, lease, str(fault), reason, Event.NO_RULES_FOUND)


def _refuse(submission: Submission, lease: Lease, error: str, reason: str, event: Event) -> None:
    """Fail a job, and its submission unless that is signed. error: for staff."""
    with transaction.atomic():
        lease.fail(error, is_ours=FAULTS[event].is_ours)
        if submission.status != Status.SIGNED:
            moves.fail_submission(submission, reason, event=event)


def find_submission_of_job(job_id: int) -> Submission:
    """Return the submission of a job."""
    related = ("filing__institution", "filing__period")
    return Submission.objects.select_related(*related).get(jobs=job_id)


def fail_submission_of_job(job_id: int) -> None:
    """Fail the submission of a failed job, by a fault of the service, with an email to the filer.

    Staff read the technical reason as the last error of the job.

    Raises: NotReady where another process has changed the submission.
    """
    submission = find_submission_of_job(job_id)
    if submission.status == Status.SIGNED:  # its edits were run again
        return
    stage = Job.objects.values_list("stage", flat=True).get(pk=job_id)
    moves.fail_submission(submission, fault_of_ours(stage, reference=str(submission)))


def abandon_upload_of_job(job_id: int) -> None:
    """Reopen a submission for upload after its web process was lost, or no further part came.

    Raises: NotReady where another process has changed the submission.
    """
    submission = find_submission_of_job(job_id)
    if not resumable_uploads.expire_upload(submission):
        reception.abandon_upload(submission)


def parse_submission(submission: Submission, lease: Lease) -> Job | None:
    """Parse the file of a submission; return the next job unless it has formatting errors.

    Raises: NotText for a file that is not text; LostLease.
    """
    folder = storage.name_folder(submission, "parse", lease.attempt_id)
    raw = storage.open_local_copy(submission.raw_file, on_block=lease.moves)

    def progress(rows: int, position: int) -> None:
        lease.rows_done = rows
        lease.rows_total = max(rows, round(rows * submission.size / max(position, 1)))

    basis: CheckBasis | None = None
    counter = RecordCounter()

    def find_facts(sheet: Record | None) -> EditFacts | None:
        nonlocal basis
        with suppress(NoRulebookError):  # the edits stage says so
            basis = stored_reports.find_basis(submission, sheet)
        return basis.facts if basis else None

    with storage.make_work_folder() as work:
        offsets, bad_rows = work / storage.OFFSETS, work / storage.BAD_ROWS
        with (
            offsets.open("wb") as offsets_file,
            bad_rows.open("wb") as bad_rows_file,
            (work / storage.FINDINGS).open("wb") as findings_file,
        ):
            scan, report = engine.check_lines(
                raw,
                FileScan(offsets_file, bad_rows_file, progress, counter.add),
                findings_file,
                find_facts,
                ends_at_faults=True,
            )
        lease.rows_done = lease.rows_total = scan.lines
        storage.store_file(offsets, f"{folder}/{storage.OFFSETS}")
        storage.store_file(bad_rows, f"{folder}/{storage.BAD_ROWS}")
        findings.store_error_groups(scan.groups, work, folder)
        if basis and report:
            stored_reports.store_report(submission, lease, report, basis, work)
    following = publish_parsing(submission, lease, scan, folder, counter)
    storage.discard_other_attempts(submission, "parse", current=folder)
    return following


def publish_parsing(
    submission: Submission, lease: Lease, scan: Scan, folder: str, counter: RecordCounter
) -> Job | None:
    """Publish the lines and formatting errors of a file; return the next job if there are none.

    counter: of the records, whose counts are stored with a file without formatting errors.
    Raises: LostLease.
    """
    with transaction.atomic():
        lease.finish()
        moves.move_submission(
            submission,
            Event.PARSE_FOUND_ERRORS if scan.bad else Event.PARSE_PASSED,
            reason=scan.hint if scan.bad else "",
            parse_folder=folder,
            lines=scan.lines,
            transmittal_sheet=scan.transmittal_sheet,
            format_errors=scan.bad,
            totals=scan.totals,
            failure=scan.hint,
        )
        if scan.bad or scan.transmittal_sheet is None:
            moves.notify_waiting(submission)
            return None
        counter.store(submission, scan.transmittal_sheet)
        # The same worker runs it at once.
        return queue.add_job("edits", submission=submission, rows_total=scan.lines, notifies=False)


@dataclass(frozen=True)
class CheckResult:
    """The result of the edits: the outcomes that count, and the moves that follow.

    quality, macro: whether edits of the kind must be verified.
    """

    outcomes: Sequence[EditOutcome]
    quality: bool
    macro: bool
    events: Sequence[Event]


def check_submission(submission: Submission, lease: Lease) -> None:
    """Publish the results of the edits on the file of a submission. No job follows.

    Raises: NotText for a file that is not text; NoRulebookError; LostLease.
    """
    lease.rows_total = submission.lines
    basis = stored_reports.find_basis(submission, submission.transmittal_sheet)
    stored = stored_reports.find_report(submission, lease, basis)
    report, folder = stored or _run_edits(submission, lease, basis.facts)
    lease.rows_done = submission.lines
    publish_edits(submission, lease, _select_outcomes(report), folder, basis=basis)
    storage.discard_other_attempts(submission, "edits", current=folder)


def _run_edits(
    submission: Submission, lease: Lease, facts: EditFacts
) -> tuple[engine.CheckReport, str]:
    """Run the edits, and return their report and the folder of their findings."""
    folder = storage.name_folder(submission, "edits", lease.attempt_id)
    raw = storage.open_local_copy(submission.raw_file, on_block=lease.moves)

    def progress(rows: int, position: int) -> None:
        lease.rows_done = rows

    with storage.make_work_folder() as work:
        path = work / storage.FINDINGS
        with path.open("wb") as findings_file:
            report = engine.run_edits(raw, facts, findings_file, progress=progress)
        storage.store_file(path, f"{folder}/{storage.FINDINGS}")
    return report, folder


def _select_outcomes(report: engine.CheckReport) -> CheckResult:
    """Return the outcomes of a report that count, and the moves that follow.

    Quality and macro edits of a file with syntactical or validity errors are left out: the filer
    would have to review them again for the corrected file. The quality edits of the transmittal
    sheet belong to the first stage and are included.
    """
    triggered = {outcome.edit.kind for outcome in report.outcomes if outcome.total}
    stops = bool(triggered & {EditKind.SYNTACTICAL, EditKind.VALIDITY})
    outcomes = [
        outcome
        for outcome in report.outcomes
        if (outcome.total or not outcome.run) and not (stops and _comes_later(outcome.edit))
    ]
    to_verify = {outcome.edit.kind for outcome in outcomes if outcome.total}
    quality, macro = EditKind.QUALITY in to_verify, EditKind.MACRO in to_verify
    return CheckResult(outcomes, quality, macro, _events(stops=stops, quality=quality, macro=macro))


def _comes_later(edit: Edit) -> bool:
    is_quality = edit.kind is EditKind.QUALITY and edit.level is not EditLevel.TS
    return is_quality or edit.kind is EditKind.MACRO


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


@transaction.atomic
def publish_edits(
    submission: Submission, lease: Lease, result: CheckResult, folder: str, *, basis: CheckBasis
) -> None:
    """Publish the results of the edits, and move the submission to its new status.

    What is signed stays as it is. basis: what the edits were run with.

    Raises: LostLease.
    """
    lease.finish()
    EditResult.objects.filter(submission=submission).delete()
    if submission.status != Status.SIGNED:
        EditReview.objects.filter(submission=submission).delete()
    results = [_make_result(submission, outcome) for outcome in result.outcomes]
    EditResult.objects.bulk_create(results)
    if submission.status == Status.SIGNED:
        Submission.objects.filter(pk=submission.pk).update(
            edits_folder=folder, rules_run=basis.rules, census_run=basis.census
        )
        return
    first, *others = result.events
    moves.move_submission(
        submission,
        first,
        edits_folder=folder,
        rules_run=basis.rules,
        census_run=basis.census,
        quality_exists=result.quality,
        macro_exists=result.macro,
        quality_verified=False,
        macro_verified=False,
    )
    for event in others:
        moves.move_submission(submission, event)
    unrun = [result for result in results if result.not_run]
    is_ready = submission.status == Status.VERIFIED
    moves.notify_waiting(
        submission,
        unrun=rules_run.describe_unrun(unrun),
        waits=rules_run.describe_missing_for_signature(submission, unrun) if is_ready else "",
    )


def _make_result(submission: Submission, outcome: EditOutcome) -> EditResult:
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


STAGES = {
    stage.name: stage
    for stage in (
        ProcessingStage(
            "parse", Status.UPLOADED, Event.PARSE_STARTED, Status.PARSING, parse_submission
        ),
        ProcessingStage(
            "edits",
            Status.PARSED,
            Event.EDITS_STARTED,
            Status.VALIDATING,
            check_submission,
            fits=rules_run.was_signed_without_rules,
        ),
    )
}
STAGE_KINDS = (
    JobKind(
        "upload",
        is_queued=False,
        end=abandon_upload_of_job,
        continue_=resumable_uploads.continue_upload,
    ),
    *(stage.kind for stage in STAGES.values()),
)
