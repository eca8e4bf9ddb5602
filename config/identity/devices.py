"""Browsers in which an account has signed in before, recognized by a signed cookie.

Wrong passwords from elsewhere do not slow down a known browser. The cookie alone signs no one in,
and a new password makes it useless.
"""

from __future__ import annotations

import secrets

from django.conf import settings
from django.contrib.auth.models import User
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.crypto import salted_hmac

SALT = "config.identity.devices"
KEPT_SECONDS = 180 * 24 * 3600
ACCOUNTS_AT_MOST = 5  # of one browser, as in an office where people share one


def known(request: HttpRequest, user: User) -> str:
    """Return the mark of the user's known browser; blank for a browser not seen before."""
    browser, marks = _read(request)
    mark = _mark(browser, user)
    return mark if mark in marks else ""


def remember(request: HttpRequest, response: HttpResponseBase, user: User) -> None:
    """Set the cookie by which the browser is recognized next time."""
    browser, marks = _read(request)
    mark = _mark(browser, user)
    newest = [mark, *(other for other in marks if other != mark)][:ACCOUNTS_AT_MOST]
    response.set_signed_cookie(
        settings.DEVICE_COOKIE_NAME,
        ".".join([browser, *newest]),
        salt=SALT,
        max_age=KEPT_SECONDS,
        secure=settings.SECURE,
        httponly=True,
        samesite="Lax",
    )


def _read(request: HttpRequest) -> tuple[str, list[str]]:
    """Return the name of the browser, a new one if it has none, and the marks of its accounts."""
    cookie = request.get_signed_cookie(
        settings.DEVICE_COOKIE_NAME, default="", salt=SALT, max_age=KEPT_SECONDS
    )
    browser, *marks = (cookie or "").split(".")
    return browser or secrets.token_hex(16), marks


def _mark(browser: str, user: User) -> str:
    """Return the mark of an account with its current password, for one browser."""
    return salted_hmac(SALT, f"{browser} {user.pk} {user.password}").hexdigest()
