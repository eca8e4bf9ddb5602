"""Limits of one caller: how many requests in a time, and how many streamed answers at once.

Requests are counted by account or network; the caller is told how many are left, and one over the
limit is refused. Of published files bytes are counted instead: programs read them in many small
ranges. Downloads and event streams are counted in each process. A slow caller keeps no one waiting,
but each open answer is a thread, a connection and often a file. Without a limit, one caller could
take them all.
"""

from __future__ import annotations

import logging
import re
import threading
from collections import Counter
from collections.abc import Iterator
from functools import partial
from typing import cast

from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.http import HttpRequest, HttpResponseBase, StreamingHttpResponse
from rest_framework.exceptions import APIException

from config.backends.circuit_breaker import CircuitBreaker
from config.errors.handlers import answer_too_many_requests, find_api_area
from config.identity import bearer
from config.limits import buckets
from config.limits.policies import LimitDecision, LimitPolicy
from config.requests.clients import client_address, network_of_address
from config.requests.middleware import Handler
from config.requests.streams import WatchedStream

log = logging.getLogger(__name__)

HEALTH = "/v2/filing/"
SIGN_IN = re.compile(
    r"/(admin/login|sign-in|sign-up|forgotten|second-factor|device|filing/case"
    r"|realms/[^/]+/(login|protocol/openid-connect/(token|auth/device)))(/.*)?"
)
RECEIPTS = re.compile(r"/v2/public/receipts/.*")
RECEIPT_PAGE = "/receipts/check/"
PUBLIC = re.compile(r"/(v2/public|public|tools)/")
PUBLISHED_FILE = re.compile(
    r"/v2/public/(publications|datasets|versions)/.+\.(parquet|csv|txt)(\.gz)?"
)
FILE_POLICY = "published"  # whose tokens are megabytes
LEAST_MEGABYTES = 0.064  # that a request counts, also one that is not answered with the file
OUTAGE_SECONDS = 1  # in which a store that did not answer is not called
STREAM_RETRY_SECONDS = 10


class RateLimits:
    """Applies the rate limits (a middleware, after authentication and before all other work)."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response
        # The service must keep answering, with limits or without.
        warn = partial(log.warning, "Requests are not limited: the store of the limits is down: %s")
        self._breaker = CircuitBreaker(
            lambda: (buckets.StoreDown,), seconds=OUTAGE_SECONDS, warn=warn
        )

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        bucket = _find_bucket(request)
        if bucket is None:
            return self.get_response(request)
        policy, _ = bucket
        is_file = policy.name == FILE_POLICY
        verdict = self._take(bucket, LEAST_MEGABYTES if is_file else 1)
        if verdict and not verdict.allowed:
            return _refuse(request, verdict)
        response = self.get_response(request)
        # A file larger than the bucket takes all of it, or no one could have the file.
        more = min(megabytes_of_file(request, response), policy.burst) - LEAST_MEGABYTES
        if is_file and more > 0:
            verdict = self._take(bucket, more)
        if verdict and not verdict.allowed:
            refusal = _refuse(request, verdict)
            close_with(refusal, response)
            return refusal
        return _count(response, verdict) if verdict else response

    def _take(self, bucket: tuple[LimitPolicy, str], tokens: float) -> LimitDecision | None:
        """Return the decision on some tokens; None while the store is down."""
        return self._breaker.call(lambda: buckets.bucket_store().take(*bucket, tokens), None)


def _refuse(request: HttpRequest, verdict: LimitDecision) -> HttpResponseBase:
    log.info("Over the rate limit %r", verdict.policy.name)
    return _count(answer_too_many_requests(request, verdict.retry_after), verdict)


def _count(response: HttpResponseBase, verdict: LimitDecision) -> HttpResponseBase:
    """Return an answer that says what is left of the limit."""
    response["RateLimit-Policy"] = verdict.policy.header
    response["RateLimit"] = verdict.header
    return response


def _find_bucket(request: HttpRequest) -> tuple[LimitPolicy, str] | None:
    """Return the policy of the request and the caller; None where requests are not counted."""
    if request.path == HEALTH or not any(settings.LIMITS.values()):
        return None
    kind, caller = _kind_and_caller(request)
    policy: LimitPolicy | None = settings.LIMITS[kind]
    return (policy, caller) if policy else None


def megabytes_of_file(request: HttpRequest, response: HttpResponseBase) -> float:
    """Return how much of a stored file the answer leads to, whoever sends it."""
    sent: int = getattr(response, "file_bytes", 0) if request.method != "HEAD" else 0
    return sent / 1_000_000


def close_with(refusal: HttpResponseBase, response: HttpResponseBase) -> None:
    """End the files and queries of an answer with the refusal that takes its place."""
    refusal._resource_closers.extend(response._resource_closers)  # type: ignore[attr-defined]


def _kind_and_caller(request: HttpRequest) -> tuple[str, str]:
    """Return the kind of the request, and the caller it is counted for."""
    address = client_network(request)
    if request.method == "POST" and SIGN_IN.fullmatch(request.path):
        return "sign-in", address
    if _is_receipt_check(request):
        return "receipt-check", address
    caller = authenticated_caller(request)
    if _is_public_upload(request):
        return "public-upload", caller or address
    if PUBLISHED_FILE.fullmatch(request.path):
        return FILE_POLICY, caller or address
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


def client_network(request: HttpRequest) -> str:
    """Return what requests without an account are counted by."""
    return network_of_address(client_address(request))


def authenticated_caller(request: HttpRequest) -> str:
    """Return the caller by token or session; blank for all others, bad tokens included."""
    try:
        verification = bearer.verify_bearer(request)
    except APIException:
        return ""
    if verification is not None:
        caller, claims = verification
        return f"{claims.get('iss', '')} {caller.id}"
    if find_api_area(request.path) or settings.SESSION_COOKIE_NAME not in request.COOKIES:
        return ""  # APIs take no sessions, and without the cookie there is none
    user = request.session.get(SESSION_KEY)
    return f"session {user}" if user else ""


class StreamSlots:
    """The open answers of each caller."""

    def __init__(self) -> None:
        self._open: Counter[str] = Counter()
        self._lock = threading.Lock()

    def take(self, caller: str, most: int) -> bool:
        """Count an answer of a caller, unless it has as many as it may."""
        with self._lock:
            if self._open[caller] >= most:
                return False
            self._open[caller] += 1
            return True

    def give_back(self, caller: str) -> None:
        """Count an answer no longer."""
        with self._lock:
            self._open[caller] -= 1
            if not self._open[caller]:
                del self._open[caller]


class OpenStreams:
    """Limits the streamed answers that a caller has open (a middleware, inside of the limits)."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response
        self._slots = StreamSlots()

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        most = settings.STREAMS_PER_CALLER
        if not most or not isinstance(response, StreamingHttpResponse):
            return response
        caller = authenticated_caller(request) or client_network(request)
        if not self._slots.take(caller, most):
            log.info("A caller has %d downloads and event streams open", most)
            reason = f"You have {most} downloads and event streams open, the most for one caller."
            refusal = answer_too_many_requests(request, STREAM_RETRY_SECONDS, reason=reason)
            close_with(refusal, response)
            return refusal
        content = cast(Iterator[bytes], response.streaming_content)
        response.streaming_content = WatchedStream(
            content, at_end=lambda sent: self._slots.give_back(caller)
        )
        return response
