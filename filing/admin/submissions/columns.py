"""The columns of lists of submissions as they are exported, and the filters of these lists."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, cast

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest

from filing.access import person_with_email
from filing.admin.export import ExportedColumns
from filing.edits.edit import EditKind
from filing.models import Filing, Signature, Submission
from filing.periods import timeliness
from filing.periods.timeliness import Timeliness
from filing.seasons import figures
from filing.statuses import Status
from filing.submissions import halts, reference_checks, rules_run


def count_edits(submission: Submission, kind: EditKind) -> int:
    """Return how many edits of a kind were triggered, as the list has counted them."""
    counts: dict[str, int] = submission.edits_by_kind  # type: ignore[attr-defined]
    return counts.get(kind.value, 0)


def describe_status(submission: Submission) -> str:
    """Return the status in words, and what `filing.standing.with_remark` says beside it."""
    message, remark = Status(submission.status).message, remark_of(submission)
    return f"{message.removesuffix('.')}; {remark}." if remark else message


def remark_of(submission: Submission) -> str:
    """Return the remark that was read with a submission."""
    return cast(str, submission.remark)  # type: ignore[attr-defined]


def _signature(submission: Submission) -> Signature | None:
    return submission.signature if submission.status == Status.SIGNED else None


def _of_signature(name: str, submission: Submission) -> object:
    return getattr(_signature(submission), name, None)


def _signer(submission: Submission) -> str | None:
    signature = _signature(submission)
    return person_with_email(signature) if signature else None


EXPORTED_COLUMNS: ExportedColumns = {
    "LEI": lambda row: row.lei,
    "Institution": lambda row: row.filing.institution.name,
    "TIN": lambda row: row.filing.institution.tax_id,
    "Agency": lambda row: row.filing.institution.get_agency_display(),
    "Period": lambda row: str(row.period),
    "Number": lambda row: row.sequence_number,
    "Status code": lambda row: row.status,
    "Status": lambda row: Status(row.status).message,
    "Replaced or discarded": remark_of,
    "In status since ({zone})": lambda row: row.changed_at,
    "Created ({zone})": lambda row: row.created_at,
    "Uploaded ({zone})": lambda row: row.uploaded_at,
    "File": lambda row: row.file_name,
    "SHA-256": lambda row: row.sha256,
    "Records": lambda row: row.records,
    "Lines with formatting errors": lambda row: row.format_errors,
    **{f"{kind.value.capitalize()} edits": partial(count_edits, kind=kind) for kind in EditKind},
    "Late or timely": lambda row: timeliness.describe_submission(row),
    "Signed ({zone})": lambda row: _of_signature("signed_at", row),
    "Signed by": _signer,
    "Receipt number": lambda row: _of_signature("receipt", row),
    "Failure": lambda row: row.failure,
}


class ConditionFilter(admin.SimpleListFilter):
    """Filters a list by one of some conditions."""

    title = "attention"
    parameter_name = "needs"
    conditions: dict[str, tuple[str, Callable[[], Q]]] = {}

    def lookups(self, request: HttpRequest, model_admin: Any) -> Iterable[tuple[str, str]]:
        return [(key, label) for key, (label, _) in self.conditions.items()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        option = self.conditions.get(self.value() or "")
        return queryset.filter(option[1]()) if option else queryset


class AttentionFilter(ConditionFilter):
    """Filters submissions that need attention, are stuck or failed, or were signed today."""

    conditions = {
        "attention": ("Needs attention", halts.is_needing_attention),
        "stopped": ("Stopped, nothing after it", halts.is_failed_without_successor),
        "stuck": ("Stuck", halts.is_stuck),
        "failed": ("Failed", halts.is_failed),
        "signed-today": ("Signed today", halts.is_signed_today),
        "former-data": (
            "Checked with former reference data",
            reference_checks.is_checked_with_former_data,
        ),
        "signed-without-rules": ("Signed without rules", rules_run.is_signed_without_rules),
    }


class DueFilter(ConditionFilter):
    """Filters filings that are not signed: due soon, or late."""

    conditions = {
        "due-soon": (f"Due within {figures.DUE_SOON_DAYS} days", figures.is_due_soon),
        "late": ("Late, not signed, still open", figures.is_late_and_open),
    }


class TimelinessFilter(admin.SimpleListFilter):
    """Filters by late or timely."""

    title = "late or timely"
    parameter_name = "timeliness"

    def lookups(self, request: HttpRequest, model_admin: Any) -> Iterable[tuple[str, str]]:
        return [(state.name.lower(), state.value.capitalize()) for state in Timeliness]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        state = Timeliness.__members__.get((self.value() or "").upper())
        if state is None:
            return queryset
        condition = (
            timeliness.is_filing_with_timeliness
            if queryset.model is Filing
            else timeliness.is_submission_with_timeliness
        )
        return queryset.filter(condition(state))
