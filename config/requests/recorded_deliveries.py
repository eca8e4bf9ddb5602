"""Writes the audit log entries of answers that no limit has refused, before they are sent."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from filing.audit import deliveries


def record_deliveries(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Write the entry of an answer (a middleware, before the limit of open streams).

    What cannot be recorded is not sent.
    """

    def respond(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        try:
            deliveries.record(request, response)
        except Exception:
            # Not `response.close()`, which would report the request as finished.
            for close in response._resource_closers:  # type: ignore[attr-defined]
                close()
            raise
        return response

    return respond
