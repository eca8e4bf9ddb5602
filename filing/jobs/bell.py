"""Rings the bell: notifies a worker of a job. A lost ring costs only seconds."""

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
    """Notify the workers of a job. While the queue is down, the sweeper notifies them later.

    The job is in the database by now. So no error here fails the request or the job that queued it,
    not even a database that has just gone down.
    """
    try:
        Job.objects.filter(pk=job.pk).update(rung_at=timezone.now())
        current_app.send_task(
            "filing.work", (job.pk,), queue="large" if job.large else "small", retry=False
        )
    except (KombuError, RedisError, OSError, Error) as error:
        log.warning("The queue cannot be reached, job %s waits for the sweeper: %s", job.pk, error)
