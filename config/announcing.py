"""Tells programs what pages tell people: in a header of every answer of an API."""

from __future__ import annotations

import re
from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from filing.pages import announcements

_OF_PROGRAMS = re.compile(settings.CORS_URLS_REGEX)


def announcing(
    answer: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Add what is announced to the answers of the APIs (a middleware)."""

    def respond(request: HttpRequest) -> HttpResponseBase:
        response = answer(request)
        if _OF_PROGRAMS.match(request.path) and (told := announcements.header()):
            response[announcements.HEADER] = told
        return response

    return respond
