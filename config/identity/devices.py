"""Browsers in which an account has signed in before, known by a signed cookie.

A stranger who guesses passwords holds up no known browser. Whoever has the cookie alone is nobody:
it signs nobody in. A new password makes it useless.
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
ACCOUNTS_AT_MOST = 5  # of one browser, as of an office where people share one


def known(request: HttpRequest, user: User) -> str:
    """Return what stands for the browser when the user signs in; blank for one not seen before."""
    browser, marks = _read(request)
    mark = _mark(browser, user)
    return mark if mark in marks else ""


def remember(request: HttpRequest, response: HttpResponseBase, user: User) -> None:
    """Give the browser the cookie by which it is known the next time."""
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
    """Return the name of the browser, a new one for one that has none, and its accounts."""
    cookie = request.get_signed_cookie(
        settings.DEVICE_COOKIE_NAME, default="", salt=SALT, max_age=KEPT_SECONDS
    )
    browser, *marks = (cookie or "").split(".")
    return browser or secrets.token_hex(16), marks


def _mark(browser: str, user: User) -> str:
    """Return what an account is called in the cookie of one browser, with its present password."""
    return salted_hmac(SALT, f"{browser} {user.pk} {user.password}").hexdigest()
