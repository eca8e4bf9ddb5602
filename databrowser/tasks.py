"""Tasks of the queue, each of which calls one function."""

from __future__ import annotations

from celery import shared_task

from databrowser.publication.builds import build_requests, text_files
from databrowser.publication.modified_lars import lar_requests
from databrowser.publication.versions import retention
from databrowser.reports import report_jobs


@shared_task(name="databrowser.publish")
def publish() -> None:
    """Request builds of the years with newly signed submissions."""
    build_requests.request_due_builds()


@shared_task(name="databrowser.sweep")
def sweep() -> None:
    """Remove what is not kept of versions, and do again what is missing or outdated."""
    retention.sweep_versions()
    text_files.discard_older_texts()
    lar_requests.renew_outdated_lars()
    report_jobs.request_missing_reports()
