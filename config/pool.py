"""The child processes of a worker, where a killed one never locks out the child that follows it.

Used with the folder queue. There, children of the library's pool read from one pipe under a lock
that outlives the process that holds it: a child that is killed while it waits for work leaves the
lock taken, and no child after it hears anything again. Redis gives each child a pipe of its own.
"""

from __future__ import annotations

import fcntl
import tempfile
from types import TracebackType
from typing import Any

from billiard.pool import Pool
from celery.concurrency import prefork


class ProcessLock:
    """A lock among processes that the kernel releases when its holder ends, however it ends.

    Of each process one thread at a time may use it.
    """

    def __init__(self) -> None:
        # A record lock belongs to a process; one of flock() would be shared with every child.
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 -- as long as the process

    def acquire(self) -> bool:
        """Wait for the lock and take it."""
        fcntl.lockf(self._file, fcntl.LOCK_EX)
        return True

    def release(self) -> None:
        """Give the lock back."""
        fcntl.lockf(self._file, fcntl.LOCK_UN)

    def __enter__(self) -> None:
        self.acquire()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()


class ChildPool(Pool):
    """The library's pool with locks that end with their holder."""

    def _setup_queues(self) -> None:
        super()._setup_queues()
        for queue in (self._inqueue, self._outqueue):
            queue._rlock, queue._wlock = ProcessLock(), ProcessLock()


class TaskPool(prefork.TaskPool):
    """The pool of worker processes, for the setting of the queue library."""

    BlockingPool: Any = ChildPool
