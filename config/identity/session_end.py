"""When the session of a person ends, and how they keep it from ending.

A session ends two weeks after the sign-in, or after the person last asked to stay signed in. Its
pages warn before that; see `session.js`.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.sessions.backends.base import SessionBase
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.middleware.csrf import get_token
from django.shortcuts import render
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from django.views.generic import View

from filing.people import sign_ins

KEY = "signed_in_at"  # where the session has it
WARNING = timedelta(minutes=5)
# Source: NIST SP 800-63B, section 4.1.3: people prove who they are at least every 30 days.
LONGEST = timedelta(days=30)


def begin_session(session: SessionBase) -> None:
    """Set the end of a session whose person has just signed in."""
    now = timezone.now()
    session[KEY] = int(now.timestamp())
    _end(session, now)


def extend_session(session: SessionBase) -> None:
    """Let a session last as long again from now, at most 30 days after the sign-in."""
    now = timezone.now()
    session.setdefault(KEY, int(now.timestamp()))
    _end(session, now)


def seconds_left(session: SessionBase) -> int:
    """Return the seconds until a session ends."""
    return max(0, session.get_expiry_age())


def _end(session: SessionBase, now: datetime) -> None:
    longest = datetime.fromtimestamp(session[KEY], now.tzinfo) + LONGEST
    session.set_expiry(min(now + timedelta(seconds=settings.SESSION_COOKIE_AGE), longest))


def begin_at_sign_in(*, user: User, request: HttpRequest | None = None, **signal: Any) -> None:
    """Receive Django's signal that a person has signed in."""
    if request is not None:
        begin_session(request.session)
        sign_ins.begin_sign_in(request.session, user)


@method_decorator(never_cache, name="dispatch")
class SessionPage(View):
    """Tells a page whose session it is and how long it lasts, and extends it.

    After signing in again in another tab the browser comes here, too, and gets a page.
    """

    http_method_names = ["get", "post"]

    def get(self, request: HttpRequest) -> HttpResponse:
        if request.accepts("text/html"):
            return render(request, "identity/session.html")
        return self._state()

    def post(self, request: HttpRequest) -> HttpResponse:
        if request.user.is_authenticated:
            extend_session(request.session)
        return self._state()

    def _state(self) -> JsonResponse:
        """Answer who is signed in, and the token that their forms must have now."""
        if not self.request.user.is_authenticated:
            return JsonResponse({"user": "", "secondsLeft": 0, "csrfToken": ""})
        return JsonResponse(
            {
                "user": str(self.request.user.pk),
                "secondsLeft": seconds_left(self.request.session),
                "csrfToken": get_token(self.request),
            }
        )
