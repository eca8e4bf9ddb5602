"""What waits: in which order jobs are taken."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import transaction
from django.utils import timezone

from filing import submissions
from filing.jobs import claims, queue
from filing.models import Job
from tests.filing.jobs.waiting_jobs import let_it_wait, let_the_lease_run_out, queued

pytestmark = [pytest.mark.django_db, pytest.mark.servers]


def test_what_was_left_behind_comes_before_what_waits_longer(job, next_job, filer):
    let_it_wait(job, 600)
    claims.claim_job(next_job.pk)
    let_the_lease_run_out(next_job)
    queued(job, filer)
    for expected in (next_job, job):
        assert queue.find_first_job("small") == expected
        claims.claim_job(expected.pk)
    assert queue.find_first_job("small") is None  # the institution has two jobs


def test_what_was_left_behind_once_comes_before_what_ends_each_worker(job, elsewhere):
    let_it_wait(job, 600)
    for each in (job, job, elsewhere):
        claims.claim_job(each.pk)
        let_the_lease_run_out(each)
    for expected in (elsewhere, job):
        Job.objects.update(large=True)
        assert queue.find_first_job("large") == expected
        claims.claim_job(expected.pk)


def test_a_next_attempt_comes_before_younger_jobs_once_its_pause_is_over(job, next_job):
    let_it_wait(job, 600)
    let_it_wait(next_job, 60)
    claims.claim_job(job.pk).release("disk full")
    assert queue.find_first_job("small") == next_job
    Job.objects.filter(pk=job.pk).update(not_before=timezone.now())
    assert queue.find_first_job("small") == job


def test_a_job_that_no_worker_may_take_holds_up_no_other(job, next_job, filer, settings):
    settings.JOBS_PER_INSTITUTION = 1
    claims.claim_job(job.pk)
    let_it_wait(next_job, 600)
    assert queue.find_first_job("small") is None  # the institution has its one job
    let_the_lease_run_out(job)
    Job.objects.filter(pk=job.pk).update(attempts=5)  # the sweeper gives it up
    assert queue.find_first_job("small") == next_job
    upload = submissions.create_submission(
        lei=job.submission.lei, period=job.submission.period, by=filer
    )
    with transaction.atomic():
        lease = claims.occupy_job(upload, "upload")
    Job.objects.filter(pk=lease.job_id).update(lease_until=timezone.now() - timedelta(hours=1))
    assert queue.find_first_job("small") == next_job


def test_an_errand_that_was_left_behind_is_taken_up_as_long_as_it_may_be_tried(db):
    mail = queue.add_job("mail")
    claims.claim_job(mail.pk)
    let_the_lease_run_out(mail)
    for attempts, expected in ((9, mail), (10, None)):
        Job.objects.filter(pk=mail.pk).update(attempts=attempts)
        assert queue.find_first_job("messages") == expected


def test_small_and_large_files_do_not_wait_for_each_other(job, filer):
    large = queued(job, filer, large=True)
    for each in (job, large):
        let_it_wait(each, 600)
    assert queue.find_first_job("large") == large
    assert queue.find_first_job("small") == job


def test_an_institution_with_many_files_takes_turns_with_those_that_come_later(
    job, next_job, filer, elsewhere
):
    later = [queued(job, filer) for _ in range(2)]
    order = []
    while following := queue.find_first_job("small"):
        order.append(following)
        with transaction.atomic():
            claims.claim_job(following.pk).finish()
    assert order == [job, elsewhere, next_job, *later]


def test_the_turns_of_an_institution_begin_anew_once_its_files_have_been_taken(
    job, next_job, filer
):
    turns = [
        Job.objects.get(pk=each.pk).fair_queued_at for each in (job, next_job, queued(job, filer))
    ]
    assert turns == [
        None,
        job.queued_at + queue.FAIRNESS_STEP,
        job.queued_at + 2 * queue.FAIRNESS_STEP,
    ]
    for each in Job.objects.all():
        with transaction.atomic():
            claims.claim_job(each.pk).finish()
    assert Job.objects.get(pk=queued(job, filer).pk).fair_queued_at is None
    queue.requeue_job(Job.objects.get(pk=next_job.pk))
    assert Job.objects.get(pk=next_job.pk).fair_queued_at is None


def test_a_place_in_the_queue_counts_the_files_that_are_taken_before(job, next_job, filer):
    lei = job.submission.lei
    queue.add_job("mail")
    queued(job, filer, large=True)
    assert queue.find_queue_position(job, lei) == queue.QueuePosition(0, is_held=False)
    assert queue.find_queue_position(next_job, lei) == queue.QueuePosition(1, is_held=False)
    later = timezone.now() + timedelta(minutes=1)
    Job.objects.filter(pk=job.pk).update(not_before=later)  # it waits to retry
    assert queue.find_queue_position(next_job, lei).ahead == 0
    claims.claim_job(next_job.pk)
    let_the_lease_run_out(next_job)
    assert queue.find_queue_position(job, lei).ahead == 1


def test_a_place_in_the_queue_counts_those_whose_turn_is_before(job, next_job, elsewhere):
    jobs = [Job.objects.get(pk=each.pk) for each in (job, elsewhere, next_job)]
    places = [queue.find_queue_position(each, each.submission.lei).ahead for each in jobs]
    assert places == [0, 1, 2]


def test_a_place_is_one_query_and_knows_that_the_institution_is_busy(
    job, next_job, filer, settings, django_assert_num_queries
):
    settings.JOBS_PER_INSTITUTION = 1
    claims.claim_job(job.pk)
    with django_assert_num_queries(1):
        assert queue.find_queue_position(next_job, job.submission.lei) == queue.QueuePosition(
            0, is_held=True
        )
