"""The job table: claims, leases, and what becomes of work whose worker is gone."""

from __future__ import annotations

import threading
import time
from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.utils import timezone

from filing import jobs, pipeline, submissions, tasks
from filing.access import Caller
from filing.errors import LostLease
from filing.models import Attempt, Job, Submission
from filing.statuses import Event, Status

pytestmark = pytest.mark.django_db


@pytest.fixture
def job(submission: Submission) -> Job:
    """A file that waits to be parsed."""
    submissions.move(submission, Event.UPLOAD_STARTED)
    submissions.move(submission, Event.UPLOAD_FINISHED)
    with transaction.atomic():
        return jobs.queue(submission, "parse")


def let_the_lease_run_out(job: Job) -> None:
    Job.objects.filter(pk=job.pk).update(lease_until=timezone.now() - timedelta(seconds=1))


def test_a_job_is_had_by_one_worker(job):
    first, second = jobs.claim(job.pk), jobs.claim(job.pk)
    assert first is not None
    assert second is None
    assert (first.stage, first.attempt) == ("parse", 1)


@pytest.mark.django_db(transaction=True)
def test_of_many_workers_that_hear_the_bell_one_gets_the_job(job):
    got = []
    barrier = threading.Barrier(12)

    def worker() -> None:
        barrier.wait()
        try:
            got.append(jobs.claim(job.pk))
        finally:
            connection.close()

    threads = [threading.Thread(target=worker) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(got) == 12
    assert sum(lease is not None for lease in got) == 1


def test_a_job_whose_lease_is_over_goes_to_the_next_and_the_first_writes_nothing(job):
    slow = jobs.claim(job.pk)
    let_the_lease_run_out(job)
    quick = jobs.claim(job.pk)
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
    lease = jobs.claim(job.pk)
    connection.in_atomic_block, was = False, connection.in_atomic_block
    try:
        with pytest.raises(RuntimeError):
            lease.finish()
    finally:
        connection.in_atomic_block = was


def test_after_an_error_a_job_waits_longer_each_time(job):
    pauses = []
    for _ in range(4):
        Job.objects.filter(pk=job.pk).update(not_before=timezone.now())
        lease = jobs.claim(job.pk)
        lease.release("disk full")
        waiting = Job.objects.get(pk=job.pk)
        pauses.append(round((waiting.not_before - timezone.now()).total_seconds()))
        assert (waiting.state, waiting.last_error) == ("queued", "disk full")
        assert jobs.claim(job.pk) is None
    assert pauses == [1, 2, 4, 8]


def test_when_the_pause_is_over_the_next_sweep_rings(job):
    jobs.claim(job.pk).release("disk full")
    pipeline.sweep()
    rung = Job.objects.get(pk=job.pk).rung_at
    assert rung < Job.objects.get(pk=job.pk).not_before
    time.sleep(1)
    pipeline.sweep()
    assert Job.objects.get(pk=job.pk).rung_at > rung
    pipeline.sweep()
    assert not jobs.waiting_too_long(15).exists()


def test_progress_is_published_with_each_renewal(job):
    lease = jobs.claim(job.pk)
    lease.rows_done, lease.rows_total = 40_000, 90_000
    lease.renew()
    seen = Job.objects.get(pk=job.pk)
    assert (seen.rows_done, seen.rows_total) == (40_000, 90_000)


def test_an_institution_has_only_so_many_jobs_at_a_time(job, filer, settings):
    settings.JOBS_PER_INSTITUTION = 1
    second = submissions.create(lei=job.submission.lei, period=job.submission.period, by=filer)
    with transaction.atomic():
        other = jobs.queue(second, "parse")
    assert jobs.claim(job.pk) is not None
    assert jobs.claim(other.pk) is None
    let_the_lease_run_out(job)
    assert jobs.claim(other.pk) is not None


def test_what_a_killed_worker_left_is_rung_for_again(job, django_capture_on_commit_callbacks):
    jobs.claim(job.pk)
    let_the_lease_run_out(job)
    Job.objects.filter(pk=job.pk).update(rung_at=timezone.now() - timedelta(hours=1))
    pipeline.sweep()
    rung = Job.objects.get(pk=job.pk).rung_at
    assert timezone.now() - rung < timedelta(minutes=1)


def test_after_five_lost_attempts_the_submission_fails_with_a_reason(job):
    for attempt in range(1, 6):
        pipeline.sweep()
        lease = jobs.claim(job.pk)
        assert lease is not None
        assert lease.attempt == attempt
        let_the_lease_run_out(job)
    assert jobs.claim(job.pk) is None
    pipeline.sweep()
    submission = Submission.objects.get(pk=job.submission_id)
    assert submission.status == Status.FAILED
    assert "5 attempts" in submission.failure
    assert "reference" in submission.failure
    assert Job.objects.get(pk=job.pk).state == "failed"


def test_a_stage_that_always_fails_is_tried_five_times_and_then_given_up(job):
    # The file it should read was never stored.
    for attempt in range(1, 6):
        Job.objects.filter(pk=job.pk).update(not_before=timezone.now())
        pipeline.work(job.pk)
        seen = Job.objects.get(pk=job.pk)
        assert (seen.attempts, seen.state) == (attempt, "failed" if attempt == 5 else "queued")
        assert seen.last_error
    submission = Submission.objects.get(pk=job.submission_id)
    assert submission.status == Status.FAILED
    assert "help desk" in submission.failure


def test_an_abandoned_upload_goes_back_to_the_beginning(submission, filer):
    with transaction.atomic():
        submissions.move(submission, Event.UPLOAD_STARTED)
        lease = jobs.occupy(submission, "upload")
    pipeline.sweep()
    submission.refresh_from_db()
    assert submission.status == Status.UPLOADING
    Job.objects.filter(pk=lease.job_id).update(lease_until=timezone.now() - timedelta(seconds=1))
    pipeline.sweep()
    submission.refresh_from_db()
    assert submission.status == Status.CREATED
    with pytest.raises(LostLease), transaction.atomic():
        lease.finish()
    # It may be tried again.
    with submissions.receiving(submission, by=filer) as again:
        assert again.attempt == 2


def test_the_sweepers_of_two_workers_do_each_thing_once(job):
    for _ in range(5):
        jobs.claim(job.pk)
        let_the_lease_run_out(job)
    pipeline.sweep()
    pipeline.sweep()
    failures = job.submission.changes.filter(event=Event.FAILED.name)
    assert failures.count() == 1


def attempts(job: Job) -> list[tuple[int, str, int, str]]:
    found = Attempt.objects.filter(job=job)
    return [(each.number, each.outcome, each.rows, each.error) for each in found]


def test_each_attempt_is_kept_with_how_it_ended(job):
    lease = jobs.claim(job.pk)
    lease.rows_done = 40_000
    lease.renew()
    let_the_lease_run_out(job)
    gone = "Nothing was heard of it for 30 seconds."
    second = jobs.claim(job.pk)
    second.release("disk full")
    Job.objects.filter(pk=job.pk).update(not_before=timezone.now())
    third = jobs.claim(job.pk)
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


def test_of_an_attempt_that_lost_its_job_only_the_loss_is_kept(job):
    slow = jobs.claim(job.pk)
    let_the_lease_run_out(job)
    quick = jobs.claim(job.pk)
    slow.release("too late")
    with transaction.atomic():
        quick.fail("cannot be read")
    assert [each[:2] for each in attempts(job)] == [(1, "lost"), (2, "failed")]
    for _ in range(2):  # what has ended is not swept
        pipeline.sweep()
    assert len(attempts(job)) == 2


def test_the_last_attempt_of_a_killed_worker_is_kept_by_the_sweeper(job):
    for _ in range(5):
        jobs.claim(job.pk)
        let_the_lease_run_out(job)
    pipeline.sweep()
    assert [each[:2] for each in attempts(job)] == [(number, "lost") for number in range(1, 6)]


def test_errands_wait_for_submissions_when_the_sweeper_rings(job):
    hour_ago = timezone.now() - timedelta(hours=1)
    errands = [jobs.errand("mail") for _ in range(3)]
    Job.objects.update(rung_at=hour_ago)
    assert list(jobs.waiting_too_long(15)) == [job, *errands]


@pytest.fixture
def next_job(job: Job, filer: Caller) -> Job:
    """The next file of the same institution, which waits to be parsed, too."""
    return queued(job, filer)


def queued(job: Job, by: Caller, *, large: bool = False) -> Job:
    filing = job.submission.filing
    submission = submissions.create(lei=filing.institution.lei, period=filing.period.period, by=by)
    submissions.move(submission, Event.UPLOAD_STARTED)
    submissions.move(submission, Event.UPLOAD_FINISHED)
    with transaction.atomic():
        made = jobs.queue(submission, "parse")
    Job.objects.filter(pk=made.pk).update(large=large)
    return made


def attempts_made(*of: Job) -> list[int]:
    return [Job.objects.get(pk=job.pk).attempts for job in of]


def let_it_wait(job: Job, seconds: int) -> None:
    since = timezone.now() - timedelta(seconds=seconds)
    Job.objects.filter(pk=job.pk).update(not_before=since, queued_at=since, rung_at=since)


def test_what_a_killed_worker_left_is_taken_before_the_job_that_was_rung_for(job, next_job):
    # Its own ring would wait behind those of all jobs that were queued since.
    jobs.claim(job.pk)
    let_the_lease_run_out(job)
    tasks.work(next_job.pk)
    assert attempts_made(job, next_job) == [2, 1]


def test_a_job_whose_ring_was_lost_is_taken_before_the_job_that_was_rung_for(job, next_job):
    tasks.work(next_job.pk)
    assert attempts_made(job, next_job) == [0, 1]
    let_it_wait(job, pipeline.RING_AGAIN_SECONDS + 5)
    Job.objects.filter(pk=next_job.pk).update(not_before=timezone.now())
    tasks.work(next_job.pk)
    assert attempts_made(job, next_job) == [1, 2]


def test_what_was_left_behind_comes_before_what_waits_longer(job, next_job, filer):
    let_it_wait(job, 600)
    jobs.claim(next_job.pk)
    let_the_lease_run_out(next_job)
    queued(job, filer)  # not long enough
    assert jobs.overdue(seconds=15, large=False) == next_job
    jobs.claim(next_job.pk)
    assert jobs.overdue(seconds=15, large=False) == job
    jobs.claim(job.pk)
    assert jobs.overdue(seconds=15, large=False) is None


def test_a_next_attempt_comes_before_younger_jobs_once_its_pause_is_over(job, next_job):
    let_it_wait(job, 600)
    let_it_wait(next_job, 60)
    jobs.claim(job.pk).release("disk full")
    assert jobs.overdue(seconds=15, large=False) == next_job
    Job.objects.filter(pk=job.pk).update(not_before=timezone.now())
    assert jobs.overdue(seconds=15, large=False) == job


def test_a_job_that_no_worker_may_take_holds_up_no_other(job, next_job, filer, settings):
    settings.JOBS_PER_INSTITUTION = 1
    jobs.claim(job.pk)
    let_it_wait(next_job, 600)
    assert jobs.overdue(seconds=15, large=False) is None  # the institution has its one job
    let_the_lease_run_out(job)
    Job.objects.filter(pk=job.pk).update(attempts=5)  # the sweeper gives it up
    assert jobs.overdue(seconds=15, large=False) == next_job
    upload = submissions.create(lei=job.submission.lei, period=job.submission.period, by=filer)
    with transaction.atomic():
        lease = jobs.occupy(upload, "upload")
    Job.objects.filter(pk=lease.job_id).update(lease_until=timezone.now() - timedelta(hours=1))
    assert jobs.overdue(seconds=15, large=False) == next_job


def test_an_errand_that_was_left_behind_is_taken_up_as_long_as_it_may_be_tried(job):
    mail = jobs.errand("mail")
    jobs.claim(mail.pk)
    let_the_lease_run_out(mail)
    for attempts, found in ((9, mail), (10, None)):
        Job.objects.filter(pk=mail.pk).update(attempts=attempts)
        assert jobs.overdue(seconds=15, large=False) == found


def test_small_and_large_files_do_not_wait_for_each_other(job, filer):
    large = queued(job, filer, large=True)
    for each in (job, large):
        let_it_wait(each, 600)
    assert jobs.overdue(seconds=15, large=True) == large
    assert jobs.overdue(seconds=15, large=False) == job


def test_a_worker_that_is_never_idle_sweeps_between_two_jobs(job, submission, filer, settings):
    # The message that asks for a sweep waits in the queue, and expires there.
    settings.JOB_SWEEP_SECONDS = 0
    second = submissions.create(lei=submission.lei, period=submission.period, by=filer)
    with transaction.atomic():
        submissions.move(second, Event.UPLOAD_STARTED)
        lease = jobs.occupy(second, "upload")
    Job.objects.filter(pk=lease.job_id).update(lease_until=timezone.now() - timedelta(seconds=1))
    tasks.work(job.pk)
    second.refresh_from_db()
    assert second.status == Status.CREATED


def test_between_two_jobs_is_swept_no_more_often_than_is_set(job, settings):
    settings.JOB_SWEEP_SECONDS = 3600
    pipeline.sweep()
    let_it_wait(job, 600)
    asked = Job.objects.get(pk=job.pk).rung_at
    pipeline.sweep_if_due()
    assert Job.objects.get(pk=job.pk).rung_at == asked


def test_a_job_is_rung_for_again_only_where_no_job_has_ended_for_a_while(job, next_job, filer):
    # As long as jobs end, the rings of the others are in the queue: more would make it longer.
    large = queued(job, filer, large=True)
    for each in (job, large):
        let_it_wait(each, 600)
    assert list(jobs.waiting_too_long(15)) == [job, large]
    with transaction.atomic():
        jobs.claim(next_job.pk).finish()
    assert list(jobs.waiting_too_long(15)) == [large]
    assert list(jobs.waiting_too_long(0)) == [job, large]  # none has ended in these seconds


def test_one_ring_is_enough_for_all_that_is_overdue(job, next_job, filer):
    others = [queued(job, filer) for _ in range(2)]
    for each in (job, *others):
        let_it_wait(each, 600)
    tasks.work(next_job.pk)
    assert attempts_made(job, *others, next_job) == [1, 1, 1, 1]


def test_after_a_while_the_job_that_was_rung_for_has_its_turn_and_the_bell_rings_on(
    job, next_job, monkeypatch
):
    monkeypatch.setattr(pipeline, "OVERDUE_FIRST_SECONDS", -1)
    let_it_wait(job, 600)
    tasks.work(next_job.pk)
    assert attempts_made(job, next_job) == [0, 1]
    assert timezone.now() - Job.objects.get(pk=job.pk).rung_at < timedelta(seconds=300)


def test_an_old_ring_for_a_job_that_was_taken_is_nothing_to_go_by(job, next_job):
    with transaction.atomic():
        jobs.claim(next_job.pk).finish()
    let_it_wait(job, 600)
    pipeline.work(next_job.pk)
    assert attempts_made(job, next_job) == [0, 1]


@pytest.mark.parametrize("way", ["written again", "put back"])
def test_a_job_begins_as_a_new_one_whichever_way_it_comes_back(job, way):
    times = ("not_before", "queued_at", "rung_at")
    kept = ("last_error", "started_at", "heartbeat")  # what the attempts before have said
    new = Job.objects.filter(pk=job.pk).values().get()
    jobs.claim(job.pk).release("no space")
    Job.objects.filter(pk=job.pk).update(rows_done=3, rows_total=9, finished_at=timezone.now())
    since = timezone.now()
    with transaction.atomic():
        if way == "put back":
            assert jobs.again(Job.objects.get(pk=job.pk))
        else:
            jobs.queue(job.submission, "parse")
    now = Job.objects.filter(pk=job.pk).values().get()
    assert [now[name] >= since for name in times] == [True] * 3
    assert now["rung_at"] >= now["not_before"]  # its ring is on the way
    assert now["last_error"] == "no space"
    of_both = [
        {name: row[name] for name in row if name not in (*times, *kept)} for row in (new, now)
    ]
    assert of_both[0] == of_both[1]
