"""Reports on submissions that no worker has: the filer must act, an operator, or no one."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings

from filing import day_hours, standing
from filing.access.persons import person_with_email
from filing.lar.years import missing_rules
from filing.models import EditResult, Job, StatusChange, Submission
from filing.periods import filings
from filing.statuses import Event, FilingStatus, Status
from filing.submissions import halts, ownership, rules_run
from filing.submissions.status_report.wording import STAGE_NAMES, StatusReport

MAX_EDITS = 12  # named in a sentence
_FILE_AGAIN = (
    "If it is the wrong file: a signature is not taken back. The filer uploads the right file in a "
    "new submission of the same filing and signs that; it then counts in place of this one."
)
_CORRECT = "The filer corrects the file and uploads it in a new submission of the same filing."


def _created(submission: Submission) -> StatusReport:
    period = submission.filing.period
    last = StatusChange.objects.filter(submission=submission).order_by("-id").first()
    refused = {Event.UPLOAD_REFUSED.name, Event.UPLOAD_ABANDONED.name}
    problem = remedy = ""
    if last and last.event in refused:
        problem = f"The last upload did not succeed: {last.reason or 'the connection was lost.'}"
        remedy = "The filer uploads the file again, in the same submission."
    if reason := missing_rules(period.period):
        problem, remedy = reason, "Nothing can be filed for it unless its year is prepared."
    elif not filings.is_open(period):
        opens, closes = map(day_hours.in_words, (period.opens, period.closes))
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
    if foreign := ownership.foreign_lei(submission):
        return _of_another_institution(submission, f"{foreign.sentence} Triggered: {codes}.")
    return _waiting_for_filer(
        submission,
        "Syntactical or validity edits were triggered.",
        "Upload a corrected file.",
        f"Triggered: {codes}. Syntactical and validity edits cannot be verified.",
        _CORRECT,
    )


def _must_verify(submission: Submission) -> StatusReport:
    if foreign := ownership.foreign_lei(submission):
        return _of_another_institution(submission, foreign.sentence)
    open_kinds = [
        kind
        for kind in ("quality", "macro")
        if getattr(submission, f"{kind}_exists") and not getattr(submission, f"{kind}_verified")
    ]
    kinds = " and ".join(open_kinds) or "quality and macro"
    return _waiting_for_filer(
        submission,
        f"The {kinds} edits have not been verified.",
        "Verify these edits, then sign.",
        f"Triggered: {_triggered_edits(submission, tuple(open_kinds))}.",
        f"The filer verifies the {kinds} edits where the data is correct. If it is not: {_CORRECT}",
    )


def _ready(submission: Submission) -> StatusReport:
    if foreign := ownership.foreign_lei(submission):
        return _of_another_institution(submission, foreign.sentence)
    if not settings.SIGNING_ENABLED:
        summary, next_step = "Checking has finished.", "nothing, this site takes no signatures."
        return StatusReport(summary, submission.changed_at, "", next_step)
    if reason := rules_run.reason_to_wait(submission):
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
    replacement = standing.replacement_of(submission)
    remedy = ""
    if submission.filing.status == FilingStatus.CANCELLED:
        outcome = "nothing; the filing is cancelled, so this submission does not count."
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


def report_discarded(submission: Submission) -> StatusReport:
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


def _failed(submission: Submission) -> StatusReport:
    failed = Job.objects.filter(submission=submission, state=Job.State.FAILED)
    job = failed.order_by("-finished_at").first()
    halt = halts.halt_of(submission)
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


IDLE_REPORTS: dict[Status, Callable[[Submission], StatusReport]] = {
    Status.CREATED: _created,
    Status.PARSED_WITH_ERRORS: _format_errors,
    Status.SYNTACTICAL_OR_VALIDITY_ERRORS: _must_correct,
    Status.QUALITY_ERRORS: _must_verify,
    Status.MACRO_ERRORS: _must_verify,
    Status.VERIFIED: _ready,
    Status.SIGNED: _signed,
    Status.FAILED: _failed,
}
