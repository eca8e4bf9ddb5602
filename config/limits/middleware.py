"""Counts requests, tells callers what they have left, and refuses what is too much."""

from __future__ import annotations

import logging
import re
import threading
import time
from collections.abc import Callable

from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from rest_framework.exceptions import APIException

from config import errors
from config.identity import bearer
from config.limits import buckets
from config.limits.policies import Policy, Verdict
from config.requests import client_address, site_of
from filing.submissions import uploads

log = logging.getLogger(__name__)

HEALTH = "/v2/filing/"
SIGN_IN = re.compile(
    r"/(admin/login|sign-in|sign-up|forgotten|realms/[^/]+/(login|protocol/openid-connect/token))"
    r"(/.*)?"
)
PUBLIC = re.compile(r"/(v2/public|public|tools)/")
OUTAGE_SECONDS = 1  # for which a store that does not answer is left alone
WARNING_SECONDS = 60  # between two lines in the log about that


class Limits:
    """The middleware. Stands after the one that knows who has signed in, before any other work."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response
        self._guard = threading.Lock()
        self._try_at = self._warn_at = 0.0

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        verdict = self._verdict(request)
        if verdict is None:
            return self.get_response(request)
        response = self.get_response(request) if verdict.allowed else _refusal(request, verdict)
        response["RateLimit-Policy"] = verdict.policy.header
        response["RateLimit"] = verdict.header
        return response

    def _verdict(self, request: HttpRequest) -> Verdict | None:
        """Return what is left for the caller; nothing where requests are not counted."""
        if request.path == HEALTH or not any(settings.LIMITS.values()):
            return None
        kind, who = _counted_as(request)
        policy: Policy | None = settings.LIMITS[kind]
        if policy is None or time.monotonic() < self._try_at:
            return None
        try:
            return buckets.store().take(policy, who)
        except buckets.StoreDown as error:
            self._let_pass(error)
            return None

    def _let_pass(self, error: Exception) -> None:
        """Go on without limits for a moment: that the service answers counts for more."""
        now = time.monotonic()
        with self._guard:
            self._try_at = now + OUTAGE_SECONDS
            told, self._warn_at = now < self._warn_at, max(self._warn_at, now)
            if not told:
                self._warn_at = now + WARNING_SECONDS
        if not told:
            log.warning("Requests are not limited: the store of the limits is down: %s", error)


def _counted_as(request: HttpRequest) -> tuple[str, str]:
    """Return the kind of the request, and whose bucket it takes from."""
    address = site_of(client_address(request))
    if request.method == "POST" and SIGN_IN.fullmatch(request.path):
        return "sign-in", address
    known = _known(request)
    if _is_public_upload(request):
        return "public-upload", known or address
    return ("authenticated", known) if known else ("public", address)


def _is_public_upload(request: HttpRequest) -> bool:
    return (
        request.method in {"POST", "OPTIONS"}  # by which a file is parsed, too
        and request.content_type == "multipart/form-data"
        and PUBLIC.match(request.path) is not None
    )


def _known(request: HttpRequest) -> str:
    """Return who has proven who they are; blank for all others, bad tokens among them."""
    try:
        proven = bearer.proven(request)
    except APIException:
        return ""
    if proven is not None:
        caller, claims = proven
        return f"{claims.get('iss', '')} {caller.id}"
    if errors.area_of(request.path) or settings.SESSION_COOKIE_NAME not in request.COOKIES:
        return ""  # an API takes no session, and without a cookie there is none to look for
    user = request.session.get(SESSION_KEY)
    return f"session {user}" if user else ""


def _refusal(request: HttpRequest, verdict: Verdict) -> HttpResponse:
    """Answer 429. What was being sent is read first: the caller would not see the answer else."""
    log.info("Over the limit %r", verdict.policy.name)
    uploads.forget_body(request, known=_known(request) != "")
    response = errors.too_many_requests(request, verdict.retry_after)
    response["Retry-After"] = str(verdict.retry_after)
    response["Cache-Control"] = "no-store"
    return response
