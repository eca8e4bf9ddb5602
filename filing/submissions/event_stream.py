"""A submission as server-sent events: its state now, each change, and the end of processing.

Source: HTML standard, section 9.2 (server-sent events).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack

from django.http import HttpResponse, HttpResponseBase, StreamingHttpResponse

from filing.files.streamed_answers import StreamedAnswer
from filing.models import Submission
from filing.requests.database_connections import release_connection
from filing.submissions import watching
from filing.submissions.watching import Change, Changes

CONTENT_TYPE = "text/event-stream; charset=utf-8"
PING_SECONDS = 15  # without a change, after which a comment keeps the connection open
LISTEN_SECONDS = 600  # after which the caller connects again
_PING = b": no change\n\n"


def answer(
    submission: Submission, data: Callable[[Change], str], *, last_id: str | None
) -> HttpResponseBase:
    """Return the events of a submission; 204 where its last one is known to the caller.

    data: the data of an event, in one line. last_id: of the last event that the caller has.
    Raises: Busy, when as many listen as the site allows.
    """
    now = watching.now(submission)
    if now.is_last and last_id == now.id:
        return HttpResponse(status=204)  # by which browsers stop connecting again
    with ExitStack() as resources:
        changes = resources.enter_context(watching.WATCH.of(now))
        events = StreamedAnswer(lambda: _events(now, changes, data), resources)
    response = StreamingHttpResponse(events, content_type=CONTENT_TYPE)
    response["X-Accel-Buffering"] = "no"
    response["Content-Encoding"] = "identity"  # or events would wait to be compressed
    return response


def _events(now: Change, changes: Changes, data: Callable[[Change], str]) -> Iterator[bytes]:
    """Yield the events, and comments while nothing changes."""
    until = time.monotonic() + LISTEN_SECONDS
    yield _event(now, data)
    while not now.is_last and time.monotonic() < until:
        release_connection()
        change = watching.next_of(changes, PING_SECONDS)
        if change is None:
            yield _PING
            continue
        now = change
        yield _event(now, data)


def _event(change: Change, data: Callable[[Change], str]) -> bytes:
    return f"event: state\nid: {change.id}\ndata: {data(change)}\n\n".encode()
