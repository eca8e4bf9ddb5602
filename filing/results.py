"""Reads: what people and programs may know of a submission. Nothing here writes."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import QuerySet

from filing import filings
from filing.edits import catalogue
from filing.edits.edit import Kind
from filing.errors import MissingParent, NotFound, Refusal
from filing.lar.period import Period
from filing.models import EditResult, Job, Submission
from filing.submissions import name_of

LARGEST_NUMBER = 2**31 - 1  # what a sequence number can be at most


@dataclass(frozen=True)
class EditItem:
    """One edit that fired: its code, its text, and how many rows it found."""

    edit: str
    description: str
    transmittal_sheet: bool
    total: int


@dataclass(frozen=True)
class Progress:
    """How far the present stage is. rows_total is an estimate while a file is being parsed."""

    stage: str
    rows_done: int
    rows_total: int


def submissions(lei: str, period: Period) -> QuerySet[Submission]:
    """Return the submissions of an institution and period, newest first, with what they need."""
    return (
        Submission.objects.filter(filings.named(lei=lei, period=period, of="filing__"))
        .select_related("filing__institution", "filing__period", "signature")
        .order_by("-sequence_number")
    )


def submission(lei: str, period: Period, number: int, *, missing: Refusal) -> Submission:
    """Return one submission in one query; only where there is none is it asked what is missing.

    Raises: what `filings.institution` raises; the refusal given when the institution is there.
    """
    found = None
    if number <= LARGEST_NUMBER:
        found = submissions(lei, period).filter(sequence_number=number).first()
    if found is None:
        filings.institution(lei=lei, period=period)
        raise missing
    filings.require_quarterly(found.filing.institution, period)
    return found


def latest(lei: str, period: Period) -> Submission:
    """Return the submission with the highest sequence number.

    Raises: NotFound when there is none.
    """
    found = submissions(lei, period).first()
    if found is None:
        filings.institution(lei=lei, period=period)
        raise NotFound(f"There is no submission for {lei} and period {period}")
    filings.require_quarterly(found.filing.institution, period)
    return found


def missing(lei: str, period: Period, number: int) -> MissingParent:
    """Return the refusal of most reads and actions on a submission that does not exist."""
    return MissingParent(_does_not_exist(lei, period, number))


def not_found(lei: str, period: Period, number: int) -> NotFound:
    """Return the refusal of the reads that answer 404 for a submission that does not exist."""
    return NotFound(_does_not_exist(lei, period, number))


def _does_not_exist(lei: str, period: Period, number: int) -> str:
    return f"submission with ID: {name_of(lei=lei, period=period, number=number)} does not exist"


def progress(of: Submission) -> Progress | None:
    """Return how far the worker is, or nothing while nobody works."""
    job = Job.objects.filter(submission=of, state__in=["queued", "running"]).first()
    if job is None:
        return None
    return Progress(stage=job.stage, rows_done=job.rows_done, rows_total=job.rows_total)


def edit_summary(of: Submission) -> dict[str, list[EditItem]]:
    """Return the edits that fired, by kind, each code once, sorted by code."""
    items: dict[str, dict[str, EditItem]] = {kind.value: {} for kind in Kind}
    for result in EditResult.objects.filter(submission=of, total__gt=0).order_by("code", "level"):
        before = items[result.kind].get(result.code)
        on_sheet = result.level == "ts"
        items[result.kind][result.code] = EditItem(
            edit=result.code,
            description=catalogue.text(result.code, of.period),
            transmittal_sheet=on_sheet or bool(before and before.transmittal_sheet),
            total=result.total + (before.total if before else 0),
        )
    return {kind: list(by_code.values()) for kind, by_code in items.items()}


def not_run(of: Submission) -> list[EditResult]:
    """Return the edits that could not be run, each with the reason."""
    return list(EditResult.objects.filter(submission=of).exclude(not_run=""))
