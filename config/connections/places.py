"""The threads of a web process: few work at a time, and many may wait for their callers.

A thread takes a place to work on a request. While it waits for its caller (for the rest of a body,
or until an answer is read) it leaves its place, and another request takes it. Places and requests
are handed out in the order of asking, and of idle threads the one that worked last goes first, so
that few threads keep a connection to the database.

Threads that read a long body have only some of the places at a time. All of them would share the
interpreter with the short requests of the other callers, which would take ten times as long.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import Any, TypeVar

LONG_SHARE = 4  # of so many places one is for a long body

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class _Task:
    """A call whose result goes into a future. number: its turn."""

    number: int
    future: Future[Any]
    call: Callable[[], Any]

    def run(self) -> None:
        if not self.future.set_running_or_notify_cancel():
            return
        try:
            self.future.set_result(self.call())
        except BaseException as error:  # whoever asks for the result gets it
            self.future.set_exception(error)


@dataclass(frozen=True, slots=True)
class _Return:
    """A thread that wants a place again. number: its turn."""

    number: int
    has_place: threading.Event = field(default_factory=threading.Event)


class Places(Executor):
    """A pool of threads with places to work."""

    def __init__(self, places: int, *, threads: int, at_end: Callable[[], object]) -> None:
        """Return the pool, without a thread.

        places: how many threads work at a time. threads: how many there are at most, with those
        that wait. at_end: called in each thread before it ends.
        """
        self._places = places
        self._most = threads
        self._most_long = max(1, places // LONG_SHARE)
        self._long = 0  # places of threads with a long body
        self.free = places  # places that no thread has now
        self.threads = 0  # that there are now
        self._at_end = at_end
        self._lock = threading.Lock()
        self._turn = 0
        self._tasks: deque[_Task] = deque()
        self._returns: deque[_Return] = deque()
        self._long_returns: deque[_Return] = deque()
        self._idle: list[SimpleQueue[_Task | None]] = []  # the mailbox of each, the latest last
        self._is_closed = False
        self._own = threading.local()

    def submit(
        self, function: Callable[..., Result], /, *args: Any, **options: Any
    ) -> Future[Result]:
        """Call a function in a thread as soon as there is a place; return its future result."""
        future: Future[Result] = Future()
        with self._lock:
            if self._is_closed:
                raise RuntimeError("The pool is closed.")
            task = _Task(self._next_turn(), future, lambda: function(*args, **options))
            self._tasks.append(task)
            self._hand_out()
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End idle threads now and the others after their task."""
        with self._lock:
            self._is_closed = True
            canceled = list(self._tasks) if cancel_futures else []
            if cancel_futures:
                self._tasks.clear()
            while self._idle:
                self._idle.pop().put(None)
        for task in canceled:
            task.future.cancel()

    @contextmanager
    def left(self) -> Iterator[None]:
        """Leave the place of this thread, and take one again at the end.

        In a thread without a place nothing happens.
        """
        if not getattr(self._own, "has_place", False):
            yield
            return
        with self._lock:
            self._give_back()
            self._hand_out()
        try:
            yield
        finally:
            with self._lock:
                turn = _Return(self._next_turn())
                (self._long_returns if self._own.is_long else self._returns).append(turn)
                self._hand_out()
            turn.has_place.wait()

    def let_others_go_first(self) -> None:
        """Let those that wait for a place now have theirs before this thread goes on.

        From here to its end the request counts as one with a long body.
        """
        if not getattr(self._own, "has_place", False):
            return
        with self._lock:
            if not self._own.is_long:
                self._own.is_long = True
                self._long += 1
            must_wait = self._long > self._most_long
            goes_on = not (must_wait or self._tasks or self._returns or self._long_returns)
        if not goes_on:
            with self.left():
                pass

    def _next_turn(self) -> int:
        self._turn += 1
        return self._turn

    def _give_back(self) -> None:
        """Count the place of this thread as free. The lock is held."""
        self.free += 1
        if self._own.is_long:
            self._long -= 1

    def _hand_out(self) -> None:
        """Give free places to those whose turn it is. The lock is held."""
        while self.free:
            waiting: list[deque[_Task] | deque[_Return]] = [self._returns]
            if self._idle or self.threads < self._most:
                waiting.append(self._tasks)
            if self._long < self._most_long:
                waiting.append(self._long_returns)
            queues = [queue for queue in waiting if queue]
            if not queues:
                return
            queue = min(queues, key=lambda queue: queue[0].number)
            self.free -= 1
            if queue is self._long_returns:
                self._long += 1
            first = queue.popleft()
            if isinstance(first, _Task):
                self._start(first)
            else:
                first.has_place.set()

    def _start(self, task: _Task) -> None:
        if self._idle:
            self._idle.pop().put(task)
            return
        self.threads += 1
        threading.Thread(target=self._work, args=(task,), name="request", daemon=True).start()

    def _work(self, task: _Task | None) -> None:
        mailbox: SimpleQueue[_Task | None] = SimpleQueue()
        while task is not None:
            self._own.has_place, self._own.is_long = True, False
            task.run()
            self._own.has_place = False
            task = None  # or its connection would stay in memory until the next one
            with self._lock:
                self._give_back()
                self._idle.append(mailbox)
                self._hand_out()
                self._end_surplus()
            task = mailbox.get()
        self._at_end()

    def _end_surplus(self) -> None:
        """End the threads that are idle longest, beyond one for each place. The lock is held."""
        keep = 0 if self._is_closed else self._places
        while len(self._idle) > keep:
            self.threads -= 1
            self._idle.pop(0).put(None)
