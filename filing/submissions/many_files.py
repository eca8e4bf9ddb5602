"""Files of many filings at once: which filing each is for, and why one is not uploaded.

The transmittal sheet of a file, its first line, names the institution and the period. Each file is
planned by itself and received as an upload of its own: one that is refused holds up no other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from filing import access
from filing.access import AccessDenied, Caller, Right
from filing.errors import AlreadyExists, Refusal
from filing.lar import first_line
from filing.lar.first_line import FirstLine
from filing.lar.years import Period, describe_missing_rules
from filing.models import Submission
from filing.periods import filings
from filing.statuses import Status
from filing.submissions import actions, overview, uploads
from filing.submissions.overview import DueFiling
from filing.submissions.reception import ReceivedFile, Reception

MOST_FILES = 100  # of one form, or of one choice in the browser
_NO_SHEET = (
    "The first line is not a transmittal sheet with 15 fields, so the file names no institution "
    "and no filing period."
)


@dataclass(frozen=True)
class ChosenFile:
    """What is known of a file before it is received: its name, size in bytes, and beginning.

    sha256: blank if it is not known yet.
    """

    name: str
    size: int
    beginning: bytes
    sha256: str = ""


@dataclass(frozen=True)
class FilePlan:
    """The filing that a file is for, and the submission that receives it.

    number: that of the submission; after: that of the newest one now, 0 without any. is_waiting:
    whether the submission exists and waits for its file. same: submissions with a file of the same
    size, which may be this one. refusal: why the file is not uploaded, as a sentence; blank if it
    is.
    """

    name: str
    size: int = 0
    lei: str = ""
    institution: str = ""
    period: Period | None = None
    number: int = 0
    after: int = 0
    is_waiting: bool = False
    same: tuple[Submission, ...] = ()
    refusal: str = ""

    def refuse(self, reason: str) -> FilePlan:
        """Return the plan of a file that was refused when it was received."""
        return replace(self, refusal=reason)

    def receive_in(self, number: int) -> FilePlan:
        """Return the plan of a file that was received in a submission of this number."""
        return replace(self, number=number)


def plan_uploads(files: Sequence[ChosenFile], *, by: Caller) -> list[FilePlan]:
    """Return what happens with each file that the caller has chosen, in the same order."""
    heads = [first_line.read_first_line(file.beginning) for file in files]
    owned = {head.lei.upper() for head in heads if head} & access.find_leis(by)
    dues = {
        (due.institution.lei, due.period.period): due for due in overview.find_due_filings(owned)
    }
    arriving = _find_arriving(dues.values())
    plans = [
        _plan(file, head, owned, dues, arriving) for file, head in zip(files, heads, strict=True)
    ]
    return _refuse_twins(_require_preparer(plans, by))


def describe_same_file(other: Submission) -> str:
    """Return why a file is not uploaded again that a submission has already."""
    if other.status == Status.SIGNED:
        return (
            f"You filed this file in submission {other.sequence_number}. To file it again, upload "
            "it on the page of the filing."
        )
    return f"Submission {other.sequence_number} already has this file."


def receive_planned_file(plan: FilePlan, upload: ReceivedFile, *, by: Caller) -> Submission:
    """Receive a file as that of a submission, and return the submission.

    Raises: Refusal: the reason of the plan, or what an upload of the single file raises.
    """
    if plan.refusal or plan.period is None:
        raise Refusal(plan.refusal)
    with suppress(AlreadyExists):
        filings.start_filing(lei=plan.lei, period=plan.period, by=by)
    submission = actions.find_or_create_submission(lei=plan.lei, period=plan.period, by=by)
    with Reception(submission, by=by).opened() as reception:
        reception.store(upload)
    return submission


def _plan(
    file: ChosenFile,
    head: FirstLine | None,
    owned: set[str],
    dues: dict[tuple[str, Period], DueFiling],
    arriving: set[int],
) -> FilePlan:
    rules, plan = uploads.make_lar_upload_rules(), FilePlan(file.name, file.size)
    fault = rules.name_fault(file.name)
    if not fault and file.size > rules.limit:
        fault = rules.too_large().message
    if fault:
        return replace(plan, refusal=f"{fault[:1].upper()}{fault[1:]}")
    if head is None:
        return replace(plan, refusal=_NO_SHEET)
    lei = head.lei.upper()
    if lei not in owned:
        named = f"LEI {head.lei[:60]}" if head.lei else "no LEI"
        sentence = f"The transmittal sheet names {named}; you cannot upload files for it."
        return replace(plan, refusal=sentence)
    plan = replace(plan, lei=lei)
    period = _read_period(head)
    if period is None:
        return replace(
            plan,
            refusal=f"The transmittal sheet has the calendar year {head.year[:60] or '(blank)'} "
            f"and the calendar quarter {head.quarter[:60] or '(blank)'}, which are no filing "
            "period.",
        )
    plan = replace(plan, period=period)
    if (due := dues.get((lei, period))) is None:
        why = describe_missing_rules(period) or f"There is no filing for {period}."
        return replace(plan, refusal=f"{why} This institution cannot file for it.")
    return _plan_for_filing(replace(plan, institution=due.institution.name), file, due, arriving)


def _plan_for_filing(
    plan: FilePlan, file: ChosenFile, due: DueFiling, arriving: set[int]
) -> FilePlan:
    """Return the plan of a file whose filing is known."""
    latest = due.latest
    after = latest.sequence_number if latest else 0
    is_waiting = latest is not None and latest.status == Status.CREATED
    is_waiting = is_waiting and latest is not None and latest.discarded_at is None
    plan = replace(plan, after=after, number=after + (not is_waiting), is_waiting=is_waiting)
    if refusal := _find_refusal(due, arriving):
        return replace(plan, refusal=refusal)
    others = [each for each in (latest, due.counting) if each and not each.discarded_at]
    same = tuple(each for each in others if each.size == file.size and each.status != Status.FAILED)
    twin = next((each for each in same if file.sha256 and each.sha256 == file.sha256), None)
    return replace(plan, same=same, refusal=describe_same_file(twin) if twin else "")


def _find_refusal(due: DueFiling, arriving: set[int]) -> str:
    """Return why a filing takes no file now; blank if it does."""
    if due.latest and due.latest.pk in arriving:
        return (
            f"Submission {due.latest.sequence_number} has an upload that is not finished. Continue "
            "or discard it first."
        )
    try:
        filings.require_open_today(due.period)
        if due.filing:
            filings.require_not_cancelled(due.filing)
    except Refusal as refusal:
        return refusal.detail or refusal.message
    return ""


def _require_preparer(plans: list[FilePlan], by: Caller) -> list[FilePlan]:
    """Return the plans, those refused for whose filing the caller may not upload.

    A refusal that says something of a filing stays for those who may read it.
    """
    filings_of_plans = {(plan.lei, plan.period) for plan in plans if plan.period}
    rights = access.find_rights_of_filings(by, filings_of_plans)
    return [
        plan
        if not plan.period
        or (Right.READ if plan.refusal else Right.PREPARE) in rights[plan.lei, plan.period]
        else _refuse_preparing(plan, by)
        for plan in plans
    ]


def _refuse_preparing(plan: FilePlan, by: Caller) -> FilePlan:
    """Return the plan with the reason that a single upload would give."""
    try:
        access.require_right(by, Right.PREPARE, plan.lei, plan.period)
    except AccessDenied:
        return plan.refuse(f"You cannot upload files for {plan.period} of this institution.")
    except Refusal as refusal:
        return plan.refuse(refusal.message)
    return plan


def _find_arriving(dues: Iterable[DueFiling]) -> set[int]:
    """Return the keys of the newest submissions to which a file is being sent."""
    return {
        due.latest.pk
        for due in dues
        if due.latest and due.latest.status == Status.UPLOADING and not due.latest.discarded_at
    }


def _read_period(head: FirstLine) -> Period | None:
    """Return the filing period on a transmittal sheet; None if it names none."""
    year, quarter = head.year, head.quarter
    if not (year.isascii() and year.isdecimal() and len(year) == 4):
        return None
    if quarter == first_line.ANNUAL_QUARTER:
        return Period(int(year))
    try:
        return Period(int(year), int(quarter))
    except ValueError:
        return None


def _refuse_twins(plans: list[FilePlan]) -> list[FilePlan]:
    """Refuse files for the same filing: no one can tell which of them is meant."""
    twins: dict[tuple[str, Period | None], list[FilePlan]] = {}
    for plan in plans:
        if not plan.refusal:
            twins.setdefault((plan.lei, plan.period), []).append(plan)
    return [plan if plan.refusal else _refuse_twin(plan, twins) for plan in plans]


def _refuse_twin(
    plan: FilePlan, twins: dict[tuple[str, Period | None], list[FilePlan]]
) -> FilePlan:
    """Return the plan, refused if another file is for the same filing, which is named."""
    others = [each for each in twins[plan.lei, plan.period] if each is not plan]
    if not others:
        return plan
    sentence = f"{others[0].name} is for the same filing. Choose one of them."
    return replace(plan, refusal=sentence)
