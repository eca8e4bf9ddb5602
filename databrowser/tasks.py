"""The queue's doors: a task calls one function, and nothing else."""

from __future__ import annotations

from celery import shared_task

from databrowser.publication.builds import build_requests
from databrowser.publication.disclosing import modified_lars
from databrowser.publication.versions import retention


@shared_task(name="databrowser.publish")
def publish() -> None:
    """Ask for builds of the years in which somebody has signed."""
    build_requests.publish_what_is_new()


@shared_task(name="databrowser.sweep")
def sweep() -> None:
    """Remove versions that nobody goes back to, and renew public rows written the former way."""
    retention.sweep()
    modified_lars.renew()
