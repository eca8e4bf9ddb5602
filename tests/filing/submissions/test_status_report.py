"""Where a submission stands, in the sentences that the help desk reads out."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from django.utils import timezone

from filing import submissions
from filing.demo.loading import load_demo_census
from filing.errors import BadInput
from filing.jobs import claims, loop
from filing.models import Job, Signature, Submission
from filing.statuses import Status
from filing.submissions import status_report
from tests.filing.submissions.uploading import register, upload

pytestmark = pytest.mark.django_db


def waiting(submission: Submission, filer, tmp_path) -> Job:
    """Return the job of a file that waits to be read."""
    job = upload(submission, register(), filer, tmp_path)
    submission.refresh_from_db()
    return job


def change(job: Job, **values) -> None:
    Job.objects.filter(pk=job.pk).update(**values)


def filed(submission, filer, tmp_path, content: bytes) -> status_report.StatusReport:
    loop.run_job(upload(submission, content, filer, tmp_path).pk)
    submission.refresh_from_db()
    return status_report.report_status(submission)


def test_a_refused_upload_says_why(submission, filer):
    with pytest.raises(BadInput), submissions.Reception(submission, by=filer).opened():
        raise BadInput("the file is a PDF document.")
    submission.refresh_from_db()
    now = status_report.report_status(submission)
    assert now.problem == "The last upload did not succeed: the file is a PDF document."
    assert now.remedy


def test_a_closed_period_is_why_nothing_can_be_uploaded(submission):
    period = submission.filing.period
    period.closes = period.timely_until = date(2024, 1, 1)
    assert (
        "accepts files from January 1, 2020 to January 1, 2024 only"
        in status_report.report_status(submission).problem
    )


def test_a_file_in_the_queue_waits_for_a_worker(submission, filer, tmp_path):
    job = waiting(submission, filer, tmp_path)
    now = status_report.report_status(submission)
    assert now.summary == "Reading the file is queued."
    assert (now.problem, now.is_settled) == ("", False)
    long_ago = timezone.now() - timedelta(minutes=7, seconds=3)
    change(job, queued_at=long_ago, not_before=long_ago)
    now = status_report.report_status(submission)
    assert now.problem.startswith("It has been in the queue for 7 minutes 3 second")
    assert "workers" in now.remedy


@pytest.mark.servers
def test_a_pause_between_two_attempts_says_what_went_wrong_before(submission, filer, tmp_path):
    job = waiting(submission, filer, tmp_path)
    lease = claims.claim_job(job.pk)
    assert lease is not None
    lease.release("OSError: the disk is full")
    change(job, not_before=timezone.now() + timedelta(seconds=40))
    now = status_report.report_status(submission)
    assert now.problem == "The last attempt ended with: OSError: the disk is full"
    assert now.remedy == "It is retried automatically in 40 seconds."
    assert now.summary == "Reading the file is queued (attempt 1 of 5)."


def test_a_silent_worker_is_told_since_when(submission, filer, tmp_path):
    job = waiting(submission, filer, tmp_path)
    claims.claim_job(job.pk)
    assert status_report.report_status(submission).problem == ""
    past = timezone.now() - timedelta(minutes=2)
    change(job, lease_until=past, heartbeat=past)
    assert status_report.report_status(submission).problem.startswith(
        "Its worker has not responded for 2 minutes"
    )


def test_format_errors_stop_a_file(submission, filer, tmp_path):
    now = filed(submission, filer, tmp_path, register() + b"2|three|fields\n")
    assert now.problem == "1 line of the file has formatting errors."
    assert now.waiting_for == "the filer"


def test_validity_edits_stop_a_file_and_are_named(submission, filer, tmp_path):
    now = filed(submission, filer, tmp_path, register(V611=2))
    assert "V611 (2)" in now.problem
    assert "cannot be verified" in now.problem


@pytest.mark.servers
def test_quality_edits_wait_for_the_filer_then_the_signature_does_then_nobody(
    submission, filer, tmp_path
):
    load_demo_census(2024, by="test")
    now = filed(submission, filer, tmp_path, register(Q611=2))
    assert now.summary == "The quality edits have not been verified."
    assert "Q611 (2)" in now.problem
    submission = submissions.verify_edits(submission, "quality", verified=True, by=filer)
    now = status_report.report_status(submission)
    assert (now.summary, now.waiting_for) == ("Ready to sign.", "the filer")
    submissions.sign_submission(submission, signed=True, by=filer)
    now = status_report.report_status(submission)
    assert (now.summary, now.waiting_for) == ("Signed by ann, ann@bank.example.", "")
    signed = Signature.objects.get()
    signed.signed_at = datetime(2025, 3, 4, 4, 59, tzinfo=UTC)  # still March 3 in Washington
    submission.signature = signed
    submission.filing.period.timely_until = date(2025, 3, 3)
    assert status_report.describe_timeliness(submission) == (
        "Timely: signed on March 3, 2025; the filing deadline was March 3, 2025."
    )
    submission.filing.period.timely_until = date(2025, 3, 2)
    assert status_report.describe_timeliness(submission) == (
        "Late: signed on March 3, 2025; the filing deadline was March 2, 2025."
    )
    submission.filing.period.timely_until = date(2040, 3, 1)
    assert status_report.describe_timeliness(submission).endswith(
        "the filing deadline is March 1, 2040."
    )


def test_a_site_without_signatures_is_done_after_the_analysis(
    submission, filer, tmp_path, settings
):
    settings.SIGNING_ENABLED = False
    load_demo_census(2024, by="test")
    assert filed(submission, filer, tmp_path, register()).waiting_for == ""


def test_each_status_stands_somewhere(submission):
    for status in Status:
        submission.status = status
        now = status_report.report_status(submission)
        assert now.summary
        assert now.next_step
