"""The comparison of two submissions of an institution."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_safe

from filing.admin.submissions import subpages
from filing.errors import BadInput, NotFound
from filing.files import attachments
from filing.models import Submission
from filing.submissions import comparison, comparison_csv


@require_safe
def compare(request: HttpRequest, submission: Submission) -> HttpResponseBase:
    """Show how the file differs from another submission's, by default the previous one's."""
    other = _other(request, submission)
    context: dict[str, Any] = {
        "others": comparison.others(submission)[: comparison.MOST_CHOICES],
        "other": other,
    }
    title = f"Compare {submission}"
    if other is None:
        return subpages.render(request, submission, "compare", title=title, **context)
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
        **listing,
        **context,
    )


@require_safe
def compare_csv(request: HttpRequest, submission: Submission) -> HttpResponseBase:
    """Return all differences between the records of two submissions as CSV."""
    other = _other(request, submission)
    if other is None:
        raise NotFound(f"There is no other submission to compare {submission} with.")
    compared = comparison.compare(submission, other)
    name = f"changes-{compared.before}-to-{compared.after}.csv"
    return attachments.streamed(name, comparison_csv.lines(compared))


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
