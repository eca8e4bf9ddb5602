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


@pytest.fixture
def hanging_after(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds after which the attempts of a new process count as hanging; none is ended."""
    seconds: list[float] = []

    def note(after: float, **options: Any) -> None:
        seconds.append(after)

    monkeypatch.setattr(faulthandler, "dump_traceback_later", note)
    monkeypatch.setattr(leases, "_is_ready", threading.Event())
    return seconds


def make_lease() -> JobLease:
    return JobLease(1, "parse", 1, "worker-1", timezone.now(), still_seconds=0.5)


def wait_for(count: int, seconds: list[float]) -> None:
    until = time.monotonic() + 30
    while len(seconds) < count:
        assert time.monotonic() < until
        time.sleep(0.01)


def test_a_process_has_longer_until_its_first_progress(settings: Any, hanging_after: list[float]):
    settings.JOB_STILL_SECONDS = 120
    lease = make_lease()
    with lease.renewed():
        wait_for(1, hanging_after)
        lease.moves()
        wait_for(2, hanging_after)
    assert hanging_after == [120, 0.5]


def test_a_second_attempt_of_a_process_has_no_longer(settings: Any, hanging_after: list[float]):
    settings.JOB_STILL_SECONDS = 120
    for count in (1, 2):
        with make_lease().renewed():
            wait_for(count, hanging_after)
    assert hanging_after == [120, 0.5]
