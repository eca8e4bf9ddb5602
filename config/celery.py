"""The Celery application, which queues and runs background work."""

import os
import resource
import signal
from typing import Any

from celery import Celery
from celery.concurrency import solo
from celery.signals import setup_logging, task_postrun, worker_ready

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("hmda")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


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


def end_large_process(**options: Any) -> None:
    """End this process in order once it needs too much memory; the process manager starts another.

    With a pool, Celery itself replaces such a child. A worker of one process is the whole worker.
    """
    if resource.getrusage(resource.RUSAGE_SELF).ru_maxrss > app.conf.worker_max_memory_per_child:
        os.kill(os.getpid(), signal.SIGTERM)
