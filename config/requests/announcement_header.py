"""Adds the announcements that pages show to every API response, as a header."""

from __future__ import annotations

import re
from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from filing.pages import announcements

_API_PATHS = re.compile(settings.CORS_URLS_REGEX)


def add_announcement_header(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Add the current announcements to API responses (a middleware)."""

    def respond(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        if _API_PATHS.match(request.path) and (header := announcements.header()):
            response[announcements.HEADER] = header
        return response

    return respond
