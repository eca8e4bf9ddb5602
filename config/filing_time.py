"""All times on pages of filers and staff are in one zone: that of the days of a filing period.

So "Filed on November 22" and the time of the signature beside it are the same day.
"""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone

from filing import day_hours

PAGES = ("/admin/", "/filing/")


def in_filing_zone(
    answer: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Show and read times in the filing time zone on pages of filers and staff (a middleware).

    What is streamed is written after that: exports name the zone themselves.
    """

    def respond(request: HttpRequest) -> HttpResponseBase:
        if not request.path.startswith(PAGES):
            return answer(request)
        with timezone.override(day_hours.zone()):
            return answer(request)

    return respond
