"""The jobs of a process that has ended: soon free for others, later after each attempt."""

from __future__ import annotations

import socket
import subprocess
import time
from datetime import timedelta

import pytest
from django.utils import timezone

from filing import submissions
from filing.jobs import claims, ended_processes, owners, queue
from filing.models import Job
from filing.statuses import Event
from tests.filing.jobs.waiting_jobs import let_the_lease_run_out

pytestmark = pytest.mark.django_db


def seconds_left(job: Job) -> float:
    until = Job.objects.get(pk=job.pk).lease_until
    assert until is not None
    return (until - timezone.now()).total_seconds()


def claimed_by_an_ended_process(job: Job) -> None:
    claims.claim(job.pk)
    let_it_belong_to_an_ended_process(job)


def let_it_belong_to_an_ended_process(job: Job, machine: str = "") -> None:
    """Let the claim be one of a process that has ended. machine: by default this one."""
    with subprocess.Popen(["true"]) as process:
        process.wait()
    owner = f"{machine or owners.of_this_machine()}{process.pid}:0123456789ab"
    Job.objects.filter(pk=job.pk).update(owner=owner)


def after_attempts(job: Job, number: int) -> None:
    for _ in range(number):
        let_the_lease_run_out(job)
        claimed_by_an_ended_process(job)


@pytest.mark.parametrize(("attempts", "pause"), [(1, 2), (2, 4), (3, 8)])
def test_a_lease_ends_soon_and_later_after_further_attempts(job, attempts, pause):
    after_attempts(job, attempts)
    [(at, ended)] = ended_processes.end_leases()
    assert ended == job
    assert pause - 1 < at - time.monotonic() <= pause
    assert pause - 1 < seconds_left(job) <= pause


def test_a_job_of_a_process_that_is_there_keeps_its_lease(job):
    claims.claim(job.pk)
    before = seconds_left(job)
    assert ended_processes.end_leases() == []
    assert before - 1 < seconds_left(job) <= before


@pytest.mark.parametrize(
    "machine",
    ["elsewhere-01234567:", f"{socket.gethostname()}-01234567:", f"{socket.gethostname()}:"],
)
def test_a_job_of_another_machine_keeps_its_lease_even_if_that_has_the_same_name(job, machine):
    claims.claim(job.pk)
    let_it_belong_to_an_ended_process(job, machine)
    before = seconds_left(job)
    assert ended_processes.end_leases() == []
    assert before - 1 < seconds_left(job) <= before


def test_an_upload_in_parts_rests_without_a_process(submission):
    submissions.move(submission, Event.UPLOAD_STARTED)
    upload = Job.objects.get(pk=claims.occupy(submission, "upload").job_id)
    let_it_belong_to_an_ended_process(upload)
    assert ended_processes.end_leases() == []


def test_a_lease_that_ends_sooner_is_left_alone(job):
    claimed_by_an_ended_process(job)
    let_the_lease_run_out(job)
    ended_processes.end_leases()
    assert seconds_left(job) < 0


def test_a_job_that_was_finished_is_left_alone(job):
    claimed_by_an_ended_process(job)
    Job.objects.filter(pk=job.pk).update(state=Job.State.DONE, lease_until=None)
    assert ended_processes.end_leases() == []


def began_earlier(job: Job, seconds: float) -> None:
    Job.objects.filter(pk=job.pk).update(started_at=timezone.now() - timedelta(seconds=seconds))


@pytest.mark.parametrize(("seconds", "may_hang"), [(1, False), (4, True), (60, True)])
def test_a_small_file_that_may_hang_goes_to_the_queue_of_large_files(job, seconds, may_hang):
    claimed_by_an_ended_process(job)
    began_earlier(job, seconds)
    [(_, ended)] = ended_processes.end_leases()
    assert (ended.large, Job.objects.get(pk=job.pk).large) == (may_hang, may_hang)


@pytest.mark.parametrize(("attempts", "pause"), [(1, 2), (2, 4), (3, 30), (4, 60), (5, 2)])
def test_a_file_that_may_hang_waits_longer(job, attempts, pause):
    after_attempts(job, attempts)
    began_earlier(job, 30)
    ended_processes.end_leases()
    assert pause - 1 < seconds_left(job) <= pause


def test_the_pause_goes_on_when_another_child_starts_and_it_rings_again(job):
    claimed_by_an_ended_process(job)
    began_earlier(job, 30)
    [(first, _)] = ended_processes.end_leases()
    before = Job.objects.get(pk=job.pk).lease_until
    time.sleep(0.3)
    [(second, ended)] = ended_processes.end_leases()
    assert ended == job
    assert Job.objects.get(pk=job.pk).lease_until == before
    assert abs(second - first) < 0.2


def test_other_work_may_take_as_long_as_it_does(job):
    errand = queue.add("mail")
    claimed_by_an_ended_process(errand)
    began_earlier(errand, 3600)
    [(at, ended)] = ended_processes.end_leases()
    assert ended.large == errand.large
    assert at - time.monotonic() <= 2
