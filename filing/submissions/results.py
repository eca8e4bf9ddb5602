"""Reads of submissions: their edits, their progress, who uploaded and verified them.

Nothing here writes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db import models
from django.db.models import Q, QuerySet

from filing.access import Caller
from filing.edits import catalogue, details
from filing.edits.edit import EditKind
from filing.errors import MissingParent, NotFound, Refusal
from filing.lar.years import Period
from filing.models import EditResult, Job, StatusChange, Submission
from filing.models.database import Parameter, PreparedQuery
from filing.periods import filings
from filing.statuses import Event

LARGEST_NUMBER = 2**31 - 1  # of sequence numbers
_KINDS = {Event.QUALITY_VERIFIED.name: "quality", Event.MACRO_VERIFIED.name: "macro"}
_UPLOAD = Event.UPLOAD_STARTED.name
# Of an upload in parts, one user may begin it and another one send the last part.
_PARTS = (*_KINDS, Event.EVERYTHING_VERIFIED.name, _UPLOAD, Event.UPLOAD_FINISHED.name)


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
class StageProgress:
    """The progress of the present stage. rows_total is an estimate while a file is being parsed."""

    stage: str
    rows_done: int
    rows_total: int


def name_submission(*, lei: str, period: Period, number: int | str) -> str:
    """Return the name of a submission in messages: `<lei>-<period>-<number>`."""
    return f"{lei}-{period}-{number}"


def _in_filing(*conditions: Q) -> QuerySet[Submission]:
    """Return the submissions of a filing whose key each call gives, newest first."""
    in_filing = Submission.objects.filter(
        filings.match_filing_by_parameters(of="filing__"), *conditions
    )
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


def list_submissions(lei: str, period: Period) -> QuerySet[Submission]:
    """Return the submissions of an institution and period, newest first, with related rows."""
    of_period = Submission.objects.filter(
        filings.match_filing(lei=lei, period=period, of="filing__")
    )
    return with_related_rows(of_period).order_by("-sequence_number")


def with_related_rows(submissions: QuerySet[Submission]) -> QuerySet[Submission]:
    """Return submissions with the rows that their shapes in JSON show, in one query."""
    return submissions.select_related("filing__institution", "filing__period", "signature")


def find_submission(lei: str, period: Period, number: int, *, missing: Refusal) -> Submission:
    """Return one submission in one query; only if there is none, find out what is missing.

    Raises: what `filings.find_institution` raises; `missing` when the institution exists.
    """
    match = None
    if number <= LARGEST_NUMBER:
        match = _BY_NUMBER.first(**_key(lei, period), number=number)
    if match is None:
        filings.find_institution(lei=lei, period=period)
        raise missing
    filings.require_quarterly(match.filing.institution, period)
    return match


def find_latest_submission(lei: str, period: Period) -> Submission:
    """Return the submission with the highest sequence number.

    Raises: NotFound when there is none.
    """
    newest = _LATEST.first(**_key(lei, period))
    if newest is None:
        filings.find_institution(lei=lei, period=period)
        raise NotFound(f"There is no submission for {lei} and period {period}")
    filings.require_quarterly(newest.filing.institution, period)
    return newest


def _key(lei: str, period: Period) -> dict[str, Any]:
    return {"lei": lei, "year": period.year, "quarter": period.quarter_name}


def refuse_unknown_submission(lei: str, period: Period, number: int) -> MissingParent:
    """Return the refusal of most reads and actions where a submission does not exist."""
    return MissingParent(_does_not_exist(lei, period, number))


def refuse_submission_not_found(lei: str, period: Period, number: int) -> NotFound:
    """Return the refusal of reads that answer 404 where a submission does not exist."""
    return NotFound(_does_not_exist(lei, period, number))


def _does_not_exist(lei: str, period: Period, number: int) -> str:
    name = name_submission(lei=lei, period=period, number=number)
    return f"submission with ID: {name} does not exist"


def find_progress(submission: Submission) -> StageProgress | None:
    """Return the progress of a submission; none while no job is queued or running."""
    job = _JOB.first(submission=submission.pk)
    return StageProgress(*job) if job else None


def find_progress_of_each(submissions: Iterable[Submission]) -> dict[int, StageProgress]:
    """Return the progress of submissions by key, without those that have no job now."""
    keys = [submission.pk for submission in submissions]
    if not keys:
        return {}
    jobs = Job.objects.filter(submission__in=keys, state__in=Job.UNFINISHED)
    return {
        job.submission_id: StageProgress(job.stage, job.rows_done, job.rows_total)
        for job in jobs
        if job.submission_id
    }


def summarize_edits(submission: Submission) -> dict[str, list[EditItem]]:
    """Return the triggered edits by kind, each code once, sorted by code."""
    items: dict[str, dict[str, EditItem]] = {kind.value: {} for kind in EditKind}
    for result in EditResult.objects.filter(submission=submission, total__gt=0).order_by(
        "code", "level"
    ):
        before = items[result.kind].get(result.code)
        on_sheet = result.level == "ts"
        items[result.kind][result.code] = EditItem(
            edit=result.code,
            description=catalogue.find_edit_text(result.code, submission.rules_period),
            transmittal_sheet=on_sheet or bool(before and before.transmittal_sheet),
            total=result.total + (before.total if before else 0),
            computed=_computed(result, submission.rules_period),
        )
    return {kind: list(by_code.values()) for kind, by_code in items.items()}


def _computed(result: EditResult, period: Period) -> str:
    if result.kind != EditKind.MACRO.value:
        return ""
    edit = catalogue.find_edit(result.code, period, result.level)
    return details.describe_figures(
        details.EditFindings(edit, np.empty(0, np.uint32), result.figures)
    )


def find_uploaders(submissions: Iterable[Submission]) -> dict[int, StatusChange]:
    """Return the entry in the history that began the upload, by the key of the submission."""
    uploads = StatusChange.objects.filter(submission__in=list(submissions), event=_UPLOAD)
    return {entry.submission_id: entry for entry in uploads.order_by("id")}


def find_verifications(submission: Submission) -> dict[str, StatusChange]:
    """Return the entry in the history that verified each kind of edits that is verified."""
    entries = StatusChange.objects.filter(submission=submission, event__in=list(_KINDS))
    latest = {_KINDS[entry.event]: entry for entry in entries.order_by("id")}
    return {
        kind: entry for kind, entry in latest.items() if getattr(submission, f"{kind}_verified")
    }


def has_taken_part(submission: Submission, caller: Caller) -> bool:
    """Tell whether the caller uploaded the file of a submission or verified any of its edits."""
    own = Q(actor_id=caller.id)
    if caller.email:
        own |= Q(actor_email__iexact=caller.email)
    return StatusChange.objects.filter(own, submission=submission, event__in=_PARTS).exists()
