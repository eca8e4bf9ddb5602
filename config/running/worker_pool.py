"""A pool of worker processes that goes on when one of them is killed, is stopped or hangs.

With the folder queue, the children of the library's pool read from one pipe under a
lock that outlives its holder: a child that is killed while it waits for work leaves the lock taken,
and no later child receives anything. With Redis each child has a pipe of its own.
"""

from __future__ import annotations

import fcntl
import tempfile
from types import TracebackType
from typing import Any

from billiard.pool import Pool
from billiard.process import current_process
from celery.concurrency import prefork
from celery.signals import worker_process_init
from django.conf import settings

from config.running import life_signs


class ProcessLock:
    """A lock between processes that the kernel releases when its holder ends, in whatever way.

    Only one thread of each process may use it at a time.
    """

    def __init__(self) -> None:
        # A record lock belongs to a process; one made by flock() would be shared with children.
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 -- open as long as the process

    def acquire(self) -> bool:
        """Wait for the lock and take it."""
        fcntl.lockf(self._file, fcntl.LOCK_EX)
        return True

    def release(self) -> None:
        """Release the lock."""
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
    """The library's pool; of a child that is killed, neither a lock nor a message stays behind."""

    def _setup_queues(self) -> None:
        super()._setup_queues()
        for queue in (self._inqueue, self._outqueue):
            queue._rlock, queue._wlock = ProcessLock(), ProcessLock()

    def on_job_process_lost(self, job: Any, pid: int, exitcode: int) -> None:
        """Give the message of a killed child back at once, so that the worker takes the next one.

        The library waits some seconds in which the result may still come. A child that ends in
        order waits itself until its result was read, and a message that comes twice does no harm.
        """
        self.mark_as_worker_lost(job, exitcode)


class TaskPool(prefork.TaskPool):
    """The pool of worker processes, for Celery's setting `worker_pool`."""

    BlockingPool: Any = ChildPool

    def on_start(self) -> None:
        """Start the processes, and the threads that end silent ones and clear the data folder."""
        from config.running import folder_clearing  # which needs the tables

        worker_process_init.connect(_give_signs_of_life)
        super().on_start()
        life_signs.end_silent(self._children, seconds=settings.JOB_LEASE_SECONDS)
        folder_clearing.clear_repeatedly()

    def _children(self) -> list[Any]:
        return self._pool._pool if self._pool else []  # none while the worker ends


def _give_signs_of_life(**options: Any) -> None:
    """Let the main process see that this child is alive, and others take jobs of ended ones."""
    from filing.jobs import ended_processes  # which needs the tables

    life_signs.give_signs(current_process().index)
    ended_processes.hand_over()
