"""Shows times on pages in the time zone in which filing periods open and close.

"Filed on November 22" and the time of the signature beside it are then the same day.
"""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone

from filing import day_hours

PAGES = ("/admin/", "/data/", "/filing/", "/receipts/", "/tools/")


def use_filing_time_zone(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Show and read times in the filing time zone on these pages (a middleware).

    Streamed responses are written later: exports name their zone themselves.
    """

    def respond(request: HttpRequest) -> HttpResponseBase:
        if not request.path.startswith(PAGES):
            return get_response(request)
        with timezone.override(day_hours.zone()):
            return get_response(request)

    return respond
