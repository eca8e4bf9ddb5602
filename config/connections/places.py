"""The threads of a web process: few work at a time, and many may wait for their callers.

A thread takes a place to work on a request. While it waits for its caller (for the rest of a body,
or until an answer is read) it leaves its place, and another request takes it. Places and requests
are handed out in the order of asking, and of idle threads the one that worked last goes first, so
that few threads keep a connection to the database.
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
        self.free = places  # places that no thread has now
        self.threads = 0  # that there are now
        self._at_end = at_end
        self._lock = threading.Lock()
        self._turn = 0
        self._tasks: deque[_Task] = deque()
        self._returns: deque[_Return] = deque()
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
            self.free += 1
            self._hand_out()
        try:
            yield
        finally:
            with self._lock:
                turn = _Return(self._next_turn())
                self._returns.append(turn)
                self._hand_out()
            turn.has_place.wait()

    def let_others_go_first(self) -> None:
        """Let those that wait for a place now have theirs before this thread goes on."""
        if self._tasks or self._returns:
            with self.left():
                pass

    def _next_turn(self) -> int:
        self._turn += 1
        return self._turn

    def _hand_out(self) -> None:
        """Give free places to those whose turn it is. The lock is held."""
        while self.free:
            may_start = self._tasks and (self._idle or self.threads < self._most)
            if self._returns and not (
                may_start and self._tasks[0].number < self._returns[0].number
            ):
                self.free -= 1
                self._returns.popleft().has_place.set()
            elif may_start:
                self.free -= 1
                self._start(self._tasks.popleft())
            else:
                return

    def _start(self, task: _Task) -> None:
        if self._idle:
            self._idle.pop().put(task)
            return
        self.threads += 1
        threading.Thread(target=self._work, args=(task,), name="request", daemon=True).start()

    def _work(self, task: _Task | None) -> None:
        mailbox: SimpleQueue[_Task | None] = SimpleQueue()
        while task is not None:
            self._own.has_place = True
            task.run()
            self._own.has_place = False
            task = None  # or its connection would stay in memory until the next one
            with self._lock:
                self.free += 1
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
