"""The API responses that a filer gets for a submission, shown to staff as copies."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.views.decorators.http import require_safe
from rest_framework.utils.encoders import JSONEncoder

from filing.admin.submissions import subpages
from filing.api.views import base
from filing.errors import Refusal
from filing.models import Submission
from filing.pages import states
from filing.requests import select_page


@dataclass(frozen=True)
class ApiResponse:
    """An address of the filing API and its current response to the filer."""

    title: str
    address: str
    status: int
    body: str


@require_safe
@subpages.guard_records("as the filer sees it")
def show_api_responses(request: HttpRequest, submission: Submission) -> HttpResponseBase:
    """Show the responses of all API addresses that read the submission."""
    errors = select_page(request.GET.get("page"), submission.format_errors)
    endpoints: list[tuple[str, str, Callable[[str], dict[str, Any]]]] = [
        ("The submission", "submission", lambda address: base.show_state(submission)),
        ("Edits", "edits", lambda address: base.show_edits(submission)),
        (
            "Formatting errors",
            "parse-errors",
            lambda address: base.show_parse_errors(submission, errors, address),
        ),
    ]
    if settings.SIGNING_ENABLED:
        endpoints += [
            ("Summary", "summary", lambda address: base.show_summary(submission)),
            ("Receipt", "sign", lambda address: base.show_receipt(submission, "")),
        ]
    return subpages.render_subpage(
        request,
        submission,
        "as_filer",
        title=f"{submission} as the filer sees it",
        filer_page=states.build_page_address(
            "filing-submission",
            submission.lei,
            submission.period,
            number=submission.sequence_number,
        ),
        responses=[_response(submission, *endpoint) for endpoint in endpoints],
    )


def _response(
    submission: Submission, title: str, name: str, body_of: Callable[[str], dict[str, Any]]
) -> ApiResponse:
    address = _address(submission, name)
    status = 200
    try:
        body = body_of(address.removeprefix(reverse("filing:health").rstrip("/")).rstrip("/"))
    except Refusal as refusal:
        status, body = refusal.status, {"httpStatus": refusal.status, "message": refusal.literal}
        if refusal.detail:
            body["detail"] = refusal.detail
    text = json.dumps(body, cls=JSONEncoder, indent=2, ensure_ascii=False)
    return ApiResponse(title, address, status, text)


def _address(submission: Submission, name: str) -> str:
    period = submission.period
    where = {
        "lei": submission.lei,
        "year": period.year,
        "sequence_number": submission.sequence_number,
    }
    if period.is_quarterly:
        return reverse(f"filing:quarter-{name}", kwargs=where | {"quarter": period.quarter_name})
    return reverse(f"filing:{name}", kwargs=where)
