"""The progress of a submission as server-sent events, for programs that would rather not poll.

Source: HTML standard, section 9.2 (server-sent events).
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

from django.http import HttpResponse, HttpResponseBase, StreamingHttpResponse
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request

from filing.api.openapi import filings as openapi
from filing.api.views import answers
from filing.api.views.base import FilingView
from filing.files.streamed_answers import StreamedAnswer
from filing.requests import waits
from filing.statuses import Status
from filing.submissions import watching
from filing.submissions.watching import Change, Changes

EVENTS = "text/event-stream; charset=utf-8"
PING_SECONDS = 15  # without a change, after which a comment keeps the connection open
LISTEN_SECONDS = 600  # after which the caller connects again
_PING = b": no change\n\n"


class _AnyAccept(BaseContentNegotiation):
    """Answers events, and refusals in JSON, whatever a caller accepts."""

    def select_parser(self, request: Request, parsers: Any) -> Any:
        return parsers[0]

    def select_renderer(self, request: Request, renderers: Any, format_suffix: Any = None) -> Any:
        return JSONRenderer(), JSONRenderer.media_type


class ProgressEvents(FilingView):
    """The state of a submission now, and after each change, until processing has finished."""

    content_negotiation_class = _AnyAccept

    @openapi.progress
    def get(self, request: Request, sequence_number: str, **where: Any) -> HttpResponseBase:
        now = watching.now(self.find_or_404(sequence_number))
        if _is_last(now) and request.headers.get("Last-Event-ID") == now.id:
            return HttpResponse(status=204)  # by which browsers stop connecting again
        with ExitStack() as resources:
            changes = resources.enter_context(watching.WATCH.of(now))
            events = StreamedAnswer(lambda: _events(now, changes), resources)
        response = StreamingHttpResponse(events, content_type=EVENTS)
        response["X-Accel-Buffering"] = "no"
        response["Content-Encoding"] = "identity"  # or events would wait to be compressed
        return response


def _events(now: Change, changes: Changes) -> Iterator[bytes]:
    """Yield the events of a submission, and comments while nothing changes."""
    until = time.monotonic() + LISTEN_SECONDS
    yield _event(now)
    while not _is_last(now) and time.monotonic() < until:
        with waits.left():
            change = watching.next_of(changes, PING_SECONDS)
        if change is None:
            yield _PING
            continue
        now = change
        yield _event(now)


def _is_last(change: Change) -> bool:
    """Return whether the service has done its part: what follows is for the filer to do."""
    status = Status(change.submission.status)
    return status.is_settled and status != Status.CREATED


def _event(change: Change) -> bytes:
    progress = None if _is_last(change) else change.progress
    state = json.dumps(answers.state_with(change.submission, progress))
    return f"event: state\nid: {change.id}\ndata: {state}\n\n".encode()
