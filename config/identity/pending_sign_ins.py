"""Sign-ins that wait for the provider's answer, in a cookie of their browser.

A visitor who starts one is unknown and may never come back, so nothing is stored on the server.
"""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib.sessions.backends.signed_cookies import SessionStore
from django.http import HttpRequest
from django.http.response import HttpResponseBase

KEPT_SECONDS = 24 * 3600  # a sign-in page may stay open overnight
LONGEST_COOKIE = 3800  # bytes; browsers take 4096 with the name and the attributes
STATES, ONWARD = "oidc_states", "oidc_login_next"  # the keys that the library writes


class PendingSignIns(SessionStore):
    """Acts as the session into which the library writes the sign-ins that it starts."""

    def __init__(self, request: HttpRequest) -> None:
        super().__init__(request.COOKIES.get(settings.SIGN_IN_COOKIE_NAME))

    def get_session_cookie_age(self) -> int:
        """Return the age up to which a cookie is accepted."""
        return KEPT_SECONDS

    @property
    def onward(self) -> str:
        """The page to open after the sign-in; blank where none was named."""
        return str(self.get(ONWARD) or "")

    def has(self, state: str) -> bool:
        """Return whether a sign-in with this state was started in this browser."""
        return state in self.get(STATES, {})

    def take(self, state: str) -> dict[str, Any]:
        """Return the sign-in with this state and remove it: a state can be used once."""
        states = dict(self[STATES])
        pending: dict[str, Any] = states.pop(state)
        self[STATES] = states
        return pending

    def mark_newest(self, name: str) -> None:
        """Set a flag of the sign-in that was started last."""
        states = dict(self[STATES])
        newest = next(reversed(states))
        self[STATES] = states | {newest: {**states[newest], name: True}}

    def keep_in(self, response: HttpResponseBase) -> None:
        """Set the cookie, without the page to return to if that is too long."""
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
