"""Kinds of job are registered: a name stands for one, and the job table takes no other."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from filing import registries
from filing.jobs import loop, queue
from filing.models import Job, Submission
from filing.registries import JobKind, Lease, RetryPolicy


def work(lease: Lease) -> None:
    with transaction.atomic():
        lease.finish()


def trouble(lease: Lease) -> None:
    raise OSError("disk full")


@pytest.fixture(autouse=True)
def as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test registers is gone afterwards."""
    monkeypatch.setattr(registries, "JOB_KINDS", dict(registries.JOB_KINDS))


def test_a_name_stands_for_one_kind() -> None:
    registries.register_job_kinds(JobKind("weigh", work))
    registries.register_job_kinds(JobKind("weigh", work))  # the same once more is no other
    with pytest.raises(ValueError, match="another kind of job named 'weigh'"):
        registries.register_job_kinds(JobKind("weigh", trouble))
    with pytest.raises(ValueError, match="another kind of job named 'parse'"):
        registries.register_job_kinds(JobKind("parse", work))


@pytest.mark.parametrize("name", ["", "x" * 41])
def test_a_name_fits_into_its_column(name: str) -> None:
    with pytest.raises(ValueError, match="in 1 to 40 characters"):
        registries.register_job_kinds(JobKind(name, work))


def test_something_works_on_each_kind() -> None:
    with pytest.raises(ValueError, match="The kind of job 'weigh' has no function that runs it"):
        registries.register_job_kinds(JobKind("weigh"))


@pytest.mark.django_db
def test_the_job_table_takes_no_kind_that_nobody_registered() -> None:
    refused = pytest.raises(ValueError, match="No app has registered 'weigh' as stage of jobs")
    with refused, transaction.atomic():
        queue.add_job("weigh")
    with refused, transaction.atomic():
        Job.objects.bulk_create([Job(stage="weigh")])
    registries.register_job_kinds(JobKind("weigh", work))
    assert queue.add_job("weigh").stage == "weigh"


@pytest.mark.django_db
def test_a_kind_is_tried_as_often_as_it_says() -> None:
    attempts = 2
    registries.register_job_kinds(
        JobKind("weigh", trouble, RetryPolicy(attempts=attempts, first_pause_seconds=60))
    )
    job = queue.add_job("weigh")
    for number in range(1, attempts + 1):
        Job.objects.update(not_before=timezone.now() - timedelta(seconds=1))
        assert queue.find_first_job("other") == job
        loop.run_job(job.pk)
        job.refresh_from_db()
        assert job.attempts == number
    assert job.state == "failed"


@pytest.mark.django_db
def test_a_job_whose_area_was_taken_away_says_so_and_is_given_up() -> None:
    job = queue.add_job("season")
    Job.objects.update(stage="weigh")
    for _ in range(registries.USUAL_RETRY_POLICY.attempts):
        Job.objects.update(not_before=timezone.now())
        loop.run_job(job.pk)
    job.refresh_from_db()
    assert job.state == "failed"
    assert job.last_error == "LookupError: No app has registered the kind of job 'weigh'."
    job.save()  # a row that is there may be kept
    assert job.get_stage_display() == "weigh"


@pytest.mark.django_db
def test_stages_have_a_submission_and_all_other_kinds_have_none(submission: Submission) -> None:
    registries.register_job_kinds(JobKind("weigh", work))
    for stage, about in (("parse", None), ("weigh", submission), ("mail", submission)):
        with pytest.raises(IntegrityError), transaction.atomic():
            Job.objects.create(stage=stage, submission=about)
