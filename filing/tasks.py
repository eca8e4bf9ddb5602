"""The queue's doors: a task takes an id, calls one function, and nothing else."""

from __future__ import annotations

from celery import shared_task

from filing.emails import requested
from filing.jobs import loop, sweeper
from filing.people import accounts, memberships
from filing.reference_data import loading


@shared_task(name="filing.work")
def work(job_id: int) -> None:
    """Work on a job, if it is still to be had, and on what follows from it; sweep in between."""
    loop.work(job_id)
    sweeper.sweep_if_due()


@shared_task(name="filing.sweep")
def sweep() -> None:
    """Take care of what killed processes left behind."""
    sweeper.sweep()


@shared_task(name="filing.sweep_staged")
def sweep_staged() -> None:
    """Delete files of reference data that nobody has let count."""
    loading.sweep()


@shared_task(name="filing.sweep_emails")
def sweep_emails() -> None:
    """Delete emails that were asked for long ago."""
    requested.prune()


@shared_task(name="filing.check_rights")
def check_rights() -> None:
    """End memberships that no longer hold, and disable accounts that nobody uses."""
    memberships.check()
    accounts.check_unused()
