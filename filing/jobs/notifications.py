"""Notifies workers that a queue has jobs. A lost message costs seconds: the sweeper sends more."""

from __future__ import annotations

import logging

from celery import current_app
from kombu.exceptions import KombuError
from redis import RedisError

log = logging.getLogger(__name__)


def notify_workers(*, large: bool, expires: float | None = None) -> None:
    """Ask a worker to run the jobs of a queue. While the broker is down, the sweeper asks later.

    The jobs are in the database by now. So no error here fails the request or the job that queued
    them.

    Args:
        large: The queue of large files.
        expires: Seconds after which the message need not be read.
    """
    name = "large" if large else "small"
    try:
        current_app.send_task(
            "filing.work", kwargs={"large": large}, queue=name, retry=False, expires=expires
        )
    # The broker's folder may hold what cannot be read.
    except (KombuError, RedisError, OSError, ValueError) as error:
        log.warning("The queue cannot be reached, %s files wait for the sweeper: %s", name, error)
