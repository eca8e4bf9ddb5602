"""Pages for everyone go on without the database, also for visitors who have signed in.

Who they are is in their session, in the database. While that is away, a page that needs no person
is shown as it is to strangers, and says so; pages that need one answer 503 by themselves. The
session itself stays as it was: nobody is signed out.
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

from config import away
from config.errors import area_of

OF_PEOPLE = re.compile(r"/(admin|filing|sign-in|sign-out|sign-up|forgotten|realms)(/|$)")
UNKNOWN = "has_unknown_visitor"  # the attribute of such a request


def without_sessions_if_need_be(
    answer: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Answer a page for everyone without the session when it cannot be read (a middleware)."""
    store = import_module(settings.SESSION_ENGINE).SessionStore

    def respond(request: HttpRequest) -> HttpResponseBase:
        if not _is_page_for_everyone(request) or _can_read_session(request):
            return answer(request)
        kept = request.session
        request.session = store()
        setattr(request, UNKNOWN, True)
        try:
            return answer(request)
        finally:
            request.session = kept  # else its cookie would be deleted as that of an empty session

    return respond


def _is_page_for_everyone(request: HttpRequest) -> bool:
    has_session = settings.SESSION_COOKIE_NAME in request.COOKIES
    return has_session and not area_of(request.path) and not OF_PEOPLE.match(request.path)


def _can_read_session(request: HttpRequest) -> bool:
    """Read the session now; the limits and the header of the page would do so anyway."""
    try:
        request.session.get(SESSION_KEY)
    except Error as error:
        if part := away.part_of(error):
            away.note(part, error)
            return False
        raise
    return True
