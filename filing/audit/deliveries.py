"""Audit log entries of what an answer gives to its caller, written once it is about to be sent.

A view cannot know whether its answer is sent: a limit may still refuse the caller. The entry
therefore goes with the answer, and is written where nothing refuses it any more.
"""

from __future__ import annotations

from typing import TypeVar

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from filing.models import TrailEntry

_ENTRY = "audit_log_entry"  # the attribute of an answer
_FIRST_REFUSAL = 400

Response = TypeVar("Response", bound=HttpResponseBase)


def with_entry(response: Response, entry: TrailEntry) -> Response:
    """Return the answer, whose entry is added to the audit log if the answer is sent."""
    setattr(response, _ENTRY, entry)
    return response


def record(request: HttpRequest, response: HttpResponseBase) -> None:
    """Add the entry of an answer to the audit log, if the answer gives out what was requested."""
    entry: TrailEntry | None = getattr(response, _ENTRY, None)
    is_given = request.method != "HEAD" and response.status_code < _FIRST_REFUSAL
    if entry is not None and is_given:
        entry.save(force_insert=True)
