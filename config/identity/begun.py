"""Sign-ins that have begun and wait for the provider's answer, in a cookie of their browser.

Whoever begins one is nobody yet, and may never come back: nothing of it is kept on the server.
"""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib.sessions.backends.signed_cookies import SessionStore
from django.http import HttpRequest
from django.http.response import HttpResponseBase

KEPT_SECONDS = 24 * 3600  # a form may stay open overnight
LONGEST_COOKIE = 3800  # bytes; browsers take 4096 with the name and the attributes
STATES, ONWARD = "oidc_states", "oidc_login_next"  # where the library keeps what it has begun


class BegunSignIns(SessionStore):
    """Looks like a session to the library, which writes what it begins into one."""

    def __init__(self, request: HttpRequest) -> None:
        super().__init__(request.COOKIES.get(settings.SIGN_IN_COOKIE_NAME))

    def get_session_cookie_age(self) -> int:
        """Return how old a cookie may be that is taken."""
        return KEPT_SECONDS

    @property
    def onward(self) -> str:
        """The page that the sign-in is to lead to; blank where none was named."""
        return str(self.get(ONWARD) or "")

    def has(self, state: str) -> bool:
        """Tell whether a sign-in with this state has begun in this browser."""
        return state in self.get(STATES, {})

    def take(self, state: str) -> dict[str, Any]:
        """Return what was begun with the state, which is good once."""
        states = dict(self[STATES])
        begun: dict[str, Any] = states.pop(state)
        self[STATES] = states
        return begun

    def mark_newest(self, name: str) -> None:
        """Say something of the sign-in that was begun last."""
        states = dict(self[STATES])
        newest = next(reversed(states))
        self[STATES] = states | {newest: {**states[newest], name: True}}

    def keep_in(self, response: HttpResponseBase) -> None:
        """Write the cookie, without the page to come back to where that is too long for one."""
        self.save()
        if len(self.session_key or "") > LONGEST_COOKIE:
            self.pop(ONWARD, None)
            self.save()
        response.set_cookie(
            settings.SIGN_IN_COOKIE_NAME,
            self.session_key or "",
            max_age=KEPT_SECONDS,
            secure=settings.SECURE,
            httponly=True,
            samesite="Lax",
        )
