"""The states of filings and submissions as pages show them, and the next step."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import zip_longest

from django.contrib.humanize.templatetags.humanize import intcomma
from django.template.defaultfilters import filesizeformat
from django.urls import reverse

from filing import day_hours
from filing.access import Right
from filing.lar.years import Period
from filing.models import ResumableUpload, Submission
from filing.periods import timeliness
from filing.periods.duties import NotOwed
from filing.statuses import FAULTS, VERIFIABLE, Event, FilingStatus, Status
from filing.submissions import ownership
from filing.submissions.halts import Halt
from filing.submissions.overview import DueFiling
from filing.submissions.results import StageProgress

CANCELED, REPLACED, OVERTAKEN, DISCARDED = "canceled", "replaced", "overtaken", "discarded"
NEW_UPLOAD = "filing-new-upload"  # the page to upload a file in a submission of its own
STEPS = (
    "Upload",
    "Formatting errors",
    "Syntactical and validity edits",
    "Quality edits",
    "Macro edits",
    "Certify and sign",
)
QUALITY_STEP, MACRO_STEP = 3, 4
_NEXT_VERIFY = (
    "Next, review these edits. Verify them if the data is accurate; otherwise upload a corrected "
    "file."
)
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


@dataclass(frozen=True)
class PageState:
    """The state of a submission.

    action: the label of the button; page: the page it opens. next: the next step and who takes it.
    turn: who acts, if it is a person other than the filer. is_ended: whether no one acts any more,
    though nothing was filed.
    """

    text: str
    action: str = ""
    page: str = ""
    next: str = ""
    turn: str = ""
    is_ended: bool = False

    @property
    def needs(self) -> Right:
        """The right that the next step needs."""
        if self.turn or self.page == "filing-receipt":
            return Right.READ
        return Right.SIGN if self.page == "filing-sign" else Right.PREPARE


@dataclass(frozen=True)
class PageStep:
    """A step of the step indicator.

    state: complete, current, or blank if not reached. note: the result, or who acts.
    """

    label: str
    state: str = ""
    note: str = ""


@dataclass(frozen=True)
class Notice:
    """Why a submission does not count, or cannot be signed.

    kind: one of the names above. day: of the discarding, or of the signature of `other`, the
    submission that replaced it or was signed later; url: the address of that.
    """

    kind: str
    day: str = ""
    other: Submission | None = None
    url: str = ""


NOT_STARTED = PageState("Not started", "Upload a file", NEW_UPLOAD)
CANCELLED = PageState("Canceled: nothing is due", is_ended=True)
CHECKING = PageState("Checking")
NOT_FILED = PageState("Not filed")
FOREIGN = PageState("File of another institution", "Upload the right file", NEW_UPLOAD)
CUT_OFF = PageState("Upload not finished", "Continue the upload", "filing-upload")
FILE_REMOVED = PageState(
    "File removed",
    "Upload the file again",
    NEW_UPLOAD,
    "The file of this submission was removed under a retention rule. Next, upload the file again.",
)
WAITING = PageState(
    "Waiting for data that edits need", "View what is missing", "filing-sign", turn="the help desk"
)
STOPPED = PageState("Stopped", is_ended=True)
_STATES = {
    Status.CREATED: PageState(
        "Waiting for a file", "Upload a file", "filing-upload", "Next, upload the file."
    ),
    Status.PARSED_WITH_ERRORS: PageState(
        "Formatting errors",
        "Review formatting errors",
        "filing-formatting-errors",
        "Next, correct the formatting errors in your file and upload the corrected file. The edits "
        "run once the file can be read.",
    ),
    Status.SYNTACTICAL_OR_VALIDITY_ERRORS: PageState(
        "Syntactical or validity edits",
        "Review edits",
        "filing-edits",
        "Next, correct the data that triggered these edits and upload the corrected file. They "
        "cannot be verified. Quality and macro edits are listed after you correct these.",
    ),
    Status.QUALITY_ERRORS: PageState(
        "Quality edits to verify", "Verify edits", "filing-submission", _NEXT_VERIFY
    ),
    Status.MACRO_ERRORS: PageState(
        "Quality or macro edits to verify", "Verify edits", "filing-submission", _NEXT_VERIFY
    ),
    Status.VERIFIED: PageState(
        "Ready to certify and sign",
        "Certify and sign",
        "filing-sign",
        "All edits that were run have passed or are verified. Next, an authorized representative "
        "of the institution certifies the data and signs.",
    ),
    Status.SIGNED: PageState("Filed", "View receipt", "filing-receipt", "Your filing is complete."),
}


def describe_filing_state(
    due: DueFiling, progress: StageProgress | None = None, halt: Halt | None = None
) -> PageState:
    """Return the state of a filing: that of what counts, else of what is in progress.

    halt: what holds the submission in progress up, if anything.
    """
    if due.is_cancelled:
        return CANCELLED
    if due.counting:
        return describe_submission_state(due.counting)
    if due.in_progress is None:
        if reason := due.reason_not_owed:
            text = f"{reason}: nothing is due"
            can_file = reason is NotOwed.NOT_REQUIRED  # voluntarily
            return replace(NOT_STARTED, text=text) if can_file else PageState(text)
        return NOT_FILED if due.is_closed else NOT_STARTED
    return describe_submission_state(due.in_progress, progress, halt)


def describe_submission_state(
    submission: Submission,
    progress: StageProgress | None = None,
    halt: Halt | None = None,
    notice: Notice | None = None,
) -> PageState:
    """Return the state of a submission, with the next step.

    progress: of checking the file, if known. halt: what holds the submission up, if anything.
    notice: why it does not count, or cannot be signed.
    """
    status = Status(submission.status)
    state = _STATES.get(status, CHECKING)
    kind = notice.kind if notice else ""
    if notice and kind == DISCARDED:
        return PageState(f"Discarded on {notice.day}", is_ended=True)
    if status is Status.SIGNED:
        if notice and notice.other:
            text = f"Replaced by submission {notice.other.sequence_number}"
            return replace(state, text=text, next="")
        return replace(
            state, text=describe_filing_time(submission), next="" if kind else state.next
        )
    if kind == CANCELED:
        return CANCELLED
    if notice and notice.other:
        text = f"Not filed: submission {notice.other.sequence_number} was filed instead"
        return PageState(text, is_ended=True)
    if status is Status.FAILED:
        return _failed(submission, halt)
    if submission.files_removed_at:
        return FILE_REMOVED
    if status in VERIFIABLE and (foreign := ownership.find_foreign_lei(submission)):
        return replace(FOREIGN, next=foreign.sentence)
    if halt and halt.stops:
        return replace(STOPPED, next=halt.stops)
    if halt and halt.upload:
        return _cut_off(halt.upload)
    if halt and halt.waits:
        return replace(WAITING, next=halt.waits)
    if state is CHECKING and progress and progress.rows_total:
        done, total = intcomma(progress.rows_done), intcomma(progress.rows_total)
        return replace(state, text=f"Checking, {done} of {total} records")
    return state


def find_notice(
    submission: Submission, counting: Submission | None, last_signed: Submission | None
) -> Notice | None:
    """Return why a submission does not count, or cannot be signed; None if neither is so.

    counting: what counts of its filing. last_signed: the signed one with the highest number.
    """
    if submission.discarded_at:
        return Notice(DISCARDED, day_hours.describe_day(submission.discarded_at))
    if submission.filing.status == FilingStatus.CANCELLED:
        return Notice(CANCELED)
    if submission.status == Status.SIGNED:
        return _notice_of(REPLACED, counting) if counting and counting != submission else None
    if last_signed and last_signed.sequence_number > submission.sequence_number:
        return _notice_of(OVERTAKEN, last_signed)
    return None


def describe_filing_time(submission: Submission) -> str:
    """Return when a signed submission was filed, and whether it was timely.

    Of a correction it says whether the filing is.
    """
    day = day_hours.describe_day(submission.signature.signed_at)
    word = timeliness.find_first_timeliness(submission)
    if timeliness.is_correction(submission):
        return f"Filed on {day}; correction of a {word} filing"
    return f"Filed on {day}; {word}"


def list_steps(submission: Submission | None, state: PageState) -> list[PageStep]:
    """Return the steps of a submission in this state, with results and who acts now.

    submission: none before its file was sent.
    """
    complete = _complete(submission) if submission else 0
    notes = _outcomes(submission)[:complete] if submission else []
    if state.is_ended:
        notes += ["Ended here"] if complete < len(STEPS) else []
    elif complete < len(STEPS):
        turn = state.turn or "you"
        notes.append(f"Waiting for {turn}" if state.page else "In progress")
    states = ["complete"] * complete + ["current"]
    return [
        PageStep(label, state or "", note or "")
        for label, state, note in zip_longest(STEPS, states[: len(STEPS)], notes)
    ]


def build_page_address(name: str, lei: str, period: Period, **more: int | str) -> str:
    """Return the address of a page of an institution and period."""
    where: dict[str, int | str] = {"lei": lei, "year": period.year, **more}
    if period.is_quarterly:
        return reverse(f"quarter-{name}", kwargs=where | {"quarter": period.quarter_name})
    return reverse(name, kwargs=where)


def _notice_of(kind: str, other: Submission) -> Notice:
    number = other.sequence_number
    return Notice(
        kind,
        day_hours.describe_day(other.signature.signed_at),
        other,
        build_page_address("filing-submission", other.lei, other.period, number=number),
    )


def _failed(submission: Submission, halt: Halt | None) -> PageState:
    fault = halt.fault if halt and halt.fault else FAULTS[Event.FAILED]
    text = f"{fault.title}, reference {submission}"
    turn = "the help desk" if fault.is_ours else ""
    if not fault.takes_again:
        return PageState(text, "View the submission", "filing-submission", fault.next_step, turn)
    return PageState(text, "Upload the file again", NEW_UPLOAD, fault.next_step, turn)


def _cut_off(upload: ResumableUpload) -> PageState:
    sizes = f"{filesizeformat(upload.offset)} of {filesizeformat(upload.length)}"
    next_step = (
        f"The upload of {upload.file_name} stopped after {sizes}. You act next: continue it with "
        "the same file, or upload another one."
    )
    return replace(CUT_OFF, next=next_step)


def _outcomes(submission: Submission) -> list[str]:
    """Return the result of each step once it is complete."""
    kinds = (submission.quality_exists, submission.macro_exists)
    verified = ["Verified" if exists else "None triggered" for exists in kinds]
    return ["Done", "None found", "None triggered", *verified, "Signed"]


def _complete(submission: Submission) -> int:
    if submission.status in (Status.QUALITY_ERRORS, Status.MACRO_ERRORS):
        return QUALITY_STEP if "quality" in submission.kinds_to_verify else MACRO_STEP
    return _COMPLETE.get(Status(submission.status), 0)
