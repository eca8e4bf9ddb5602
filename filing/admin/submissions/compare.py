"""The comparison of two submissions of an institution."""

from __future__ import annotations

from functools import partial

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_safe

from filing.admin.submissions import subpages
from filing.errors import BadInput, NotFound
from filing.files import attachments
from filing.models import Submission
from filing.pages import staff_records
from filing.submissions import comparison, comparison_csv


@require_safe
def compare(request: HttpRequest, submission: Submission) -> HttpResponseBase:
    """Show how the file differs from another submission's, by default the previous one's."""
    other = _other(request, submission)
    title = f"Compare {submission}"
    if other is None:
        others = _others(submission)
        return subpages.render(
            request, submission, "compare", title=title, others=others, other=None
        )
    what = f"comparison with {other}"
    differences = partial(_differences, request, submission, other, title)
    return staff_records.answer(request, submission, what, differences)


def _differences(
    request: HttpRequest, submission: Submission, other: Submission, title: str
) -> HttpResponseBase:
    compared = comparison.compare(submission, other)
    listing = comparison.listing(compared)
    return subpages.render(
        request,
        submission,
        "compare",
        title=title,
        counts=[
            *((name.capitalize(), number) for name, number in listing["numbers"].items()),
            ("The same in both", compared.difference.same),
        ],
        edits=comparison.edits(compared),
        others=_others(submission),
        other=other,
        **listing,
    )


@require_safe
def compare_csv(request: HttpRequest, submission: Submission) -> HttpResponseBase:
    """Return all differences between the records of two submissions as CSV."""
    other = _other(request, submission)
    if other is None:
        raise NotFound(f"There is no other submission to compare {submission} with.")
    what = f"comparison with {other} as CSV"
    return staff_records.answer(request, submission, what, partial(_csv, submission, other))


def _csv(submission: Submission, other: Submission) -> HttpResponseBase:
    compared = comparison.compare(submission, other)
    name = f"changes-{compared.before}-to-{compared.after}.csv"
    return attachments.streamed(name, comparison_csv.lines(compared))


def _others(submission: Submission) -> list[Submission]:
    return list(comparison.others(submission)[: comparison.MOST_CHOICES])


def _other(request: HttpRequest, submission: Submission) -> Submission | None:
    """Return the submission that the address names, or the default one.

    Raises: BadInput if there is no such submission.
    """
    key = request.GET.get("with")
    if not key:
        return comparison.usual(submission)
    other = subpages.find(key)
    if other is None:
        raise BadInput(f"There is no submission {key!r}; choose one from the list.")
    return other
