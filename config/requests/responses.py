"""What happens to responses: announcements, the filing time zone, the entry in the audit log.

Pages show times in the time zone in which filing periods open and close: "Filed on November 22" and
the time of the signature beside it are then the same day. The audit log entry of an answer that no
limit has refused is written before it is sent.
"""

from __future__ import annotations

import re

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone

from config.requests.middleware import Handler
from filing import audit, day_hours
from filing.pages import announcements

_API_PATHS = re.compile(settings.CORS_URLS_REGEX)
LOCAL_TIME_PAGES = ("/admin/", "/data/", "/filing/", "/receipts/", "/tools/")


def add_announcement_header(get_response: Handler) -> Handler:
    """Add the current announcements to API responses (a middleware)."""

    def respond(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        if _API_PATHS.match(request.path) and (header := announcements.build_announcement_header()):
            response[announcements.ANNOUNCEMENT_HEADER] = header
        return response

    return respond


def use_filing_time_zone(get_response: Handler) -> Handler:
    """Show and read times in the filing time zone on these pages (a middleware).

    Streamed responses are written later: exports name their zone themselves.
    """

    def respond(request: HttpRequest) -> HttpResponseBase:
        if not request.path.startswith(LOCAL_TIME_PAGES):
            return get_response(request)
        with timezone.override(day_hours.filing_zone()):
            return get_response(request)

    return respond


def record_deliveries(get_response: Handler) -> Handler:
    """Write the entry of an answer (a middleware, before the limit of open streams).

    What cannot be recorded is not sent.
    """

    def respond(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        try:
            audit.record_delivery(request, response)
        except Exception:
            # Not `response.close()`, which would report the request as finished.
            for close in response._resource_closers:  # type: ignore[attr-defined]
                close()
            raise
        return response

    return respond
