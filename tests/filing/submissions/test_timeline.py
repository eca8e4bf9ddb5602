"""What happened to a submission, told from the tables that the work itself leaves behind."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from filing import submissions
from filing.jobs import claims
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
