"""Counts of records: stored as a file is read, and added later."""

from __future__ import annotations

import pytest
from django.core.management import call_command
from django.forms.models import model_to_dict

from filing.models import RecordCounts, Submission
from filing.statuses import Status
from filing.submissions import record_counts
from filing.tasks import count_records
from tests.filing.submissions.stages import analysed, signed, uploaded, work  # noqa: F401

pytestmark = pytest.mark.django_db


def counts_of(submission: Submission) -> dict[str, object]:
    return model_to_dict(RecordCounts.objects.get(submission=submission))


def test_counting_a_stored_file_gives_the_same(signed: Submission) -> None:
    before = counts_of(signed)
    RecordCounts.objects.all().delete()
    assert list(record_counts.find_uncounted()) == [signed]
    count_records()
    assert counts_of(signed) == before
    assert not record_counts.find_uncounted().exists()


def test_files_that_cannot_be_read_do_not_keep_others_waiting(
    signed: Submission, capsys: pytest.CaptureFixture[str]
) -> None:
    RecordCounts.objects.all().delete()
    lost = Submission.objects.create(
        filing=signed.filing, sequence_number=2, status=Status.SIGNED, raw_file="gone/raw.txt"
    )
    call_command("count_records")
    assert "Counted 1 files, and compared 0 corrections." in capsys.readouterr().out
    assert list(record_counts.find_uncounted()) == [lost]
