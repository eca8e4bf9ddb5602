"""Work that is about no submission: tried again, given up."""

from __future__ import annotations

import errno
from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.utils import timezone

from filing import registries
from filing.errors import Hopeless
from filing.jobs import leases, loop, queue, sweeper
from filing.models import Attempt, Job
from filing.registries import JobKind, Lease

pytestmark = pytest.mark.django_db


def no_use(lease: Lease) -> None:
    raise Hopeless("There is nobody there.")


@pytest.fixture
def job() -> Job:
    return queue.add_job("season")


def work(job: Job) -> Job:
    Job.objects.filter(state="queued").update(not_before=timezone.now())
    loop.run_job(job.pk)
    job.refresh_from_db()
    return job


@pytest.mark.servers
def test_a_wrong_statement_costs_an_attempt(job, monkeypatch):
    def mistake(lease: Lease) -> None:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SELECT no_such_column FROM filing_job")

    monkeypatch.setitem(registries.JOB_KINDS, "season", JobKind("season", mistake))
    for attempt in range(1, 5):
        assert (work(job).state, job.attempts) == ("queued", attempt)
    assert work(job).state == "failed"


def test_a_full_disk_costs_an_errand_no_attempt_for_an_hour(job, monkeypatch):
    def full(lease: Lease) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setitem(registries.JOB_KINDS, "season", JobKind("season", full))
    for _ in range(7):
        assert (work(job).state, job.attempts) == ("queued", 0)
        assert job.not_before > timezone.now()
    assert "No space left on device" in job.last_error
    Job.objects.update(queued_at=timezone.now() - leases.FULL_DISK_WAIT)
    for attempt in range(1, 5):
        assert (work(job).state, job.attempts) == ("queued", attempt)
    assert work(job).state == "failed"
    assert Attempt.objects.count() == 12


def test_an_errand_of_no_use_is_given_up_at_once(job, monkeypatch):
    monkeypatch.setitem(registries.JOB_KINDS, "season", JobKind("season", no_use))
    assert (work(job).state, job.attempts) == ("failed", 1)
    assert job.last_error == "There is nobody there."


@pytest.mark.servers
def test_errands_that_a_killed_worker_left_are_given_up_after_their_attempts(job):
    Job.objects.update(
        state="running", owner="gone", attempts=5, lease_until=timezone.now() - timedelta(minutes=1)
    )
    sweeper.sweep_jobs()
    job.refresh_from_db()
    assert job.state == "failed"
