"""Where a submission stands while a person has their turn, or no one."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings

from filing import day_hours
from filing.models import EditResult, Job, StatusChange, Submission
from filing.periods import filings
from filing.statuses import Event, Status
from filing.submissions.standing.sentences import WORK, Standing

MOST_EDITS = 12  # named in a sentence
_CORRECT = "The filer corrects the file and uploads it in a new submission of the same filing."


def _created(submission: Submission) -> Standing:
    period = submission.filing.period
    last = StatusChange.objects.filter(submission=submission).order_by("-id").first()
    refused = {Event.UPLOAD_REFUSED.name, Event.UPLOAD_ABANDONED.name}
    stopped = helps = ""
    if last and last.event in refused:
        stopped = f"The last upload did not succeed: {last.reason or 'the connection was lost.'}"
        helps = "The filer uploads the file again; the submission takes it."
    if not filings.is_open(period):
        opens, closes = map(day_hours.in_words, (period.opens, period.closes))
        stopped = f"The filing period takes files from {opens} to {closes} only."
        helps = "An operator can move these days on the page of the filing period."
    return _waits_for_filer(
        submission, "No file has been uploaded.", "Upload a file.", stopped, helps
    )


def _format_errors(submission: Submission) -> Standing:
    number = submission.format_errors
    lines = "line of the file has" if number == 1 else "lines of the file have"
    return _waits_for_filer(
        submission,
        "The file has formatting errors.",
        "Upload a corrected file.",
        f"{number:,} {lines} formatting errors. {submission.failure}".strip(),
        _CORRECT,
    )


def _must_correct(submission: Submission) -> Standing:
    found = _fired(submission, ("syntactical", "validity"))
    return _waits_for_filer(
        submission,
        "Syntactical or validity edits were triggered.",
        "Upload a corrected file.",
        f"Triggered: {found}. Syntactical and validity edits cannot be verified.",
        _CORRECT,
    )


def _must_verify(submission: Submission) -> Standing:
    open_kinds = [
        kind
        for kind in ("quality", "macro")
        if getattr(submission, f"{kind}_exists") and not getattr(submission, f"{kind}_verified")
    ]
    kinds = " and ".join(open_kinds) or "quality and macro"
    return _waits_for_filer(
        submission,
        f"The {kinds} edits have not been verified.",
        "Verify these edits, then sign.",
        f"Triggered: {_fired(submission, tuple(open_kinds))}.",
        f"The filer verifies the {kinds} edits where the data is correct. If it is not: {_CORRECT}",
    )


def _ready(submission: Submission) -> Standing:
    if not settings.SIGNING_ENABLED:
        over, nothing = "Checking has finished.", "nothing, this site takes no signatures."
        return Standing(over, submission.changed_at, "", nothing)
    return _waits_for_filer(submission, "Ready to sign.", "Certify and sign.")


def _signed(submission: Submission) -> Standing:
    signature = getattr(submission, "signature", None)
    who = signature and (signature.signer_email or signature.signer_username)
    return Standing(
        what=f"Signed by {who}." if who else "Signed.",
        since=signature.signed_at if signature else submission.changed_at,
        turn="",
        next_step="nothing, the filing is complete.",
    )


def _failed(submission: Submission) -> Standing:
    failed = Job.objects.filter(submission=submission, state=Job.State.FAILED)
    job = failed.order_by("-finished_at").first()
    why = submission.failure or "No reason was recorded."
    attempts = ""
    if job:
        tried = "1 attempt" if job.attempts == 1 else f"{job.attempts} attempts"
        attempts = f" {WORK[job.stage]} failed after {tried}."
    error = ""
    if job and job.last_error and job.last_error != submission.failure:
        error = f" The last error: {job.last_error.removeprefix(submission.failure).strip()}"
    again = "the stage" if job else "it"
    return Standing(
        what="Failed.",
        since=submission.changed_at,
        turn="the filer, or an operator",
        next_step="A new submission, or a retry.",
        stopped=f"{why}{attempts}{error}",
        helps=f"Once the cause is fixed, an operator can retry {again}. Otherwise: {_CORRECT}",
        job=job,
    )


def _waits_for_filer(
    submission: Submission, what: str, next_step: str, stopped: str = "", helps: str = ""
) -> Standing:
    since = submission.changed_at
    return Standing(what, since, "the filer", next_step, stopped, helps)


def _fired(submission: Submission, kinds: tuple[str, ...]) -> str:
    """Return the edits of some kinds with their rows: `V617 (3 rows), ...`."""
    results = EditResult.objects.filter(submission=submission, total__gt=0, kind__in=kinds)
    found = list(results.order_by("code", "level").values_list("code", "total")[: MOST_EDITS + 1])
    named = [f"{code} ({total:,})" for code, total in found[:MOST_EDITS]]
    return ", ".join(named) + (", and others" if len(found) > MOST_EDITS else "")


RESTING: dict[Status, Callable[[Submission], Standing]] = {
    Status.CREATED: _created,
    Status.PARSED_WITH_ERRORS: _format_errors,
    Status.SYNTACTICAL_OR_VALIDITY_ERRORS: _must_correct,
    Status.QUALITY_ERRORS: _must_verify,
    Status.MACRO_ERRORS: _must_verify,
    Status.VERIFIED: _ready,
    Status.SIGNED: _signed,
    Status.FAILED: _failed,
}
