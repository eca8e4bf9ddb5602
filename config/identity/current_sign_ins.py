"""Whether the session of a request still counts; if not, no user is signed in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.functional import SimpleLazyObject

from filing.people import sign_ins


def check_sign_in(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Replace the user of a session that was ended by an anonymous one (a middleware).

    Nothing is read unless the user is asked for.
    """

    def respond(request: HttpRequest) -> HttpResponseBase:
        user: Any = request.user

        def current_user() -> Any:
            is_ended = user.is_authenticated and not sign_ins.is_current(request.session, user)
            return AnonymousUser() if is_ended else user

        request.user = cast(Any, SimpleLazyObject(current_user))
        return get_response(request)

    return respond
