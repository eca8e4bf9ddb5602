"""Counts every request, and answers monitoring (a middleware)."""

from __future__ import annotations

import time
from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from config.metrics import requests, scrapes


def measure_requests(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Count requests. Those of monitoring are answered here, before the host name is checked."""

    def respond(request: HttpRequest) -> HttpResponseBase:
        started_at = time.perf_counter()
        is_scrape = request.path_info == scrapes.PATH and scrapes.is_on()
        response = scrapes.answer(request) if is_scrape else get_response(request)
        seconds = time.perf_counter() - started_at
        requests.count(request.method or "", request.path_info, response.status_code, seconds)
        return response

    return respond
