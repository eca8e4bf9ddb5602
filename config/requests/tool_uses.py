"""Counts how often public tools are used, by day and without a word about anyone.

Each process adds up its counts and stores them once a minute, with a request that comes then. What
it has counted since is lost when it ends: the figures are for planning, not for evidence.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import Counter
from datetime import date

from django.db import DatabaseError
from django.db.models import F
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from config.requests.middleware import Handler
from filing import day_hours
from filing.models import ToolUse

log = logging.getLogger(__name__)

STORE_SECONDS = 60.0  # between two times that a process stores its counts
_NAMES = {
    "check of a file": "check-file validate-disclosure validate-hmda parse-disclosure parse-hmda"
    " parse-disclosure-csv parse-hmda-csv",
    "check of a line": "check-line validate-ts validate-lar parse-ts parse-lar",
    "spreadsheet to LAR": "lar-tool lar-convert",
    "receipt": "check-receipt receipt",
    "check digit": "check-digit check-digit-generated check-digit-validated generate generate-list"
    " validate validate-list",
    "rate spread": "rate-spread rate-spread-list single list",
}
_SPACES = {"", "publicapi", "uliapi", "ratespread"}
_TOOL_OF = {name: tool for tool, names in _NAMES.items() for name in names.split()}
_ASKED_BY_GET = "receipt"  # all others are used by a post

_lock = threading.Lock()
_counts: Counter[tuple[date, str]] = Counter()
_stored_at = time.monotonic()


def count_tool_uses(get_response: Handler) -> Handler:
    """Count the uses of public tools that were answered (a middleware)."""

    def respond(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        if response.status_code < 400 and (tool := find_tool(request)):
            with _lock:
                _counts[day_hours.today(), tool] += 1
        if _counts and time.monotonic() - _stored_at >= STORE_SECONDS:
            store_counts()
        return response

    return respond


def find_tool(request: HttpRequest) -> str:
    """Return the tool that a request uses; blank for any other request."""
    match = request.resolver_match
    if match is None or match.namespace not in _SPACES:
        return ""
    tool = _TOOL_OF.get((match.url_name or "").removeprefix("quarter-"), "")
    return tool if request.method == "POST" or tool == _ASKED_BY_GET else ""


def store_counts() -> None:
    """Add the counts of this process to the table; keep them while the database is away."""
    global _stored_at
    with _lock:
        _stored_at = time.monotonic()
        counts = _counts.copy()
        _counts.clear()
    try:
        for (day, tool), number in counts.items():
            row, _ = ToolUse.objects.get_or_create(day=day, tool=tool)
            ToolUse.objects.filter(pk=row.pk).update(uses=F("uses") + number)
    except DatabaseError as error:
        log.warning("The uses of public tools are stored later: %s", error)
        with _lock:
            _counts.update(counts)
