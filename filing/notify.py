"""Rings the bell: tells a worker that there is something to do. A lost ring costs seconds only."""

from __future__ import annotations

import logging

from celery import current_app
from django.utils import timezone
from kombu.exceptions import OperationalError

from filing.models import Job

log = logging.getLogger(__name__)


def ring(job: Job) -> None:
    """Tell the workers of a job. When the queue is down the sweeper tells them later."""
    Job.objects.filter(pk=job.pk).update(rung_at=timezone.now())
    try:
        current_app.send_task(
            "filing.work", (job.pk,), queue="large" if job.large else "small", retry=False
        )
    except (OperationalError, OSError) as error:
        log.warning("The queue cannot be reached, job %s waits for the sweeper: %s", job.pk, error)
