"""Reads: what people and programs may know of a submission. Nothing here writes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from django.db.models import QuerySet

from filing.edits import catalogue, details
from filing.edits.edit import Kind
from filing.errors import MissingParent, NotFound, Refusal
from filing.lar.period import Period
from filing.models import EditResult, Job, Submission
from filing.periods import filings

LARGEST_NUMBER = 2**31 - 1  # what a sequence number can be at most


@dataclass(frozen=True)
class EditItem:
    """One edit that fired: its code, its text, and how many rows it found.

    computed: what a macro edit computed, in a sentence; a blank of any other edit.
    """

    edit: str
    description: str
    transmittal_sheet: bool
    total: int
    computed: str = ""


@dataclass(frozen=True)
class Progress:
    """How far the present stage is. rows_total is an estimate while a file is being parsed."""

    stage: str
    rows_done: int
    rows_total: int


def name_of(*, lei: str, period: Period, number: int | str) -> str:
    """Return how a submission is called in messages: `<lei>-<period>-<number>`."""
    return f"{lei}-{period}-{number}"


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
    """Return how far the worker is; nothing while no work is queued."""
    return progress_of([of]).get(of.pk)


def progress_of(these: Iterable[Submission]) -> dict[int, Progress]:
    """Return how far workers are with submissions, by key; without those that have no job now."""
    keys = [each.pk for each in these]
    if not keys:
        return {}
    jobs = Job.objects.filter(submission__in=keys, state__in=Job.UNFINISHED)
    return {
        job.submission_id: Progress(job.stage, job.rows_done, job.rows_total)
        for job in jobs
        if job.submission_id
    }


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
            computed=_computed(result, of.period),
        )
    return {kind: list(by_code.values()) for kind, by_code in items.items()}


def _computed(result: EditResult, period: Period) -> str:
    if result.kind != Kind.MACRO.value:
        return ""
    edit = catalogue.find(result.code, period, result.level)
    return details.computed(details.Part(edit, np.empty(0, np.uint32), result.figures))


def not_run(of: Submission) -> list[EditResult]:
    """Return the edits that could not be run, each with the reason."""
    return list(EditResult.objects.filter(submission=of).exclude(not_run=""))
