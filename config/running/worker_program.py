"""The worker as a program: Celery's own, with a watch over its main process from the start."""

from __future__ import annotations

from typing import Any

from celery.apps.worker import Worker

from config.running import main_watch


class WatchedWorker(Worker):
    """Celery's worker; its main process is ended once it gives no sign of life."""

    def __init__(self, *args: Any, **options: Any) -> None:
        main_watch.begin()  # the service is only loaded now, which takes seconds
        super().__init__(*args, **options)
