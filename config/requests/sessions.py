"""The session of a request: whether it still counts, and what happens if it cannot be read.

Sessions are in the database. While it is down, a public page is shown as to a visitor who has not
signed in, and says so; pages that need a user answer 503. The session is kept: no one is signed
out.
"""

from __future__ import annotations

import re
from importlib import import_module
from typing import Any, cast

from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.contrib.auth.models import AnonymousUser
from django.db import Error
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.functional import SimpleLazyObject

from config.errors import pages
from config.errors.handlers import find_api_area
from config.requests.middleware import Handler
from filing import outages
from filing.people import second_factors, sign_ins

USER_PAGES = re.compile(
    r"/(admin|filing|sign-in|sign-out|sign-up|forgotten|second-factor|realms)(/|$)"
)
UNKNOWN_VISITOR = "has_unknown_visitor"  # the attribute that marks such a request


def answer_without_session(get_response: Handler) -> Handler:
    """Answer a public page without the session when that cannot be read (a middleware)."""
    store = import_module(settings.SESSION_ENGINE).SessionStore

    def respond(request: HttpRequest) -> HttpResponseBase:
        if not _is_public_page(request) or _can_read_session(request):
            return get_response(request)
        session = request.session
        request.session = store()
        setattr(request, UNKNOWN_VISITOR, True)
        try:
            return get_response(request)
        finally:
            request.session = session  # an empty one would delete the cookie

    return respond


def _is_public_page(request: HttpRequest) -> bool:
    has_session = settings.SESSION_COOKIE_NAME in request.COOKIES
    return has_session and not find_api_area(request.path) and not USER_PAGES.match(request.path)


def _can_read_session(request: HttpRequest) -> bool:
    """Return whether the session can be read; limits and the page header read it anyway."""
    try:
        request.session.get(SESSION_KEY)
    except Error as error:
        if part := outages.find_outage(error):
            pages.log_outage(part, error)
            return False
        raise
    return True


def check_sign_in(get_response: Handler) -> Handler:
    """Replace the user of a session that does not count by an anonymous one (a middleware).

    Nothing is read unless the user is asked for.
    """

    def respond(request: HttpRequest) -> HttpResponseBase:
        user: Any = request.user

        def current_user() -> Any:
            counts = user.is_authenticated and (
                sign_ins.is_sign_in_current(request.session, user)
                and second_factors.has_proved_factor(request.session, user)
            )
            return user if counts else AnonymousUser()

        request.user = cast(Any, SimpleLazyObject(current_user))
        return get_response(request)

    return respond
