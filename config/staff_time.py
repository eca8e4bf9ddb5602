"""All times on staff pages are in one zone: the one in which the days of a filing period begin."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone

from filing import day_hours

ADMIN = "/admin/"


def in_filing_zone(
    answer: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Show and read times in the filing time zone on the pages of the admin (a middleware).

    What is streamed is written after that: exports name the zone themselves.
    """

    def respond(request: HttpRequest) -> HttpResponseBase:
        if not request.path.startswith(ADMIN):
            return answer(request)
        with timezone.override(day_hours.zone()):
            return answer(request)

    return respond
