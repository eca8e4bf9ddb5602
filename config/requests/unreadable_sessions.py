"""Keeps public pages available to signed-in visitors while the database is down.

Sessions are in the database. While it is down, a public page is shown as to a visitor who has not
signed in, and says so; pages that need a user answer 503. The session is kept: no one is signed
out.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import import_module

from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.db import Error
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from config.errors import outages
from config.errors.areas import area_of

USER_PAGES = re.compile(r"/(admin|filing|sign-in|sign-out|sign-up|forgotten|realms)(/|$)")
UNKNOWN = "has_unknown_visitor"  # the attribute that marks such a request


def answer_without_session(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Answer a public page without the session when that cannot be read (a middleware)."""
    store = import_module(settings.SESSION_ENGINE).SessionStore

    def respond(request: HttpRequest) -> HttpResponseBase:
        if not _is_public_page(request) or _can_read_session(request):
            return get_response(request)
        session = request.session
        request.session = store()
        setattr(request, UNKNOWN, True)
        try:
            return get_response(request)
        finally:
            request.session = session  # an empty one would delete the cookie

    return respond


def _is_public_page(request: HttpRequest) -> bool:
    has_session = settings.SESSION_COOKIE_NAME in request.COOKIES
    return has_session and not area_of(request.path) and not USER_PAGES.match(request.path)


def _can_read_session(request: HttpRequest) -> bool:
    """Return whether the session can be read; limits and the page header read it anyway."""
    try:
        request.session.get(SESSION_KEY)
    except Error as error:
        if part := outages.part_of(error):
            outages.note(part, error)
            return False
        raise
    return True
