"""How many edits each submission of an institution triggered, by kind, for operators' programs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from django.db.models import Count, Q, QuerySet

from filing import standing
from filing.edits.edit import EditKind
from filing.models import Institution, Submission

_KINDS = tuple(EditKind)


@dataclass(frozen=True, slots=True)
class EditCounts:
    """The number of different edits that a submission triggered, by kind."""

    submission: Submission
    by_kind: dict[str, int]


def list_submitting_leis(leis: Collection[str] | None = None) -> QuerySet[Institution, str]:
    """Return the LEIs with submissions, in order: of all institutions, or of some."""
    institutions = Institution.objects.filter(filings__submissions__isnull=False)
    if leis is not None:
        institutions = institutions.filter(lei__in=leis)
    return institutions.order_by("lei").values_list("lei", flat=True).distinct()


def count_edits(
    leis: Iterable[str], *, counting_only: bool = False
) -> dict[str, dict[int, list[EditCounts]]]:
    """Return the edits of all submissions by LEI and year, in one statement.

    counting_only: of submissions that count as filed.
    """
    counts = {
        f"{kind.value}_edits": Count(
            "edit_results__code",
            filter=Q(edit_results__kind=kind.value, edit_results__total__gt=0),
            distinct=True,
        )
        for kind in _KINDS
    }
    submissions = (
        Submission.objects.filter(filing__institution__lei__in=list(leis))
        .select_related("filing__institution", "filing__period")
        .annotate(**counts)
        .order_by("filing__institution__lei", "filing__period__year", "pk")
    )
    if counting_only:
        submissions = submissions.filter(standing.is_counting())
    result: dict[str, dict[int, list[EditCounts]]] = defaultdict(lambda: defaultdict(list))
    for submission in submissions:
        by_kind = {kind.value: getattr(submission, f"{kind.value}_edits") for kind in _KINDS}
        result[submission.lei][submission.period.year].append(EditCounts(submission, by_kind))
    return result
