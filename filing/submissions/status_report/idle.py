"""Reports on submissions that no worker has: the filer must act, an operator, or no one."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings

from filing import day_hours
from filing.models import EditResult, Job, StatusChange, Submission
from filing.periods import filings
from filing.statuses import Event, Status
from filing.submissions.status_report.wording import STAGE_NAMES, StatusReport

MAX_EDITS = 12  # named in a sentence
_CORRECT = "The filer corrects the file and uploads it in a new submission of the same filing."


def _created(submission: Submission) -> StatusReport:
    period = submission.filing.period
    last = StatusChange.objects.filter(submission=submission).order_by("-id").first()
    refused = {Event.UPLOAD_REFUSED.name, Event.UPLOAD_ABANDONED.name}
    problem = remedy = ""
    if last and last.event in refused:
        problem = f"The last upload did not succeed: {last.reason or 'the connection was lost.'}"
        remedy = "The filer uploads the file again, in the same submission."
    if not filings.is_open(period):
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
    return _waiting_for_filer(
        submission,
        "Syntactical or validity edits were triggered.",
        "Upload a corrected file.",
        f"Triggered: {codes}. Syntactical and validity edits cannot be verified.",
        _CORRECT,
    )


def _must_verify(submission: Submission) -> StatusReport:
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
    if not settings.SIGNING_ENABLED:
        summary, next_step = "Checking has finished.", "nothing, this site takes no signatures."
        return StatusReport(summary, submission.changed_at, "", next_step)
    return _waiting_for_filer(submission, "Ready to sign.", "Certify and sign.")


def _signed(submission: Submission) -> StatusReport:
    signature = getattr(submission, "signature", None)
    signer = signature and (signature.signer_email or signature.signer_username)
    return StatusReport(
        summary=f"Signed by {signer}." if signer else "Signed.",
        since=signature.signed_at if signature else submission.changed_at,
        waiting_for="",
        next_step="nothing, the filing is complete.",
    )


def _failed(submission: Submission) -> StatusReport:
    failed = Job.objects.filter(submission=submission, state=Job.State.FAILED)
    job = failed.order_by("-finished_at").first()
    reason = submission.failure or "No reason was recorded."
    attempts = ""
    if job:
        number = "1 attempt" if job.attempts == 1 else f"{job.attempts} attempts"
        attempts = f" {STAGE_NAMES[job.stage]} failed after {number}."
    error = ""
    if job and job.last_error and job.last_error != submission.failure:
        error = f" The last error: {job.last_error.removeprefix(submission.failure).strip()}"
    stage = "the stage" if job else "it"
    return StatusReport(
        summary="Failed.",
        since=submission.changed_at,
        waiting_for="the filer, or an operator",
        next_step="A new submission, or a retry.",
        problem=f"{reason}{attempts}{error}",
        remedy=f"Once the cause is fixed, an operator can retry {stage}. Otherwise: {_CORRECT}",
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
