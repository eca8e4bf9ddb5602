"""Attempts: each is kept with how it ended, once."""

from __future__ import annotations

import pytest
from django.db import transaction
from django.utils import timezone

from filing.jobs import claims, sweeper
from filing.models import Attempt, Job
from tests.filing.jobs.waiting_jobs import let_the_lease_run_out

pytestmark = [pytest.mark.django_db, pytest.mark.servers]


def attempts(job: Job) -> list[tuple[int, str, int, str]]:
    found = Attempt.objects.filter(job=job)
    return [(each.number, each.outcome, each.rows, each.error) for each in found]


def test_each_attempt_is_kept_with_how_it_ended(job):
    lease = claims.claim_job(job.pk)
    lease.rows_done = 40_000
    lease.renew()
    let_the_lease_run_out(job)
    gone = "The worker did not respond for 30 seconds."
    second = claims.claim_job(job.pk)
    second.release("disk full")
    Job.objects.filter(pk=job.pk).update(not_before=timezone.now())
    third = claims.claim_job(job.pk)
    third.rows_done = 90_000
    with transaction.atomic():
        third.finish()
    assert attempts(job) == [
        (1, "lost", 40_000, gone),
        (2, "released", 0, "disk full"),
        (3, "done", 90_000, ""),
    ]
    for each in Attempt.objects.filter(job=job):
        assert each.started_at is not None
        assert each.started_at <= each.ended_at


def test_the_last_attempt_of_a_killed_worker_is_kept_by_the_sweeper(job):
    for _ in range(5):
        claims.claim_job(job.pk)
        let_the_lease_run_out(job)
    sweeper.sweep_jobs()
    assert [each[:2] for each in attempts(job)] == [(number, "lost") for number in range(1, 6)]
