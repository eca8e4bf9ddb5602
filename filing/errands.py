"""Works on jobs that are no stage of a submission, of whatever kinds there are (see `kinds`)."""

from __future__ import annotations

import logging

from django.db import transaction

from filing import jobs, kinds, notify
from filing.errors import Hopeless, LostLease
from filing.jobs import Lease
from filing.persisting import is_without_room, persist

log = logging.getLogger(__name__)


def attempt(lease: Lease) -> None:
    """Work on an errand once, and ring for the next of its kind."""
    try:
        with lease.kept():
            kinds.run(lease)
        log.info("%s done", lease.stage)
    except LostLease:
        log.warning("Job %s was taken over while it was worked on", lease.job_id)
    except Hopeless as error:
        log.warning("Job %s (%s) is given up: %s", lease.job_id, lease.stage, error)
        _give_up(lease, str(error))
    # Whatever else can go wrong, the job must be tried again and in the end given up.
    except Exception as error:
        log.exception("Job %s (%s) failed", lease.job_id, lease.stage)
        failure = error
        persist(lambda: _try_again(lease, failure))
    if waiting := jobs.next_errand(lease.stage):
        notify.ring(waiting)


def _try_again(lease: Lease, error: Exception) -> None:
    reason = f"{type(error).__name__}: {error}"
    if is_without_room(error) and lease.wait_for_room(reason):
        return
    if lease.attempt < jobs.patience(lease.stage).attempts:
        lease.release(reason)
    else:
        _give_up(lease, reason)


def _give_up(lease: Lease, error: str) -> None:
    try:
        with transaction.atomic():
            lease.fail(error)
    except LostLease:
        log.warning("Job %s was taken over before it could be given up", lease.job_id)
