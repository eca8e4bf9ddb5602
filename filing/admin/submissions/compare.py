"""What changed between two submissions of an institution."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_safe

from filing.admin.submissions import frame
from filing.errors import BadInput, NotFound
from filing.files import attachments
from filing.models import Submission
from filing.submissions import comparison, comparison_csv


@require_safe
def compare(request: HttpRequest, submission: Submission) -> HttpResponseBase:
    """Show how the file differs from that of another submission, the one before it by default."""
    other = _other(request, submission)
    context: dict[str, Any] = {
        "others": comparison.others(submission)[: comparison.MOST_CHOICES],
        "other": other,
    }
    title = f"Compare {submission}"
    if other is None:
        return frame.page(request, submission, "compare", title=title, **context)
    found = comparison.compare(submission, other)
    listing = comparison.listing(found)
    return frame.page(
        request,
        submission,
        "compare",
        title=title,
        counts=[
            *((name.capitalize(), number) for name, number in listing["numbers"].items()),
            ("The same in both", found.difference.same),
        ],
        edits=comparison.edits(found),
        **listing,
        **context,
    )


@require_safe
def compare_csv(request: HttpRequest, submission: Submission) -> HttpResponseBase:
    """Answer every difference between the loans of two submissions."""
    other = _other(request, submission)
    if other is None:
        raise NotFound(f"There is no other submission to compare {submission} with.")
    found = comparison.compare(submission, other)
    name = f"changes-{found.before}-to-{found.after}.csv"
    return attachments.streamed(name, comparison_csv.lines(found))


def _other(request: HttpRequest, submission: Submission) -> Submission | None:
    """Return the submission that was asked for, else the usual one.

    Raises: BadInput when it is no submission of the institution.
    """
    asked = request.GET.get("with")
    if not asked:
        return comparison.usual(submission)
    other = frame.find(asked)
    if other is None:
        raise BadInput(f"There is no submission {asked!r}: choose one of the list.")
    return other
