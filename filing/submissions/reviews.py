"""Reviews of edits: which edits a filer has gone through, and why the data is accurate.

A review is a help on the way; only a verification counts. The reasons of a former submission of the
filing can be kept for edits whose records did not change.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from django.db import transaction

from filing import audit
from filing.access import Caller
from filing.edits.edit import EditKind
from filing.errors import BadInput, Refusal
from filing.lar.comparison import LoanDifference
from filing.lar.cutting import Rows
from filing.models import AuditEvent, EditResult, EditReview, FileComparison, Submission
from filing.submissions import actions, comparison, comparison_jobs, findings, ownership, results

REVIEWABLE = (EditKind.QUALITY.value, EditKind.MACRO.value)


@dataclass(frozen=True)
class FormerReasons:
    """The reasons of a former submission for edits of the present one that have no review yet.

    unchanged: those of quality edits whose records are the same in both files; changed: the codes
    of the others. is_compared: whether the files were compared; large ones are only on request.
    queued: the comparison that a job makes now. rules_changed: whether other rules checked the
    former one, so that no reason is kept.
    """

    former: Submission
    unchanged: tuple[EditReview, ...] = ()
    changed: tuple[str, ...] = ()
    is_compared: bool = True
    queued: FileComparison | None = None
    rules_changed: bool = False


def find_reviews(submission: Submission) -> dict[str, EditReview]:
    """Return the reviews of the edits of a submission, by code."""
    return {review.code: review for review in EditReview.objects.filter(submission=submission)}


def review_edit(submission: Submission, code: str, *, by: Caller, reason: str = "") -> EditReview:
    """Record that an edit was reviewed. Who reviewed it first stays, unless the reason changes.

    Raises: what `actions.require_verifiable` raises; Conflict for the file of another institution;
    BadInput for an edit that cannot be reviewed, or a bad reason.
    """
    reason = actions.normalize_reason(reason)
    with transaction.atomic():
        _require_reviewable(submission)
        triggered = EditResult.objects.filter(submission=submission, code=code, total__gt=0)
        if not triggered.filter(kind__in=REVIEWABLE).exists():
            raise BadInput(
                f"{code} is no quality or macro edit that was triggered by {submission}."
            )
        review = EditReview.objects.filter(submission=submission, code=code).first()
        if review and review.reason == reason:
            return review
        review, _ = EditReview.objects.update_or_create(
            submission=submission,
            code=code,
            defaults={**_describe_actor(by), "reason": reason, "carried_from": None},
        )
        _record(AuditEvent.EDIT_REVIEWED, submission, code, by=by, reason=reason)
    return review


def remove_review(submission: Submission, code: str, *, by: Caller) -> None:
    """Remove the review of an edit. Repeating a call changes nothing.

    Raises: what `review_edit` raises.
    """
    with transaction.atomic():
        _require_reviewable(submission)
        removed, _ = EditReview.objects.filter(submission=submission, code=code).delete()
        if removed:
            _record(AuditEvent.EDIT_REVIEW_REMOVED, submission, code, by=by)


def keep_reasons(submission: Submission, *, by: Caller) -> list[EditReview]:
    """Review the edits whose records did not change, with the reasons of a former submission.

    Raises: what `review_edit` raises; BadInput if there are none.
    """
    with transaction.atomic():
        _require_reviewable(submission)
        reasons = find_former_reasons(submission)
        if reasons is None or not reasons.unchanged:
            raise BadInput(f"No reason of a former submission can be kept for {submission}.")
        number = reasons.former.sequence_number
        kept = [
            EditReview(
                submission=submission,
                code=review.code,
                reason=review.reason,
                carried_from=number,
                **_describe_actor(by),
            )
            for review in reasons.unchanged
        ]
        EditReview.objects.bulk_create(kept, ignore_conflicts=True)
        codes = ", ".join(review.code for review in kept)
        text = f"Of submission {number}, for {codes}."
        _record(AuditEvent.REASONS_KEPT, submission, by=by, reason=text)
    return kept


def find_former_reasons(
    submission: Submission, *, is_requested: bool = False, retries: bool = True
) -> FormerReasons | None:
    """Return the reasons that can be kept, of the newest former submission with any; else None.

    is_requested, retries: as in `refiling.summarize_refiling`.
    """
    reviews = _find_reviews_to_keep(submission)
    if not reviews:
        return None
    former = reviews[0].submission
    codes = tuple(review.code for review in reviews)
    if former.rules_run != submission.rules_run:
        return FormerReasons(former, changed=codes, rules_changed=True)
    is_large = comparison.is_large(former, submission)
    if is_large and not is_requested and not comparison_jobs.is_compared(former, submission):
        return FormerReasons(former, is_compared=False)
    try:
        compared = comparison_jobs.find_comparison(former, submission, retries=retries)
    except Refusal:  # a file is no longer there
        return None
    if isinstance(compared, FileComparison):
        return FormerReasons(former, is_compared=False, queued=compared)
    same = find_unchanged_edits(former, submission, codes, compared.difference)
    return FormerReasons(
        former,
        unchanged=tuple(review for review in reviews if review.code in same),
        changed=tuple(code for code in codes if code not in same),
    )


def find_unchanged_edits(
    before: Submission, after: Submission, codes: Collection[str], difference: LoanDifference
) -> set[str]:
    """Return which edits were triggered by the same records in both submissions.

    They are the same if there are as many, and none was added, removed or changed.
    """
    parts: dict[str, dict[tuple[int, str], EditResult]] = {code: {} for code in codes}
    triggered = EditResult.objects.filter(submission__in=[before, after], code__in=codes)
    for result in triggered.filter(total__gt=0):
        parts[result.code][result.submission_id, result.level] = result
    is_same_sheet = before.transmittal_sheet == after.transmittal_sheet
    gone = np.union1d(difference.removed.to_numpy(), difference.changed["before"].to_numpy())
    come = np.union1d(difference.added.to_numpy(), difference.changed["after"].to_numpy())

    def are_same(results: dict[tuple[int, str], EditResult]) -> bool:
        for level in {level for _, level in results}:
            old, new = results.get((before.pk, level)), results.get((after.pk, level))
            if old is None or new is None or (old.total, old.listed) != (new.total, new.listed):
                return False
            if level == "ts":
                if not is_same_sheet:
                    return False
            elif _has_any(before, old, gone) or _has_any(after, new, come):
                return False
        return bool(results)

    return {code for code, results in parts.items() if are_same(results)}


def _has_any(submission: Submission, result: EditResult, rows: Rows) -> bool:
    return bool(np.isin(findings.read_rows_of_result(submission, result), rows).any())


def _find_reviews_to_keep(submission: Submission) -> list[EditReview]:
    """Return the reviews of the newest former submission with reasons, of edits triggered again."""
    triggered = EditResult.objects.filter(
        submission=submission, kind=EditKind.QUALITY.value, total__gt=0
    ).exclude(code__in=EditReview.objects.filter(submission=submission).values("code"))
    former = Submission.objects.filter(
        filing=submission.filing_id, sequence_number__lt=submission.sequence_number
    ).exclude(edits_folder="")
    of_former = (
        EditReview.objects.filter(submission__in=former, code__in=triggered.values("code"))
        .exclude(reason="")
        .order_by("-submission__sequence_number", "code")
        .select_related("submission__filing__institution", "submission__filing__period")
    )
    reviews = list(of_former)
    return [review for review in reviews if review.submission_id == reviews[0].submission_id]


def _require_reviewable(submission: Submission) -> None:
    """Refuse unless the edits can be verified now; wait for a change that is going on."""
    Submission.objects.select_for_update().get(pk=submission.pk)
    current = results.with_related_rows(Submission.objects.all()).get(pk=submission.pk)
    actions.require_verifiable(current)
    ownership.require_own_file(current)


def _describe_actor(by: Caller) -> dict[str, str]:
    return {**by.actor_columns, "actor_name": by.name}


def _record(
    event: AuditEvent, submission: Submission, code: str = "", *, by: Caller, reason: str = ""
) -> None:
    about = f"{submission} {code}".strip()
    audit.record_event(event, by=by, lei=submission.lei, about=about, reason=reason)
