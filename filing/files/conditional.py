"""Answers that a caller may have already: known by their ETag, and then not sent again."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.cache import get_conditional_response
from rest_framework.request import Request


def unchanged(request: HttpRequest | Request, etag: str) -> HttpResponse | None:
    """Return 304 to who has what an ETag names, 412 to who wants only another; none to all else."""
    asked = request._request if isinstance(request, Request) else request
    kept: HttpResponse | None = get_conditional_response(asked, etag=etag)
    return kept


def answered(
    request: HttpRequest | Request, etag: str, answer: Callable[[], HttpResponseBase]
) -> HttpResponseBase:
    """Return what `answer` makes, or that the caller has it already; with its ETag."""
    kept = unchanged(request, etag)
    response: HttpResponseBase = answer() if kept is None else kept
    response["ETag"] = etag
    return response
