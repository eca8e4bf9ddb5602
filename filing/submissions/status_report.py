"""The status of a submission in sentences: since when, who must act, why it stopped, what to do.

The help desk reads them to callers. Nothing here writes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.db.models import F
from django.utils import timezone

from filing import day_hours, registries, standing
from filing.access import person_with_email
from filing.jobs import queue
from filing.lar.years import describe_missing_rules
from filing.models import EditResult, Job, ResumableUpload, StatusChange, Submission
from filing.periods import due_dates, duties, filings, timeliness
from filing.statuses import Event, FilingStatus, Status
from filing.submissions import halts, ownership, reception, rules_run

STAGE_NAMES = {
    "upload": "The upload",
    "parse": "Reading the file",
    "edits": "Running the edits",
}
_NEXT_STEPS = {
    "upload": "The file is read.",
    "parse": "The edits run, unless there are formatting errors.",
    "edits": "The filer reviews the edits that were triggered, or signs.",
}
MAX_EDITS = 12  # named in a sentence
_FILE_AGAIN = (
    "If it is the wrong file: a signature is not taken back. The filer uploads the right file in a "
    "new submission of the same filing and signs that; it then counts in place of this one."
)
_CORRECT = "The filer corrects the file and uploads it in a new submission of the same filing."
_TAKEN_OVER = "Another worker takes over automatically."
_NO_WORKER = "Check that the workers are running: see the list of jobs and the logs of the workers."


@dataclass(frozen=True)
class StatusReport:
    """How far a submission is, in sentences.

    since: when it reached this point. waiting_for: who must act; blank where no one must.
    problem: why it stopped, or waits longer than it should; blank where all is well. remedy: what
    solves the problem. job: the job that is running, queued, or failed for good.
    """

    summary: str
    since: datetime
    waiting_for: str
    next_step: str
    problem: str = ""
    remedy: str = ""
    job: Job | None = None

    @property
    def is_settled(self) -> bool:
        """True while no job is queued or running."""
        return self.job is None or not self.job.is_unfinished


def report_status(submission: Submission) -> StatusReport:
    """Return the report on a submission as it is now."""
    status = Status(submission.status)
    if submission.discarded_at:
        return _discarded(submission)
    return _IDLE_REPORTS.get(status, _in_progress)(submission)


def describe_timeliness(submission: Submission) -> str:
    """Return whether a submission is timely or late, in a sentence.

    Of a correction it says whether the filing is.
    """
    period = submission.filing.window
    is_over = timeliness.is_late(day_hours.today(), period)
    state = "Late if it is signed now" if is_over else "Not signed yet"
    if reason := duties.find_reason_not_owed(submission.filing):
        state = f"{reason}: nothing is due"
    if signature := getattr(submission, "signature", None):
        day = day_hours.describe_day(signature.signed_at)
        state = f"{timeliness.find_timeliness(submission).capitalize()}: signed on {day}"
        if timeliness.is_correction(submission):
            first = timeliness.first_signed_at(submission) or signature.signed_at
            state = (
                f"Correction, signed on {day}. The filing is "
                f"{timeliness.find_first_timeliness(submission)}: "
                f"it was first signed on {day_hours.describe_day(first)}"
            )
    verb = "was" if is_over else "is"
    deadline = due_dates.describe_deadline(period, day_hours.day_in_words)
    return f"{state}; the filing deadline {verb} {deadline}."


def describe_age(since: datetime) -> str:
    """Return how long ago something was, in the two largest units."""
    return describe_duration(max(0, int((timezone.now() - since).total_seconds())))


def describe_duration(seconds: int) -> str:
    """Return a number of seconds in the two largest units: `2 minutes 5 seconds`."""
    units = (("day", 86_400), ("hour", 3_600), ("minute", 60), ("second", 1))
    largest = next((at for at, (_, size) in enumerate(units) if seconds >= size), len(units) - 1)
    parts: list[str] = []
    for name, size in units[largest : largest + 2]:
        number, seconds = divmod(seconds, size)
        if number or not parts:
            parts.append(f"{number} {name}{'' if number == 1 else 's'}")
    return " ".join(parts)


def _created(submission: Submission) -> StatusReport:
    period = submission.filing.window
    problem = remedy = ""
    if refusal := reception.find_last_refusal(submission):
        problem = f"The last upload did not succeed: {refusal.reason or 'the connection was lost.'}"
        remedy = "The filer uploads the file again, in the same submission."
    if reason := describe_missing_rules(period.period):
        problem, remedy = reason, "Nothing can be filed for it unless its year is prepared."
    elif not filings.is_period_open(period):
        opens, closes = map(day_hours.day_in_words, (period.opens, period.closes))
        problem = f"The filing period accepts files from {opens} to {closes} only."
        remedy = "An operator can change these dates on the page of the filing period."
    return _waiting_for_filer(
        submission, "No file has been uploaded.", "Upload a file.", problem, remedy
    )


def _format_errors(submission: Submission) -> StatusReport:
    number = submission.format_errors
    lines = "line of the file has" if number == 1 else "lines of the file have"
    return _waiting_for_filer(
        submission,
        "The file has formatting errors.",
        "Upload a corrected file.",
        f"{number:,} {lines} formatting errors. {submission.failure}".strip(),
        _CORRECT,
    )


def _must_correct(submission: Submission) -> StatusReport:
    codes = _triggered_edits(submission, ("syntactical", "validity"))
    if foreign := ownership.find_foreign_lei(submission):
        return _of_another_institution(submission, f"{foreign.sentence} Triggered: {codes}.")
    return _waiting_for_filer(
        submission,
        "Syntactical or validity edits were triggered.",
        "Upload a corrected file.",
        f"Triggered: {codes}. Syntactical and validity edits cannot be verified.",
        _CORRECT,
    )


def _must_verify(submission: Submission) -> StatusReport:
    if foreign := ownership.find_foreign_lei(submission):
        return _of_another_institution(submission, foreign.sentence)
    open_kinds = submission.kinds_to_verify
    kinds = " and ".join(open_kinds) or "quality and macro"
    return _waiting_for_filer(
        submission,
        f"The {kinds} edits have not been verified.",
        "Verify these edits, then sign.",
        f"Triggered: {_triggered_edits(submission, tuple(open_kinds))}.",
        f"The filer verifies the {kinds} edits where the data is correct. If it is not: {_CORRECT}",
    )


def _ready(submission: Submission) -> StatusReport:
    if foreign := ownership.find_foreign_lei(submission):
        return _of_another_institution(submission, foreign.sentence)
    if not settings.SIGNING_ENABLED:
        summary, next_step = "Checking has finished.", "nothing, this site takes no signatures."
        return StatusReport(summary, submission.changed_at, "", next_step)
    if reason := rules_run.find_reason_to_wait(submission):
        return StatusReport(
            summary="Verified, but edits must be run before it is signed.",
            since=submission.changed_at,
            waiting_for="an operator",
            next_step="Load what is missing; the edits are then run automatically.",
            problem=reason,
        )
    return _waiting_for_filer(submission, "Ready to sign.", "Certify and sign.")


def _of_another_institution(submission: Submission, problem: str) -> StatusReport:
    return _waiting_for_filer(
        submission,
        "The file is of another institution.",
        "Upload the right file.",
        problem,
        "It can be neither verified nor signed. The filer uploads the right file in a new "
        "submission of the same filing.",
    )


def _signed(submission: Submission) -> StatusReport:
    signature = getattr(submission, "signature", None)
    replacement = standing.find_replacement(submission)
    remedy = ""
    if submission.filing.status == FilingStatus.CANCELLED:
        outcome = "nothing; the filing is canceled, so this submission does not count."
    elif replacement:
        outcome = f"nothing; submission {replacement} was signed later and replaced this one."
    else:
        outcome = "nothing, the filing is complete."
        remedy = _FILE_AGAIN
    return StatusReport(
        summary=f"Signed by {person_with_email(signature)}." if signature else "Signed.",
        since=signature.signed_at if signature else submission.changed_at,
        waiting_for="",
        next_step=outcome,
        remedy=remedy,
    )


def _failed(submission: Submission) -> StatusReport:
    failed = Job.objects.filter(submission=submission, state=Job.State.FAILED)
    job = failed.order_by("-finished_at").first()
    halt = halts.find_halt(submission)
    is_ours = bool(halt and halt.fault and halt.fault.is_ours)
    reason = submission.failure or "No reason was recorded."
    attempts = ""
    if job:
        number = "1 attempt" if job.attempts == 1 else f"{job.attempts} attempts"
        attempts = f" {STAGE_NAMES[job.stage]} failed after {number}."
    error = ""
    if job and job.last_error and job.last_error != submission.failure:
        error = f" The last error: {job.last_error.removeprefix(submission.failure).strip()}"
    stage = "the stage" if job else "it"
    retry = f"Once the cause is fixed, an operator can retry {stage}. Otherwise: "
    return StatusReport(
        summary="Failed.",
        since=submission.changed_at,
        waiting_for="an operator" if is_ours else "the filer",
        next_step="Fix the cause and retry it." if is_ours else "A new submission.",
        problem=f"{reason}{attempts}{error}",
        remedy=f"{retry if is_ours else ''}{_CORRECT}",
        job=job,
    )


def _waiting_for_filer(
    submission: Submission, summary: str, next_step: str, problem: str = "", remedy: str = ""
) -> StatusReport:
    since = submission.changed_at
    return StatusReport(summary, since, "the filer", next_step, problem, remedy)


def _triggered_edits(submission: Submission, kinds: tuple[str, ...]) -> str:
    """Return the codes of triggered edits, each with its number of records: `V617 (3), ...`."""
    results = EditResult.objects.filter(submission=submission, total__gt=0, kind__in=kinds)
    pairs = list(results.order_by("code", "level").values_list("code", "total")[: MAX_EDITS + 1])
    codes = [f"{code} ({total:,})" for code, total in pairs[:MAX_EDITS]]
    return ", ".join(codes) + (", and others" if len(pairs) > MAX_EDITS else "")


def _discarded(submission: Submission) -> StatusReport:
    """Return the report on a submission that the filer has discarded."""
    last = StatusChange.objects.filter(submission=submission, event=Event.DISCARDED.name).last()
    by = f" by {person_with_email(last)}" if last else ""
    return StatusReport(
        summary=f"Discarded{by}.",
        since=submission.discarded_at or submission.changed_at,
        waiting_for="",
        next_step="nothing; a new submission can be created.",
        problem=last.reason if last else "",
    )


def _in_progress(submission: Submission) -> StatusReport:
    """Return the report on a submission that a worker has, or should have."""
    jobs = Job.objects.filter(submission=submission).order_by("-queued_at", "-pk")
    job = next((job for job in jobs if job.is_unfinished), None)
    if job is None:
        return StatusReport(
            summary=f"Waiting for the service: {Status(submission.status).message}",
            since=submission.changed_at,
            waiting_for="an operator",
            next_step="Queue the stage.",
            problem="No job is queued for it.",
            remedy="An operator stops the submission and retries the stage.",
        )
    return (_running if job.state == Job.State.RUNNING else _queued)(submission, job)


def _running(submission: Submission, job: Job) -> StatusReport:
    if job.stage == "upload" and (upload := _unaccepted(submission)):
        return _arrived(upload, job)
    is_silent = bool(job.lease_until and job.lease_until < timezone.now())
    last_sign = job.heartbeat or job.started_at or job.queued_at
    is_upload = job.stage == "upload"
    return StatusReport(
        summary=f"{STAGE_NAMES[job.stage]} is in progress{_attempt(job)}.",
        since=job.started_at or job.queued_at,
        waiting_for="the filer, whose program sends the file" if is_upload else "",
        next_step="The file is read." if is_upload else _NEXT_STEPS[job.stage],
        problem=f"Its worker has not responded for {describe_age(last_sign)}."
        if is_silent
        else _error(job),
        remedy=_TAKEN_OVER if is_silent else "",
        job=job,
    )


def _unaccepted(submission: Submission) -> ResumableUpload | None:
    """Return the upload in parts that has all its bytes, but is not the file yet."""
    complete = submission.resumable_uploads.filter(offset=F("length"))
    return complete.filter(outcome=ResumableUpload.Outcome.OPEN).first()


def _arrived(upload: ResumableUpload, job: Job) -> StatusReport:
    is_late = queue.has_waited_long(upload.used_at)
    return StatusReport(
        summary="The whole file has arrived, and is not accepted yet.",
        since=upload.used_at,
        waiting_for="",
        next_step="The file is scanned for viruses if the site has a scanner, and stored.",
        problem="The virus scanner or the storage does not work." if is_late else "",
        remedy="It is tried again every minute. An operator starts what does not work: see "
        "`manage.py doctor`."
        if is_late
        else "",
        job=job,
    )


def _queued(submission: Submission, job: Job) -> StatusReport:
    now = timezone.now()
    if job.not_before > now:
        pause = max(1, round((job.not_before - now).total_seconds()))
        problem, remedy = _error(job), f"It is retried automatically in {pause} seconds."
    elif queue.has_waited_long(queue.find_due_since(job)):
        wait = f"It has been in the queue for {describe_age(queue.find_due_since(job))}."
        problem, remedy = f"{wait} {_error(job)}".strip(), _NO_WORKER
    else:
        problem, remedy = _error(job), ""
    return StatusReport(
        summary=f"{STAGE_NAMES[job.stage]} is queued{_attempt(job)}.",
        since=job.queued_at,
        waiting_for="",
        next_step=f"A worker takes it. {_NEXT_STEPS[job.stage]}",
        problem=problem,
        remedy=remedy,
        job=job,
    )


def _attempt(job: Job) -> str:
    if not job.attempts:
        return ""
    return f" (attempt {job.attempts} of {registries.find_retry_policy(job.stage).attempts})"


def _error(job: Job) -> str:
    return f"The last attempt ended with: {job.last_error}" if job.last_error else ""


_IDLE_REPORTS: dict[Status, Callable[[Submission], StatusReport]] = {
    Status.CREATED: _created,
    Status.PARSED_WITH_ERRORS: _format_errors,
    Status.SYNTACTICAL_OR_VALIDITY_ERRORS: _must_correct,
    Status.QUALITY_ERRORS: _must_verify,
    Status.MACRO_ERRORS: _must_verify,
    Status.VERIFIED: _ready,
    Status.SIGNED: _signed,
    Status.FAILED: _failed,
}
