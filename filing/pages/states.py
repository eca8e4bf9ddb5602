"""The states of filings and submissions as pages show them, and the next step."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import zip_longest

from django.contrib.humanize.templatetags.humanize import intcomma
from django.urls import reverse

from filing import day_hours
from filing.lar.period import Period
from filing.models import Submission
from filing.periods import timeliness
from filing.statuses import Status
from filing.submissions.overview import Due
from filing.submissions.results import Progress


@dataclass(frozen=True)
class State:
    """The state of a submission.

    action: the label of the button; page: the page it opens. next: the next step and who takes it.
    """

    text: str
    action: str = ""
    page: str = ""
    next: str = ""


@dataclass(frozen=True)
class Step:
    """A step of the step indicator.

    state: complete, current, or blank if not reached. note: the result, or who acts.
    """

    label: str
    state: str = ""
    note: str = ""


STEPS = (
    "Upload",
    "Formatting errors",
    "Syntactical and validity edits",
    "Quality edits",
    "Macro edits",
    "Certify and sign",
)
QUALITY_STEP, MACRO_STEP = 3, 4
NOT_STARTED = State("Not started", "Upload a file", "filing-period")
CANCELLED = State("Canceled: nothing is due")
CHECKING = State("Checking")
NOT_FILED = State("Not filed")
STOPPED = State(
    "Stopped by the help desk",
    "Upload the file again",
    "filing-period",
    "The help desk stopped this submission for the reason below. Next, upload the file again.",
)
FILE_REMOVED = State(
    "File removed",
    "Upload the file again",
    "filing-period",
    "The file of this submission was removed under a retention rule. Next, upload the file again.",
)
_NEXT_VERIFY = (
    "Next, review these edits. Verify them if the data is accurate; otherwise upload a corrected "
    "file."
)
_STATES = {
    Status.CREATED: State(
        "Waiting for a file", "Upload a file", "filing-upload", "Next, upload the file."
    ),
    Status.PARSED_WITH_ERRORS: State(
        "Formatting errors",
        "Review formatting errors",
        "filing-formatting-errors",
        "Next, correct the formatting errors in your file and upload the corrected file. The edits "
        "run once the file can be read.",
    ),
    Status.SYNTACTICAL_OR_VALIDITY_ERRORS: State(
        "Syntactical or validity edits",
        "Review edits",
        "filing-edits",
        "Next, correct the data that triggered these edits and upload the corrected file. They "
        "cannot be verified. Quality and macro edits are listed after you correct these.",
    ),
    Status.QUALITY_ERRORS: State(
        "Quality edits to verify", "Verify edits", "filing-submission", _NEXT_VERIFY
    ),
    Status.MACRO_ERRORS: State(
        "Quality or macro edits to verify", "Verify edits", "filing-submission", _NEXT_VERIFY
    ),
    Status.VERIFIED: State(
        "Ready to sign",
        "Certify and sign",
        "filing-sign",
        "All edits have passed or are verified. Next, an authorized representative of the "
        "institution certifies the data and signs.",
    ),
    Status.SIGNED: State(
        "Filed", "View receipt", "filing-receipt", "Your data is filed. Nothing more is required."
    ),
    Status.FAILED: State(
        "Something went wrong on our side",
        "Upload the file again",
        "filing-period",
        "The check of the file did not finish. Next, upload the file again.",
    ),
}
# The number of complete steps at each status; the next step is the current one.
_COMPLETE = {
    Status.CREATED: 0,
    Status.UPLOADING: 0,
    Status.UPLOADED: 1,
    Status.PARSING: 1,
    Status.PARSED_WITH_ERRORS: 1,
    Status.PARSED: 2,
    Status.VALIDATING: 2,
    Status.SYNTACTICAL_OR_VALIDITY: 2,
    Status.SYNTACTICAL_OR_VALIDITY_ERRORS: 2,
    Status.QUALITY: 3,
    Status.MACRO: 4,
    Status.VERIFIED: 5,
    Status.SIGNED: 6,
}


def of(due: Due, progress: Progress | None = None, *, is_stopped: bool = False) -> State:
    """Return the state of a filing. is_stopped: whether staff stopped its latest submission."""
    if due.is_cancelled:
        return CANCELLED
    if due.latest is None:
        return NOT_FILED if due.is_closed else NOT_STARTED
    return of_submission(due.latest, progress, is_stopped=is_stopped)


def of_submission(
    submission: Submission, progress: Progress | None = None, *, is_stopped: bool = False
) -> State:
    """Return the state of a submission, with the next step.

    progress: of checking the file, if known. is_stopped: whether staff stopped it.
    """
    status = Status(submission.status)
    state = _STATES.get(status, CHECKING)
    if status is Status.SIGNED:
        day = day_hours.in_words(day_hours.local(submission.signature.signed_at).date())
        return replace(state, text=f"Filed on {day}; {timeliness.of(submission)}")
    if status is Status.FAILED:
        final = STOPPED if is_stopped else state
        return replace(final, text=f"{final.text}, reference {submission}")
    if submission.files_removed_at:
        return FILE_REMOVED
    if state is CHECKING and progress and progress.rows_total:
        done, total = intcomma(progress.rows_done), intcomma(progress.rows_total)
        return replace(state, text=f"Checking, {done} of {total} records")
    return state


def steps(submission: Submission) -> list[Step]:
    """Return the steps of a submission, with results and who acts now."""
    complete = _complete(submission)
    notes = _outcomes(submission)[:complete]
    if complete < len(STEPS):
        is_waiting = Status(submission.status).is_settled
        notes.append("Waiting for you" if is_waiting else "In progress")
    states = ["complete"] * complete + ["current"]
    return [
        Step(label, state or "", note or "")
        for label, state, note in zip_longest(STEPS, states[: len(STEPS)], notes)
    ]


def _outcomes(submission: Submission) -> list[str]:
    """Return the result of each step once it is complete."""
    kinds = (submission.quality_exists, submission.macro_exists)
    verified = ["Verified" if exists else "None triggered" for exists in kinds]
    return ["Done", "None found", "None triggered", *verified, "Signed"]


def _complete(submission: Submission) -> int:
    if submission.status in (Status.QUALITY_ERRORS, Status.MACRO_ERRORS):
        needs_quality = submission.quality_exists and not submission.quality_verified
        return QUALITY_STEP if needs_quality else MACRO_STEP
    return _COMPLETE.get(Status(submission.status), 0)


def address(name: str, lei: str, period: Period, **more: int | str) -> str:
    """Return the address of a page of an institution and period."""
    where: dict[str, int | str] = {"lei": lei, "year": period.year, **more}
    if period.is_quarterly:
        return reverse(f"quarter-{name}", kwargs=where | {"quarter": period.quarter_name})
    return reverse(name, kwargs=where)
