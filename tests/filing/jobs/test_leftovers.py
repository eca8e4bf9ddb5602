"""Folders of attempts that did not succeed go after a day; what is worked on stays."""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.utils import timezone

from filing import storage, submissions
from filing.access import Caller
from filing.jobs import claims, sweeper
from filing.models import Attempt, Job, Submission
from filing.models.append_only import permit_removal
from filing.registries import Lease
from tests.filing.discarded import remove_a_day_later
from tests.filing.submissions.uploading import register, upload

pytestmark = pytest.mark.django_db


def claimed(job: Job) -> Lease:
    lease = claims.claim_job(job.pk)
    assert lease
    return lease


def leave(submission: Submission, lease: Lease) -> str:
    """Write into the folder of an attempt, as a worker does that is killed then."""
    folder = storage.name_folder(submission, lease.stage, lease.attempt_id)
    default_storage.save(f"{folder}/{storage.OFFSETS}", ContentFile(b"x"))
    return folder


def kill(lease: Lease) -> None:
    """Let the lease run out, as that of a worker does that is gone."""
    Job.objects.filter(pk=lease.job_id).update(lease_until=timezone.now() - timedelta(seconds=1))


def let_pass(days: float) -> None:
    """Make all attempts older, which nobody but a test can: their table refuses changes."""
    ended = {each.pk: each.ended_at - timedelta(days=days) for each in Attempt.objects.all()}
    kept = list(Attempt.objects.values())
    with permit_removal(Attempt):
        Attempt.objects.all().delete()
    for each in kept:
        Attempt.objects.create(**{**each, "ended_at": ended[each["id"]]})


def test_what_an_upload_left_goes_and_the_file_of_the_next_one_stays(
    submission: Submission, filer: Caller, tmp_path: Path
) -> None:
    storage.remove_folder(storage.name_folder(submission))
    left = ""
    reception = submissions.Reception(submission, by=filer)
    with suppress(ConnectionError), reception.opened():
        left = leave(submission, reception.lease)
        raise ConnectionError("The connection was gone.")
    submission.refresh_from_db()
    upload(submission, register(), filer, tmp_path)
    assert left
    assert not storage.has_files(left)  # it went with the upload
    let_pass(2)
    assert sweeper.clear_failed_attempts() == 0
    submission.refresh_from_db()
    assert default_storage.exists(submission.raw_file)


def test_the_folder_that_somebody_writes_in_now_stays(
    submission: Submission, filer: Caller, tmp_path: Path
) -> None:
    storage.remove_folder(storage.name_folder(submission))
    job = upload(submission, register(), filer, tmp_path)
    first = claimed(job)
    killed = leave(submission, first)
    kill(first)
    second = claimed(job)
    now = leave(submission, second)
    let_pass(2)
    assert (sweeper.clear_failed_attempts(), remove_a_day_later()) == (1, 1)
    assert (storage.has_files(killed), storage.has_files(now)) == (False, True)
