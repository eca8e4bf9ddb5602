"""Submissions that are watched: each change of state or progress, as server-sent events.

One thread of each web process reads all watched submissions together, so that many who watch cost
no more than one. It runs only while someone watches.

Source: HTML standard, section 9.2 (server-sent events).
"""

from __future__ import annotations

import logging
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from queue import Empty, SimpleQueue

from django.conf import settings
from django.db import Error, connection
from django.http import HttpResponse, HttpResponseBase, StreamingHttpResponse

from filing.errors import Busy
from filing.files.responses import StreamedAnswer
from filing.models import Submission
from filing.requests import release_connection
from filing.statuses import Status
from filing.submissions import results
from filing.submissions.results import StageProgress

log = logging.getLogger(__name__)

PAUSE_SECONDS = 0.5  # between two looks
RETRY_SECONDS = 30  # for a caller who finds no place to watch
CONTENT_TYPE = "text/event-stream; charset=utf-8"
PING_SECONDS = 15  # without a change, after which a comment keeps the connection open
LISTEN_SECONDS = 600  # after which the caller connects again
_PING = b": no change\n\n"


@dataclass(frozen=True, slots=True)
class SubmissionChange:
    """A submission as it is now, with the progress of its stage."""

    submission: Submission
    progress: StageProgress | None

    @property
    def id(self) -> str:
        """The state and its progress in a few characters; the same as long as nothing changes."""
        here, at = self.submission, self.progress
        flags = f"{here.quality_verified:d}{here.macro_verified:d}"
        flags += "-discarded" if here.discarded_at else ""
        return f"{here.status}-{flags}" + (f"-{at.stage}-{at.rows_done}" if at else "")

    @property
    def is_last(self) -> bool:
        """Whether the service has done its part: what follows is for the filer to do."""
        here = self.submission
        waits = here.status == Status.CREATED and not here.discarded_at
        return here.is_settled and not waits


Changes = SimpleQueue[SubmissionChange]


class SubmissionWatch:
    """Those who watch in this process, by submission."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._changes: dict[int, list[Changes]] = defaultdict(list)
        self._last: dict[int, str] = {}
        self._is_over = threading.Event()

    @property
    def has_listeners(self) -> bool:
        """Whether anyone watches."""
        return bool(self._changes)

    @contextmanager
    def of(self, now: SubmissionChange) -> Iterator[Changes]:
        """Yield a queue of what a submission becomes after a state that is known.

        Raises: Busy, when as many watch as the site allows.
        """
        changes: Changes = SimpleQueue()
        key = now.submission.pk
        with self._lock:
            count = sum(map(len, self._changes.values()))
            if count >= settings.PROGRESS_LISTENERS:
                raise Busy(
                    "Too many programs follow submissions now. Read the status instead, or try "
                    f"again in {RETRY_SECONDS} seconds.",
                    RETRY_SECONDS,
                )
            self._changes[key].append(changes)
            self._last.setdefault(key, now.id)
            if not count:
                self._is_over = threading.Event()
                thread = threading.Thread(target=self._look, args=(self._is_over,), daemon=True)
                thread.start()
        try:
            yield changes
        finally:
            with self._lock:
                self._changes[key].remove(changes)
                if not self._changes[key]:
                    del self._changes[key], self._last[key]
                if not self._changes:
                    self._is_over.set()

    def _look(self, is_over: threading.Event) -> None:
        """Look for changes until no one watches."""
        try:
            while not is_over.wait(PAUSE_SECONDS):
                try:
                    self._announce(self._read())
                except Error as error:
                    log.warning("Watched submissions could not be read: %s", error)
                    connection.close()
        finally:
            connection.close()

    def _read(self) -> list[SubmissionChange]:
        with self._lock:
            keys = list(self._changes)
        watched = results.with_related_rows(Submission.objects.filter(pk__in=keys))
        progress = results.find_progress_of_each(watched)
        return [SubmissionChange(submission, progress.get(submission.pk)) for submission in watched]

    def _announce(self, states: list[SubmissionChange]) -> None:
        with self._lock:
            for change in states:
                key = change.submission.pk
                if key not in self._changes or self._last[key] == change.id:
                    continue
                self._last[key] = change.id
                for changes in self._changes[key]:
                    changes.put(change)


WATCH = SubmissionWatch()


def stream_events(
    submission: Submission, data: Callable[[SubmissionChange], str], *, last_id: str | None
) -> HttpResponseBase:
    """Return the events of a submission; 204 where its last one is known to the caller.

    data: the data of an event, in one line. last_id: of the last event that the caller has.
    Raises: Busy, when as many listen as the site allows.
    """
    now = SubmissionChange(submission, results.find_progress(submission))
    if now.is_last and last_id == now.id:
        return HttpResponse(status=204)  # by which browsers stop connecting again
    with ExitStack() as resources:
        changes = resources.enter_context(WATCH.of(now))
        events = StreamedAnswer(lambda: _events(now, changes, data), resources)
    response = StreamingHttpResponse(events, content_type=CONTENT_TYPE)
    response["X-Accel-Buffering"] = "no"
    response["Content-Encoding"] = "identity"  # or events would wait to be compressed
    return response


def _events(
    now: SubmissionChange, changes: Changes, data: Callable[[SubmissionChange], str]
) -> Iterator[bytes]:
    """Yield the events, and comments while nothing changes."""
    until = time.monotonic() + LISTEN_SECONDS
    yield _event(now, data)
    while not now.is_last and time.monotonic() < until:
        release_connection()
        try:
            now = changes.get(timeout=PING_SECONDS)
        except Empty:
            yield _PING
        else:
            yield _event(now, data)


def _event(change: SubmissionChange, data: Callable[[SubmissionChange], str]) -> bytes:
    return f"event: state\nid: {change.id}\ndata: {data(change)}\n\n".encode()
