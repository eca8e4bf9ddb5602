"""Conditional answers: what a caller already has, by its ETag, is not sent again."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.cache import get_conditional_response
from rest_framework.request import Request


def unchanged(request: HttpRequest | Request, etag: str) -> HttpResponse | None:
    """Return 304 or 412 where the conditions of a request say so, by the ETag; otherwise none."""
    plain = request._request if isinstance(request, Request) else request
    response: HttpResponse | None = get_conditional_response(plain, etag=etag)
    return response


def answered(
    request: HttpRequest | Request, etag: str, answer: Callable[[], HttpResponseBase]
) -> HttpResponseBase:
    """Return the result of `answer` with its ETag, or 304 or 412 as `unchanged` does."""
    short = unchanged(request, etag)
    response: HttpResponseBase = answer() if short is None else short
    response["ETag"] = etag
    return response
