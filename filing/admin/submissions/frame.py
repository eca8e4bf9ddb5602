"""What the pages of one submission have around them."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.template.response import TemplateResponse

from filing.errors import Refusal
from filing.models import Submission

View = Callable[..., HttpResponseBase]
RELATED = ("filing__institution", "filing__period", "signature")


def find(key: int | str) -> Submission | None:
    """Return the submission with a key, and what its name and its signature need."""
    try:
        return Submission.objects.select_related(*RELATED).filter(pk=key).first()
    except (ValueError, TypeError):
        return None


def of_one(view: View) -> View:
    """Return the view of an address below a submission's page: for who may look at submissions.

    A refusal is shown in its own words, on a page that leads back.
    """

    @wraps(view)
    def respond(request: HttpRequest, object_id: int, **parts: Any) -> HttpResponseBase:
        if not request.user.has_perm("filing.view_submission"):
            raise PermissionDenied("filing.view_submission")
        submission = find(object_id)
        if submission is None:
            raise Http404(f"There is no submission with the key {object_id}.")
        try:
            return view(request, submission, **parts)
        except Refusal as refusal:
            return page(
                request,
                submission,
                "refused",
                title="This cannot be done",
                sentence=refusal.message,
                status=refusal.status,
            )

    return respond


def page(
    request: HttpRequest,
    submission: Submission,
    template: str,
    *,
    title: str,
    status: int = 200,
    **shown: Any,
) -> TemplateResponse:
    """Answer a page below that of the submission."""
    context = {
        **admin.site.each_context(request),
        "opts": Submission._meta,
        "submission": submission,
        "title": title,
        **shown,
    }
    name = f"admin/filing/submission/{template}.html"
    return TemplateResponse(request, name, context, status=status)
