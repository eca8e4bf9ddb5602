"""Leases: renewed, finished, given back; and lost to the next worker."""

from __future__ import annotations

import faulthandler
import threading
import time
from typing import Any

import pytest
from django.db import connection, transaction
from django.utils import timezone

from filing.errors import LostLease
from filing.jobs import claims, leases
from filing.jobs.leases import JobLease
from filing.models import Job
from tests.filing.jobs.waiting_jobs import let_the_lease_run_out

pytestmark = pytest.mark.django_db


@pytest.mark.servers
def test_a_job_whose_lease_is_over_goes_to_the_next_and_the_first_writes_nothing(job):
    slow = claims.claim_job(job.pk)
    let_the_lease_run_out(job)
    quick = claims.claim_job(job.pk)
    assert quick is not None
    assert quick.attempt == 2
    with pytest.raises(LostLease):
        slow.renew()
    assert slow.lost.is_set()
    with pytest.raises(LostLease), transaction.atomic():
        slow.finish()
    assert slow.release("too late") is False
    with transaction.atomic():
        quick.finish()
    assert Job.objects.get(pk=job.pk).state == "done"


def test_finishing_outside_the_transaction_of_the_results_is_a_mistake(job):
    lease = claims.claim_job(job.pk)
    connection.in_atomic_block, was = False, connection.in_atomic_block
    try:
        with pytest.raises(RuntimeError):
            lease.finish()
    finally:
        connection.in_atomic_block = was


@pytest.mark.servers
def test_after_an_error_a_job_waits_longer_each_time(job):
    pauses = []
    for _ in range(4):
        Job.objects.filter(pk=job.pk).update(not_before=timezone.now())
        lease = claims.claim_job(job.pk)
        lease.release("disk full")
        waiting = Job.objects.get(pk=job.pk)
        pauses.append(round((waiting.not_before - timezone.now()).total_seconds()))
        assert (waiting.state, waiting.last_error) == ("queued", "disk full")
        assert claims.claim_job(job.pk) is None
    assert pauses == [1, 2, 4, 8]
