"""Counts requests, tells callers how many are left, and refuses those over the limit."""

from __future__ import annotations

import logging
import re
import threading
import time
from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase

from config.errors.handlers import too_many_requests
from config.limits import buckets, callers
from config.limits.policies import Policy, Verdict

log = logging.getLogger(__name__)

HEALTH = "/v2/filing/"
SIGN_IN = re.compile(
    r"/(admin/login|sign-in|sign-up|forgotten|device|filing/case"
    r"|realms/[^/]+/(login|protocol/openid-connect/(token|auth/device)))(/.*)?"
)
RECEIPTS = re.compile(r"/v2/public/receipts/.*")
RECEIPT_PAGE = "/receipts/check/"
PUBLIC = re.compile(r"/(v2/public|public|tools)/")
OUTAGE_SECONDS = 1  # in which a store that did not answer is not called
WARNING_SECONDS = 60  # between two lines in the log about that


class Limits:
    """Applies the rate limits (a middleware, after authentication and before all other work)."""

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
        """Return the decision on the request; None where requests are not counted."""
        if request.path == HEALTH or not any(settings.LIMITS.values()):
            return None
        kind, caller = _kind_and_caller(request)
        policy: Policy | None = settings.LIMITS[kind]
        if policy is None or time.monotonic() < self._try_at:
            return None
        try:
            return buckets.store().take(policy, caller)
        except buckets.StoreDown as error:
            self._let_pass(error)
            return None

    def _let_pass(self, error: Exception) -> None:
        """Let requests pass for a moment: the service must keep answering."""
        now = time.monotonic()
        with self._guard:
            self._try_at = now + OUTAGE_SECONDS
            is_logged = now < self._warn_at
            if not is_logged:
                self._warn_at = now + WARNING_SECONDS
        if not is_logged:
            log.warning("Requests are not limited: the store of the limits is down: %s", error)


def _kind_and_caller(request: HttpRequest) -> tuple[str, str]:
    """Return the kind of the request, and the caller it is counted for."""
    address = callers.network(request)
    if request.method == "POST" and SIGN_IN.fullmatch(request.path):
        return "sign-in", address
    if _is_receipt_check(request):
        return "receipt-check", address
    caller = callers.authenticated(request)
    if _is_public_upload(request):
        return "public-upload", caller or address
    return ("authenticated", caller) if caller else ("public", address)


def _is_receipt_check(request: HttpRequest) -> bool:
    """Return whether the request is a check of a receipt, by the API or on the page."""
    on_page = request.method == "POST" and request.path == RECEIPT_PAGE
    return on_page or RECEIPTS.fullmatch(request.path) is not None


def _is_public_upload(request: HttpRequest) -> bool:
    return (
        request.method in {"POST", "OPTIONS"}  # OPTIONS parses a file as well
        and request.content_type == "multipart/form-data"
        and PUBLIC.match(request.path) is not None
    )


def _refusal(request: HttpRequest, verdict: Verdict) -> HttpResponse:
    """Answer 429."""
    log.info("Over the rate limit %r", verdict.policy.name)
    response = too_many_requests(request, verdict.retry_after)
    response["Retry-After"] = str(verdict.retry_after)
    response["Cache-Control"] = "no-store"
    return response
