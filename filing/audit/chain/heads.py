"""The heads of the audit chain: of the site, and of single submissions."""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models import BigIntegerField, Max

from filing.audit.chain.links import EMPTY, Head
from filing.models import ChainLink, Submission
from filing.models.prepared import Parameter, PreparedQuery

_AT_ONCE = 1000  # submissions in one query
_FEW = 4  # submissions, for which a prepared query each takes less time than one for all
_OF_SITE = PreparedQuery(
    lambda: ChainLink.objects.order_by("-position").values_list("position", "hash")[:1]
)
_OF_SUBMISSION = PreparedQuery(
    lambda: (
        ChainLink.objects.filter(submission=Parameter("submission", BigIntegerField()))
        .order_by("-submission_position")
        .values_list("submission_position", "submission_hash")[:1]
    )
)


def of_site() -> Head:
    """Return the head of the whole chain."""
    last = _OF_SITE.first()
    return Head(*last) if last else EMPTY


def of_submission(submission: Submission) -> Head:
    """Return the head of the chain of a submission."""
    last = _OF_SUBMISSION.first(submission=submission.pk)
    return Head(*last) if last else EMPTY


def of_submissions(submissions: Iterable[int], *, up_to: int | None = None) -> dict[int, Head]:
    """Return the heads of submissions that have links, by primary key.

    up_to: as they were when the chain of the site had so many links.
    """
    keys = list(submissions)
    if up_to is None and len(keys) <= _FEW:
        last = {pk: _OF_SUBMISSION.first(submission=pk) for pk in keys}
        return {pk: Head(*columns) for pk, columns in last.items() if columns}
    found: dict[int, Head] = {}
    links = ChainLink.objects.order_by()
    if up_to is not None:
        links = links.filter(position__lte=up_to)
    for start in range(0, len(keys), _AT_ONCE):
        some = links.filter(submission__in=keys[start : start + _AT_ONCE])
        last_links = some.values("submission").annotate(last=Max("position")).values("last")
        rows = ChainLink.objects.order_by().filter(position__in=last_links)
        for pk, *head in rows.values_list("submission", "submission_position", "submission_hash"):
            found[pk] = Head(*head)
    return found
