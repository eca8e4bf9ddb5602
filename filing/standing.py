"""Where a submission stands: since when, whose turn it is, why it stopped, what would help.

Only reads. What the help desk tells a caller stands here, in whole sentences.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.conf import settings
from django.utils import timezone

from filing import day_hours, filings, jobs
from filing.models import EditResult, Job, StatusChange, Submission
from filing.statuses import Event, Status

MOST_EDITS = 12  # named in a sentence
LONG_WAIT = timedelta(minutes=1)
WORK = {"upload": "The upload", "parse": "The reading of the file", "edits": "The run of the edits"}
_CORRECT = "The filer corrects the file and uploads it in a new submission of the same filing."
_BY_ITSELF = "Another worker takes over by itself, without anybody's help."
_NO_WORKER = "Look whether the workers run: see the jobs and the log of the workers."


@dataclass(frozen=True)
class Standing:
    """Where a submission stands, in sentences.

    what: how far it is. next_step: what comes next. turn: who must act; blank where nobody must.
    stopped: why it does not go on, or waits longer than it should; blank where all is well.
    helps: what would help then. job: the stage that is worked on, waits, or was given up.
    """

    what: str
    since: datetime
    turn: str
    next_step: str
    stopped: str = ""
    helps: str = ""
    job: Job | None = None

    @property
    def rests(self) -> bool:
        """True where no worker goes on by itself."""
        return self.job is None or self.job.state not in {"queued", "running"}


def of(submission: Submission) -> Standing:
    """Return where a submission stands now."""
    status = Status(submission.status)
    if status in _RESTING:
        return _RESTING[status](submission)
    return _at_work(submission)


def timeliness(submission: Submission) -> str:
    """Return whether a submission is timely or late, in a sentence."""
    deadline = submission.filing.period.timely_until
    is_over = day_hours.today() > deadline
    state = "Late if it is signed now" if is_over else "Not signed yet"
    if signature := getattr(submission, "signature", None):
        day = _day(signature.signed_at)
        word = "Timely" if day <= deadline else "Late"
        state = f"{word}: signed on {day_hours.in_words(day)}"
    verb = "was" if is_over else "is"
    return f"{state}; the filing deadline {verb} {day_hours.in_words(deadline)}."


def ago(since: datetime) -> str:
    """Return how long ago something was, in the two largest units."""
    seconds = max(0, int((timezone.now() - since).total_seconds()))
    units = (("day", 86_400), ("hour", 3_600), ("minute", 60), ("second", 1))
    place = next((at for at, (_, size) in enumerate(units) if seconds >= size), len(units) - 1)
    parts: list[str] = []
    for name, size in units[place : place + 2]:
        number, seconds = divmod(seconds, size)
        if number or not parts:
            parts.append(f"{number} {name}{'' if number == 1 else 's'}")
    return " ".join(parts)


# --- while the service has its turn ---------------------------------------------------------------


def _at_work(submission: Submission) -> Standing:
    found = Job.objects.filter(submission=submission).order_by("-queued_at", "-pk")
    job = next((job for job in found if job.state in {"queued", "running"}), None)
    if job is None:
        return Standing(
            what=f"The service has its turn: {Status(submission.status).message}",
            since=submission.changed_at,
            turn="an operator",
            next_step="A stage has to be queued.",
            stopped="No job is there to go on with it.",
            helps="An operator stops the submission and has the stage tried again.",
        )
    return (_running if job.state == "running" else _queued)(submission, job)


def _running(submission: Submission, job: Job) -> Standing:
    silent = bool(job.lease_until and job.lease_until < timezone.now())
    heard = job.heartbeat or job.started_at or job.queued_at
    is_upload = job.stage == "upload"
    return Standing(
        what=f"{WORK[job.stage]} is under way{_attempt(job)}.",
        since=job.started_at or job.queued_at,
        turn="the filer, whose program sends the file" if is_upload else "",
        next_step="The file is read." if is_upload else _AFTER[job.stage],
        stopped=f"Its worker is silent since {ago(heard)}." if silent else _error(job),
        helps=_BY_ITSELF if silent else "",
        job=job,
    )


def _queued(submission: Submission, job: Job) -> Standing:
    now = timezone.now()
    if job.not_before > now:
        pause = max(1, round((job.not_before - now).total_seconds()))
        stopped, helps = _error(job), f"It is tried again by itself in {pause} seconds."
    elif now - max(job.queued_at, job.not_before) > LONG_WAIT:
        waits = f"It waits in the queue for {ago(max(job.queued_at, job.not_before))}."
        stopped, helps = f"{waits} {_error(job)}".strip(), _NO_WORKER
    else:
        stopped, helps = _error(job), ""
    return Standing(
        what=f"{WORK[job.stage]} waits in the queue{_attempt(job)}.",
        since=job.queued_at,
        turn="",
        next_step=f"A worker takes it. {_AFTER[job.stage]}",
        stopped=stopped,
        helps=helps,
        job=job,
    )


_AFTER = {
    "upload": "The file is read.",
    "parse": "The edits are run, unless there are format errors.",
    "edits": "The filer reviews what the edits found, or signs.",
}


def _attempt(job: Job) -> str:
    if not job.attempts:
        return ""
    return f" (attempt {job.attempts} of {jobs.patience(job.stage).attempts})"


def _error(job: Job) -> str:
    return f"The attempt before ended with: {job.last_error}" if job.last_error else ""


# --- while a person has theirs, or nobody -------------------------------------------------------


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
    return _waits_for_filer(submission, "No file has been uploaded.", "Upload.", stopped, helps)


def _format_errors(submission: Submission) -> Standing:
    number = submission.format_errors
    lines = "line of the file has" if number == 1 else "lines of the file have"
    return _waits_for_filer(
        submission,
        "The file has formatting errors.",
        "Upload of a corrected file.",
        f"{number:,} {lines} formatting errors. {submission.failure}".strip(),
        _CORRECT,
    )


def _must_correct(submission: Submission) -> Standing:
    found = _fired(submission, ("syntactical", "validity"))
    return _waits_for_filer(
        submission,
        "Syntactical or validity edits found something.",
        "Upload of a corrected file.",
        f"These edits found rows: {found}. Syntactical and validity edits cannot be verified.",
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
        f"The {kinds} edits are to be reviewed.",
        "Verification of these edits, then the signature.",
        f"These edits found rows: {_fired(submission, tuple(open_kinds))}.",
        f"The filer verifies the {kinds} edits where the data is correct. If it is not: {_CORRECT}",
    )


def _ready(submission: Submission) -> Standing:
    if not settings.SIGNING_ENABLED:
        over, nothing = "The analysis is over.", "nothing, this site takes no signatures."
        return Standing(over, submission.changed_at, "", nothing)
    return _waits_for_filer(submission, "It is ready to be signed.", "The signature.")


def _signed(submission: Submission) -> Standing:
    signature = getattr(submission, "signature", None)
    who = signature and (signature.signer_email or signature.signer_username)
    return Standing(
        what=f"It was signed by {who}." if who else "It was signed.",
        since=signature.signed_at if signature else submission.changed_at,
        turn="",
        next_step="nothing, the filing is complete.",
    )


def _failed(submission: Submission) -> Standing:
    job = Job.objects.filter(submission=submission, state="failed").order_by("-finished_at").first()
    why = submission.failure or "No reason was kept."
    attempts = ""
    if job:
        tried = "1 attempt" if job.attempts == 1 else f"{job.attempts} attempts"
        attempts = f" {WORK[job.stage]} was given up after {tried}."
    error = ""
    if job and job.last_error and job.last_error != submission.failure:
        error = f" The last error: {job.last_error.removeprefix(submission.failure).strip()}"
    again = "the stage tried again" if job else "it tried again"
    return Standing(
        what="It failed.",
        since=submission.changed_at,
        turn="the filer, or an operator",
        next_step="A new submission, or another try.",
        stopped=f"{why}{attempts}{error}",
        helps=f"Once the cause is gone, an operator can have {again}. Else: {_CORRECT}",
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


_RESTING: dict[Status, Callable[[Submission], Standing]] = {
    Status.CREATED: _created,
    Status.PARSED_WITH_ERRORS: _format_errors,
    Status.SYNTACTICAL_OR_VALIDITY_ERRORS: _must_correct,
    Status.QUALITY_ERRORS: _must_verify,
    Status.MACRO_ERRORS: _must_verify,
    Status.VERIFIED: _ready,
    Status.SIGNED: _signed,
    Status.FAILED: _failed,
}


def _day(at: datetime) -> date:
    """Return the day on which something was, where days of filing periods begin."""
    return day_hours.local(at).date()
