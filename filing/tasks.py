"""The queue's doors: a task takes an id, calls one function, and nothing else."""

from __future__ import annotations

from celery import shared_task

from filing import pipeline, reference_data, requested_emails


@shared_task(name="filing.work")
def work(job_id: int) -> None:
    """Work on a job, if it is still to be had, and on what follows from it."""
    pipeline.work(job_id)


@shared_task(name="filing.sweep")
def sweep() -> None:
    """Take care of what killed processes left behind."""
    pipeline.sweep()


@shared_task(name="filing.sweep_staged")
def sweep_staged() -> None:
    """Delete files of reference data that nobody has let count."""
    reference_data.sweep()


@shared_task(name="filing.sweep_emails")
def sweep_emails() -> None:
    """Delete emails that were asked for long ago."""
    requested_emails.prune()
