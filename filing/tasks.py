"""The Celery tasks: each takes an id at most, and calls one or two functions."""

from __future__ import annotations

from celery import shared_task

from filing.emails import requested, subscriptions
from filing.figures import peers
from filing.jobs import loop, sweeper
from filing.jobs.queue import FILE_QUEUES
from filing.lists import schedules
from filing.people import accounts, look_reminders, memberships
from filing.receipts import documents
from filing.reference_data import loading
from filing.submissions import record_counts, rules_run


@shared_task(name="filing.work")
def work(*, queue: str = "", large: bool = False) -> None:
    """Run the jobs that wait in a queue; sweep when due. large: in messages of release 1.0."""
    loop.run_queue(queue or FILE_QUEUES[large])
    sweeper.sweep_jobs_if_due()


@shared_task(name="filing.sweep")
def sweep() -> None:
    """Recover the jobs of processes that were killed."""
    sweeper.sweep_jobs()


@shared_task(name="filing.sweep_staged")
def sweep_staged() -> None:
    """Delete reference data files that were staged but never activated."""
    loading.delete_staged_files()


@shared_task(name="filing.sweep_emails")
def sweep_emails() -> None:
    """Delete requested emails of long ago."""
    requested.prune_requested_emails()


@shared_task(name="filing.check_rights")
def check_rights() -> None:
    """End memberships that no longer hold, and disable unused accounts."""
    memberships.check_memberships()
    accounts.check_unused_accounts()


@shared_task(name="filing.remind_administrators")
def remind_administrators() -> None:
    """Remind administrators to confirm the list of their institution's people."""
    look_reminders.remind_administrators()


@shared_task(name="filing.run_outdated_edits")
def run_outdated_edits() -> None:
    """Run the edits again on files that were checked with rules no longer in force."""
    rules_run.run_outdated_again()


@shared_task(name="filing.issue_receipts")
def issue_receipts() -> None:
    """Issue signed receipts for signatures that have none."""
    documents.catch_up_receipts()


@shared_task(name="filing.queue_lists")
def queue_lists() -> None:
    """Queue the lists whose hour has come."""
    schedules.queue_due_lists()


@shared_task(name="filing.find_events")
def find_events() -> None:
    """Tell subscribers of jobs that failed and queues that wait."""
    subscriptions.find_events()


@shared_task(name="filing.send_digests")
def send_digests() -> None:
    """Send the daily digests of events."""
    subscriptions.send_digests()


@shared_task(name="filing.count_records")
def count_records() -> None:
    """Count the records of signed files for figures, and those that corrections changed."""
    record_counts.count_signed_files()
    record_counts.compare_corrections()


@shared_task(name="filing.compute_peer_shares")
def compute_peer_shares() -> None:
    """Compute how often institutions of each size triggered edits."""
    peers.compute_peer_shares()
