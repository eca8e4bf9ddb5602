"""The Celery application, which queues and runs background work."""

import os
import resource
import signal
from typing import Any

from celery import Celery
from celery.concurrency import solo, thread
from celery.signals import setup_logging, task_postrun, worker_ready
from celery.worker import state

from config.backends import folder_queue

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

folder_queue.register_transport()
app = Celery("hmda")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()

IDLE_SECONDS = 60  # without a task, after which a worker may end that others stand in for


@setup_logging.connect
def log_as_everywhere(**options: Any) -> None:
    """Keep the logging of the settings: the library sets up none if there is a receiver."""


@worker_ready.connect
def sweep_from_here(sender: Any, **options: Any) -> None:
    """Let every worker sweep at its start and on a timer, also while beat is down."""
    from django.conf import settings

    def ask_for_sweep() -> None:
        app.send_task("filing.sweep", expires=settings.JOB_SWEEP_SECONDS, retry=False)

    # The timer comes first: on a full disk the first message fails, but later ones must not.
    sender.timer.call_repeatedly(settings.JOB_SWEEP_SECONDS, ask_for_sweep)
    ask_for_sweep()
    if isinstance(sender.pool, solo.TaskPool):
        task_postrun.connect(end_large_process, weak=False)
    if isinstance(sender.pool, thread.TaskPool) or settings.WAITED_FOR_MESSAGES:
        end_when_idle(sender)


def end_large_process(**options: Any) -> None:
    """End this process in order once it needs too much memory; the process manager starts another.

    With a pool, Celery itself replaces such a child. A worker of one process is the whole worker.
    """
    if _is_large_process():
        os.kill(os.getpid(), signal.SIGTERM)


def end_when_idle(worker: Any) -> None:
    """End a worker between its tasks if it is large, or if it waited for its first message.

    Then `config.running.wait_for_messages` takes its place until there is work again. The short
    tasks of the schedule do not count: the worker of small files, which stays, runs them as well.
    """
    from django.conf import settings

    is_temporary: bool = settings.WAITED_FOR_MESSAGES
    before = -1

    def look() -> None:
        nonlocal before
        counts = state.total_count.items()
        now = sum(count for task, count in counts if task not in app.conf.task_routes)
        is_idle = before == (before := now)
        if is_idle and not state.reserved_requests and (is_temporary or _is_large_process()):
            os.kill(os.getpid(), signal.SIGTERM)

    worker.timer.call_repeatedly(IDLE_SECONDS, look)


def _is_large_process() -> bool:
    limit: int = app.conf.worker_max_memory_per_child
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss > limit
