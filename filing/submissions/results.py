"""Reads of submissions, their edits and their progress. Nothing here writes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db import models
from django.db.models import Q, QuerySet

from filing.edits import catalogue, details
from filing.edits.edit import Kind
from filing.errors import MissingParent, NotFound, Refusal
from filing.lar.period import Period
from filing.models import EditResult, Job, Submission
from filing.models.prepared import Parameter, PreparedQuery
from filing.periods import filings

LARGEST_NUMBER = 2**31 - 1  # of sequence numbers


@dataclass(frozen=True)
class EditItem:
    """A triggered edit: its code, its text, and the number of records that triggered it.

    computed: what a macro edit computed, in a sentence; blank for any other edit.
    """

    edit: str
    description: str
    transmittal_sheet: bool
    total: int
    computed: str = ""


@dataclass(frozen=True)
class Progress:
    """The progress of the present stage. rows_total is an estimate while a file is being parsed."""

    stage: str
    rows_done: int
    rows_total: int


def name_of(*, lei: str, period: Period, number: int | str) -> str:
    """Return the name of a submission in messages: `<lei>-<period>-<number>`."""
    return f"{lei}-{period}-{number}"


def _in_filing(*conditions: Q) -> QuerySet[Submission]:
    """Return the submissions of a filing whose key each call gives, newest first."""
    in_filing = Submission.objects.filter(filings.matching_parameters(of="filing__"), *conditions)
    return with_related_rows(in_filing).order_by("-sequence_number")[:1]


# Programs read the state of their submissions again and again.
_LATEST = PreparedQuery(_in_filing)
_BY_NUMBER = PreparedQuery(
    lambda: _in_filing(Q(sequence_number=Parameter("number", models.IntegerField())))
)
_JOB = PreparedQuery(
    lambda: Job.objects.filter(
        submission=Parameter("submission", models.BigIntegerField()), state__in=Job.UNFINISHED
    ).values_list("stage", "rows_done", "rows_total")[:1]
)


def submissions(lei: str, period: Period) -> QuerySet[Submission]:
    """Return the submissions of an institution and period, newest first, with related rows."""
    of_period = Submission.objects.filter(filings.matching(lei=lei, period=period, of="filing__"))
    return with_related_rows(of_period).order_by("-sequence_number")


def with_related_rows(submissions: QuerySet[Submission]) -> QuerySet[Submission]:
    """Return submissions with the rows that their shapes in JSON show, in one query."""
    return submissions.select_related("filing__institution", "filing__period", "signature")


def submission(lei: str, period: Period, number: int, *, missing: Refusal) -> Submission:
    """Return one submission in one query; only if there is none, find out what is missing.

    Raises: what `filings.institution` raises; `missing` when the institution exists.
    """
    match = None
    if number <= LARGEST_NUMBER:
        match = _BY_NUMBER.first(**_key(lei, period), number=number)
    if match is None:
        filings.institution(lei=lei, period=period)
        raise missing
    filings.require_quarterly(match.filing.institution, period)
    return match


def latest(lei: str, period: Period) -> Submission:
    """Return the submission with the highest sequence number.

    Raises: NotFound when there is none.
    """
    newest = _LATEST.first(**_key(lei, period))
    if newest is None:
        filings.institution(lei=lei, period=period)
        raise NotFound(f"There is no submission for {lei} and period {period}")
    filings.require_quarterly(newest.filing.institution, period)
    return newest


def _key(lei: str, period: Period) -> dict[str, Any]:
    return {"lei": lei, "year": period.year, "quarter": period.quarter_name}


def missing(lei: str, period: Period, number: int) -> MissingParent:
    """Return the refusal of most reads and actions where a submission does not exist."""
    return MissingParent(_does_not_exist(lei, period, number))


def not_found(lei: str, period: Period, number: int) -> NotFound:
    """Return the refusal of reads that answer 404 where a submission does not exist."""
    return NotFound(_does_not_exist(lei, period, number))


def _does_not_exist(lei: str, period: Period, number: int) -> str:
    return f"submission with ID: {name_of(lei=lei, period=period, number=number)} does not exist"


def progress(submission: Submission) -> Progress | None:
    """Return the progress of a submission; none while no job is queued or running."""
    job = _JOB.first(submission=submission.pk)
    return Progress(*job) if job else None


def progress_of(submissions: Iterable[Submission]) -> dict[int, Progress]:
    """Return the progress of submissions by key, without those that have no job now."""
    keys = [submission.pk for submission in submissions]
    if not keys:
        return {}
    jobs = Job.objects.filter(submission__in=keys, state__in=Job.UNFINISHED)
    return {
        job.submission_id: Progress(job.stage, job.rows_done, job.rows_total)
        for job in jobs
        if job.submission_id
    }


def edit_summary(submission: Submission) -> dict[str, list[EditItem]]:
    """Return the triggered edits by kind, each code once, sorted by code."""
    items: dict[str, dict[str, EditItem]] = {kind.value: {} for kind in Kind}
    for result in EditResult.objects.filter(submission=submission, total__gt=0).order_by(
        "code", "level"
    ):
        before = items[result.kind].get(result.code)
        on_sheet = result.level == "ts"
        items[result.kind][result.code] = EditItem(
            edit=result.code,
            description=catalogue.text(result.code, submission.rules_period),
            transmittal_sheet=on_sheet or bool(before and before.transmittal_sheet),
            total=result.total + (before.total if before else 0),
            computed=_computed(result, submission.rules_period),
        )
    return {kind: list(by_code.values()) for kind, by_code in items.items()}


def _computed(result: EditResult, period: Period) -> str:
    if result.kind != Kind.MACRO.value:
        return ""
    edit = catalogue.find(result.code, period, result.level)
    return details.computed(details.Part(edit, np.empty(0, np.uint32), result.figures))
