"""Whom a request is counted for."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.http import HttpRequest
from rest_framework.exceptions import APIException

from config.errors.areas import area_of
from config.identity import bearer
from config.requests.clients import client_address, network_of


def network(request: HttpRequest) -> str:
    """Return what requests without an account are counted by."""
    return network_of(client_address(request))


def authenticated(request: HttpRequest) -> str:
    """Return the caller by token or session; blank for all others, bad tokens included."""
    try:
        verification = bearer.verification(request)
    except APIException:
        return ""
    if verification is not None:
        caller, claims = verification
        return f"{claims.get('iss', '')} {caller.id}"
    if area_of(request.path) or settings.SESSION_COOKIE_NAME not in request.COOKIES:
        return ""  # APIs take no sessions, and without the cookie there is none
    user = request.session.get(SESSION_KEY)
    return f"session {user}" if user else ""
