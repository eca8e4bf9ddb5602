"""Submissions that were uploaded, checked, signed, or failed."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from django.core.files.storage import default_storage
from django.utils import timezone

from filing import submissions
from filing.access import Caller
from filing.jobs import loop
from filing.models import (
    Job,
    Submission,
)
from filing.statuses import Status
from tests.filing.submissions.uploading import register, upload


@pytest.fixture
def uploaded(submission, filer, census, tmp_path) -> Submission:
    """A submission whose file waits to be parsed."""
    upload(submission, register(Q611=2), filer, tmp_path)
    submission.refresh_from_db()
    return submission


@pytest.fixture
def analysed(uploaded: Submission) -> Submission:
    """A submission that rests with quality edits."""
    work(uploaded)
    assert uploaded.status == Status.QUALITY_ERRORS
    return uploaded


@pytest.fixture
def signed(analysed: Submission, filer: Caller) -> Submission:
    """A submission that somebody else than the contact has signed."""
    verified = submissions.verify_edits(analysed, "quality", verified=True, by=filer)
    sam = Caller(id="user-2", username="sam", email="sam@bank.example")
    submissions.sign_submission(verified, signed=True, by=sam)
    return verified


def work(submission: Submission) -> None:
    """Work on whatever waits of a submission, once, whatever the pause."""
    Job.objects.filter(state="queued").update(not_before=timezone.now())
    for job in Job.objects.filter(submission=submission, state="queued"):
        loop.run_job(job.pk)
    submission.refresh_from_db()


def lose_its_file(submission: Submission) -> Callable[[], None]:
    """Take the file of a submission out of storage; returns what puts it back."""
    there = Path(default_storage.path(submission.raw_file))
    away = there.with_suffix(".away")
    shutil.move(there, away)
    return lambda: shutil.move(away, there)


def fail_it(submission: Submission) -> Callable[[], None]:
    """Let the stage that waits fail for good; returns what takes the cause away."""
    put_back = lose_its_file(submission)
    for _ in range(5):
        work(submission)
    assert submission.status == Status.FAILED
    return put_back
