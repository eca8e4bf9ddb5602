"""What happened to a submission, told from the tables that the work itself leaves behind."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.db import transaction
from django.utils import timezone

from filing import submissions
from filing.demo.loading import load_demo_census
from filing.jobs import claims, loop
from filing.models import Attempt, Job, Mail, Submission
from filing.statuses import Status
from filing.submissions import timeline
from tests.filing.submissions.uploading import register, upload

pytestmark = pytest.mark.django_db


def told(submission: Submission) -> list[str]:
    return [moment.what for moment in timeline.read_timeline(submission)]


def status(event: str, status: Status) -> str:
    return f"{event}: status {status.value} {status.message}"


def test_work_that_is_under_way_is_told(submission, filer, tmp_path):
    claims.claim_job(upload(submission, register(), filer, tmp_path).pk)
    assert told(submission)[-1] == "Reading the file, attempt 1: running"


def test_a_mail_is_told_when_it_was_queued_tried_sent_or_given_up(submission, filer, tmp_path):
    at = datetime(2030, 1, 1, tzinfo=UTC)
    for number, outcome in enumerate(("released", "done"), 1):
        if number == 1:
            job = Job.objects.create(stage="mail")
            Mail.objects.create(
                kind="receipt", key="k", to="a@bank.example", subject="s", text="t",
                submission=submission, job=job, made_at=at, sent_at=at + timedelta(seconds=9),
            )  # fmt: skip
        Attempt.objects.create(
            job=job, number=number, outcome=outcome, started_at=at,
            ended_at=at + timedelta(seconds=number), error="no server" if number == 1 else "",
        )  # fmt: skip
    found = [
        (moment.what, moment.seconds, moment.why)
        for moment in timeline.read_timeline(submission)[1:]
    ]
    assert found == [
        ("Email to a@bank.example (receipt of a signature): queued", None, ""),
        ("Email to a@bank.example, attempt 1: to be retried", 1.0, "no server"),
        ("Email to a@bank.example (receipt of a signature): sent", 9.0, ""),
    ]


def test_what_belongs_to_another_submission_is_not_told(submission, filer, tmp_path):
    other = submissions.create_submission(lei=submission.lei, period=submission.period, by=filer)
    claims.claim_job(upload(other, register(), filer, tmp_path).pk)
    assert told(submission) == [status("Submission created", Status.CREATED)]


def test_a_filing_is_told_from_its_creation_to_its_receipt(submission, filer, tmp_path):
    load_demo_census(2024, by="test")
    loop.run_job(upload(submission, register(Q611=2), filer, tmp_path).pk)
    submission.refresh_from_db()
    submission = submissions.verify_edits(submission, "quality", verified=True, by=filer)
    signature = submissions.sign_submission(submission, signed=True, by=filer)
    moments = timeline.read_timeline(submission)
    mail = "Email to ann@bank.example (receipt of a signature)"
    contact = signature.submission.transmittal_sheet["contact_email"].lower()
    assert [moment.what for moment in moments if moment.kind != "mail"] == [
        status("Submission created", Status.CREATED),
        status("Upload began", Status.UPLOADING),
        "Upload, attempt 1: done",
        status("Upload complete", Status.UPLOADED),
        status("Reading the file began", Status.PARSING),
        "Reading the file, attempt 1: done",
        status("No formatting errors found", Status.PARSED),
        status("Running the edits began", Status.VALIDATING),
        "Running the edits, attempt 1: done",
        status("Syntactical and validity edits passed", Status.SYNTACTICAL_OR_VALIDITY),
        status("Quality edits triggered", Status.QUALITY_ERRORS),
        status("Quality edits verified", Status.QUALITY_ERRORS),
        status("Everything verified", Status.VERIFIED),
        status("Signed", Status.SIGNED),
    ]
    by_what = {moment.what: moment for moment in moments}
    uploaded = by_what["Upload, attempt 1: done"]
    assert (uploaded.size, uploaded.rows) == (submission.size, None)
    read = by_what["Reading the file, attempt 1: done"]
    assert (read.rows, read.who, read.went_wrong) == (61, "the service", False)
    assert read.seconds is not None
    verified = by_what[status("Everything verified", Status.VERIFIED)]
    assert verified.who == "ann, ann@bank.example"
    assert verified.why == "The quality edits were verified."
    assert by_what[status("Signed", Status.SIGNED)].why == f"Receipt {signature.receipt}."
    assert {f"{mail}: queued", f"Email to {contact} (receipt of a signature): queued"} <= set(
        by_what
    )


def test_tries_that_went_wrong_are_told_with_their_reason(submission, filer, tmp_path):
    job = upload(submission, register(), filer, tmp_path)
    first = claims.claim_job(job.pk)
    assert first is not None
    first.release("OSError: the disk is full")
    Job.objects.filter(pk=job.pk).update(not_before=timezone.now())
    claims.claim_job(job.pk)
    now = timezone.now()
    Job.objects.filter(pk=job.pk).update(
        heartbeat=now - timedelta(seconds=45), lease_until=now - timedelta(seconds=15)
    )
    last = claims.claim_job(job.pk)
    assert last is not None
    submission.refresh_from_db()
    with transaction.atomic():
        last.fail("ValueError: hopeless")
        submissions.fail_submission(submission, "It did not succeed.")
    found = [
        moment for moment in timeline.read_timeline(submission) if moment.what.startswith("Reading")
    ]
    assert [(moment.what, moment.why) for moment in found] == [
        ("Reading the file, attempt 1: to be retried", "OSError: the disk is full"),
        (
            "Reading the file, attempt 2: worker lost",
            "The worker did not respond for 45 seconds.",
        ),
        ("Reading the file, attempt 3: failed", "ValueError: hopeless"),
    ]
    assert all(moment.went_wrong for moment in found)
    failed = next(
        moment for moment in timeline.read_timeline(submission) if moment.what.startswith("Failed")
    )
    assert (failed.why, failed.went_wrong) == ("It did not succeed.", True)
