"""Pages below the page of a submission: access, refusals and the common context."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.template.response import TemplateResponse

from filing.errors import Refusal
from filing.models import Submission
from filing.pages import staff_records
from filing.periods import timeliness

View = Callable[..., HttpResponseBase]
RELATED = ("filing__institution", "filing__period", "signature")


def find(key: int | str) -> Submission | None:
    """Return the submission with a key, joined with the rows its name needs; None if unknown."""
    try:
        rows = Submission.objects.select_related(*RELATED).filter(pk=key)
        return timeliness.with_first_signature(rows, filing="filing").first()
    except (ValueError, TypeError):
        return None


def subpage(view: View) -> View:
    """Return the view for an address below a submission's page, for users who may see submissions.

    A refusal is shown on a page with a link back to the submission.
    """

    @wraps(view)
    def checked_view(request: HttpRequest, object_id: int, **parts: Any) -> HttpResponseBase:
        if not request.user.has_perm("filing.view_submission"):
            raise PermissionDenied("filing.view_submission")
        submission = find(object_id)
        if submission is None:
            raise Http404(f"There is no submission with the key {object_id}.")
        try:
            return view(request, submission, **parts)
        except Refusal as refusal:
            return render(
                request,
                submission,
                "refused",
                title="You cannot do this now",
                sentence=refusal.message,
                status=refusal.status,
            )

    return checked_view


def of_records(what: str) -> Callable[[View], View]:
    """Return a decorator for views that show records: for a reason, recorded in the audit log.

    what: which records, with the parts of the address in braces.
    """

    def decorate(view: View) -> View:
        @wraps(view)
        def guarded(request: HttpRequest, submission: Submission, **parts: Any) -> HttpResponseBase:
            answer = partial(view, request, submission, **parts)
            return staff_records.answer(request, submission, what.format(**parts), answer)

        return guarded

    return decorate


def render(
    request: HttpRequest,
    submission: Submission,
    template: str,
    *,
    title: str,
    status: int = 200,
    **page_context: Any,
) -> TemplateResponse:
    """Return a page below that of the submission."""
    context = {
        **admin.site.each_context(request),
        "opts": Submission._meta,
        "submission": submission,
        "title": title,
        **page_context,
    }
    name = f"admin/filing/submission/{template}.html"
    return TemplateResponse(request, name, context, status=status)
