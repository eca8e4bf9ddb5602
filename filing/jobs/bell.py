"""Rings the bell: tells a worker that there is something to do. A lost ring costs seconds only."""

from __future__ import annotations

import logging

from celery import current_app
from django.db import Error
from django.utils import timezone
from kombu.exceptions import KombuError
from redis import RedisError

from filing.models import Job

log = logging.getLogger(__name__)


def ring(job: Job) -> None:
    """Tell the workers of a job. When the queue is down the sweeper tells them later.

    The job is in the database by now. So nothing that goes wrong here fails the request or the work
    that has queued it, not even a database that went away in this moment.
    """
    try:
        Job.objects.filter(pk=job.pk).update(rung_at=timezone.now())
        current_app.send_task(
            "filing.work", (job.pk,), queue="large" if job.large else "small", retry=False
        )
    except (KombuError, RedisError, OSError, Error) as error:
        log.warning("The bell cannot be rung, job %s waits for the sweeper: %s", job.pk, error)
