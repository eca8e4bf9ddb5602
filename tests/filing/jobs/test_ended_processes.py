"""The jobs of a process that has ended: soon free for others, later after each attempt."""

from __future__ import annotations

import os
import time
from datetime import timedelta

import pytest
from django.utils import timezone

from filing.jobs import claims, ended_processes, queue
from filing.models import Job
from tests.filing.jobs.waiting_jobs import let_the_lease_run_out

pytestmark = pytest.mark.django_db


def seconds_left(job: Job) -> float:
    until = Job.objects.get(pk=job.pk).lease_until
    assert until is not None
    return (until - timezone.now()).total_seconds()


@pytest.mark.parametrize(("attempts", "pause"), [(1, 2), (2, 4), (3, 8)])
def test_a_lease_ends_soon_and_later_after_further_attempts(job, attempts, pause):
    for _ in range(attempts):
        let_the_lease_run_out(job)
        claims.claim(job.pk)
    [(at, ended)] = ended_processes.end_leases(os.getpid())
    assert ended == job
    assert pause - 1 < at - time.monotonic() <= pause
    assert pause - 1 < seconds_left(job) <= pause


def test_jobs_of_other_processes_keep_their_leases(job):
    claims.claim(job.pk)
    before = seconds_left(job)
    assert ended_processes.end_leases(os.getpid() + 1) == []
    assert ended_processes.end_leases(os.getpid() // 10) == []
    assert before - 1 < seconds_left(job) <= before


def test_a_lease_that_ends_sooner_is_left_alone(job):
    claims.claim(job.pk)
    let_the_lease_run_out(job)
    ended_processes.end_leases(os.getpid())
    assert seconds_left(job) < 0


def test_a_job_that_was_finished_is_left_alone(job):
    claims.claim(job.pk)
    Job.objects.filter(pk=job.pk).update(state=Job.State.DONE, lease_until=None)
    assert ended_processes.end_leases(os.getpid()) == []


def began_earlier(job: Job, seconds: float) -> None:
    Job.objects.filter(pk=job.pk).update(started_at=timezone.now() - timedelta(seconds=seconds))


@pytest.mark.parametrize(("seconds", "may_hang"), [(1, False), (4, True), (60, True)])
def test_a_small_file_that_may_hang_goes_to_the_queue_of_large_files(job, seconds, may_hang):
    claims.claim(job.pk)
    began_earlier(job, seconds)
    [(_, ended)] = ended_processes.end_leases(os.getpid())
    assert (ended.large, Job.objects.get(pk=job.pk).large) == (may_hang, may_hang)


@pytest.mark.parametrize(("attempts", "pause"), [(1, 2), (2, 4), (3, 30), (4, 60), (5, 2)])
def test_a_file_that_may_hang_waits_longer(job, attempts, pause):
    for _ in range(attempts):
        let_the_lease_run_out(job)
        claims.claim(job.pk)
    began_earlier(job, 30)
    ended_processes.end_leases(os.getpid())
    assert pause - 1 < seconds_left(job) <= pause


def test_other_work_may_take_as_long_as_it_does(job):
    errand = queue.add("mail")
    claims.claim(errand.pk)
    began_earlier(errand, 3600)
    [(at, ended)] = ended_processes.end_leases(os.getpid())
    assert ended.large == errand.large
    assert at - time.monotonic() <= 2
