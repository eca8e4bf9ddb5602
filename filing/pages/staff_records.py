"""Answers that show records to staff: only for a reason, and each is recorded in the audit log."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast
from urllib.parse import urlencode

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.urls import reverse

from filing import access
from filing.audit import deliveries
from filing.models import Submission
from filing.submissions import record_views


def question(request: HttpRequest, submission: Submission) -> HttpResponseBase | None:
    """Return a redirect to the page that asks for the reason; None while there is a valid one."""
    if record_views.reason(request.session, submission):
        return None
    address = reverse("filing-records-reason", args=[submission.pk])
    return HttpResponseRedirect(f"{address}?{urlencode({'next': request.get_full_path()})}")


def answer(
    request: HttpRequest, submission: Submission, what: str, view: Callable[[], HttpResponseBase]
) -> HttpResponseBase:
    """Return the answer of a view, to be recorded; without a valid reason, the question for it.

    what: which records of the submission the answer shows.
    """
    if redirect := question(request, submission):
        return redirect
    entry = record_views.entry(
        submission,
        what=what,
        reason=record_views.reason(request.session, submission),
        by=access.caller_of(cast(User, request.user)),
    )
    response = view()
    # A redirect shows no records.
    return deliveries.with_entry(response, entry) if response.status_code == 200 else response
