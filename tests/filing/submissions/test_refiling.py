"""What filing again would change against what counts."""

from __future__ import annotations

import hashlib

import pytest

from filing import submissions
from filing.lar.years import Period
from filing.models import Job, Submission
from filing.statuses import Status
from filing.submissions import comparison, refiling
from tests.conftest import LEI
from tests.filing.pages.steps import work
from tests.filing.submissions.uploading import register, upload

pytestmark = pytest.mark.django_db


@pytest.fixture
def ready(filing, filer, census, tmp_path):
    """Return a submission of a file with so many records that is ready to sign."""

    def prepare(rows: int) -> Submission:
        submission = submissions.create_submission(lei=LEI, period=Period(2024), by=filer)
        content = register(rows=rows)
        upload(submission, content, filer, tmp_path)
        sha256 = hashlib.sha256(content).hexdigest()
        Submission.objects.filter(pk=submission.pk).update(sha256=sha256)
        while Job.objects.filter(submission=submission, state=Job.State.QUEUED).exists():
            work()
        submission.refresh_from_db()
        assert submission.status == Status.VERIFIED
        return submission

    return prepare


def test_records_that_would_be_lost_are_counted(ready, filer):
    submissions.sign_submission(ready(20), signed=True, by=filer)
    summary = refiling.summarize_refiling(ready(5))
    assert summary
    assert (summary.counting.records, summary.submission.records) == (20, 5)
    assert (summary.fewer, summary.more) == (15, 0)
    assert summary.records
    assert (summary.records.added, summary.records.removed) == (0, 15)


def test_records_of_large_files_are_compared_on_request(ready, filer, monkeypatch):
    monkeypatch.setattr(comparison, "MAX_LINES_AT_ONCE", 20)
    submissions.sign_submission(ready(20), signed=True, by=filer)
    second = ready(25)
    summary = refiling.summarize_refiling(second)
    assert summary
    assert summary.is_large
    assert (summary.records, summary.more) == (None, 5)
    summary = refiling.summarize_refiling(second, is_requested=True)
    assert summary
    assert summary.queued
    assert summary.records is None
    work()
    summary = refiling.summarize_refiling(second, is_requested=True)
    assert summary
    assert summary.records
    assert (summary.records.added, summary.records.removed) == (5, 0)
