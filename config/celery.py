"""The Celery application, which queues and runs background work."""

import os
from functools import cached_property
from typing import Any

from celery import Celery
from celery.signals import setup_logging, worker_ready

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")


class Application(Celery):
    """The library's application, with a worker whose main process is watched over."""

    @cached_property
    def Worker(self) -> Any:  # noqa: N802 -- the library's name
        return self.subclass_with_self("config.running.worker_program:WatchedWorker", name="Worker")


app = Application("hmda")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@setup_logging.connect
def log_as_everywhere(**options: Any) -> None:
    """Keep the logging of the settings: the library sets up none if there is a receiver."""


@worker_ready.connect
def sweep_from_here(sender: Any, **options: Any) -> None:
    """Let every worker sweep at its start and on a timer, also while beat is down."""
    from django.conf import settings

    def ring() -> None:
        app.send_task("filing.sweep", expires=settings.JOB_SWEEP_SECONDS, retry=False)

    # The timer comes first: on a full disk the first message fails, but later ones must not.
    sender.timer.call_repeatedly(settings.JOB_SWEEP_SECONDS, ring)
    ring()
