"""The stages on real files, run in this process: what they publish, and what they leave out."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.core.files.storage import default_storage
from django.test import Client

from filing import storage, submissions
from filing.api.views import base
from filing.errors import LostLease
from filing.jobs import claims, loop
from filing.models import EditResult, Job, Submission
from filing.requests import select_page
from filing.statuses import Status
from filing.submissions import pipeline, results, rules_run
from tests.filing.discarded import remove_a_day_later
from tests.filing.submissions.uploading import register, upload

pytestmark = pytest.mark.django_db


def test_commas_between_fields_are_named_once_behind_the_description(submission, filer, tmp_path):
    file = register()
    loop.run_job(upload(submission, file.replace(b"|", b","), filer, tmp_path).pk)
    submission.refresh_from_db()
    errors = base.show_parse_errors(submission, select_page("1", submission.format_errors), "")
    assert (submission.format_errors, errors["total"]) == (61, 61)
    spec = Status.PARSED_WITH_ERRORS
    hint = (
        "The fields are separated by commas; save the file again as text with a pipe (|) between "
        "the fields."
    )
    told = {
        "code": 5,
        "message": spec.message,
        "description": f"{spec.description(signing=True)} {hint}",
    }
    assert errors["status"] == base.show_state(submission)["status"] == told
    assert errors["transmittalSheetErrors"][0]["errorMessages"] == [
        {
            "fieldName": "Incorrect Number of TS Fields",
            "inputValue": "1",
            "validValues": "15 Fields",
        }
    ]
    assert submission.changes.last().reason == hint


def test_edits_without_their_facts_are_listed_as_not_run_and_never_as_passed(
    submission, filer, tmp_path
):
    # No census is loaded for the year.
    job = upload(submission, register(), filer, tmp_path)
    loop.run_job(job.pk)
    submission.refresh_from_db()
    assert submission.status == Status.VERIFIED
    not_run = {result.code: result.not_run for result in rules_run.find_unrun_edits(submission)}
    assert {"V625-2", "V626", "V627", "Q603"} <= set(not_run)
    assert all("census" in reason for reason in not_run.values())
    shown = results.summarize_edits(submission)
    assert all(items == [] for items in shown.values())
    User.objects.create_superuser("operator", password="x")
    client = Client()
    client.login(username="operator", password="x")
    page = client.get(f"/admin/filing/submission/{submission.pk}/change/").content.decode()
    assert "V625-2" in page
    assert "census tracts of the year are not loaded" in page


@pytest.mark.servers
def test_a_repeated_stage_gives_the_same_and_leaves_one_folder(submission, filer, census, tmp_path):
    storage.remove_folder(storage.name_folder(submission))  # of other tests
    job = upload(submission, register(Q611=2), filer, tmp_path)
    loop.run_job(job.pk)
    before = list(EditResult.objects.values("code", "total", "position", "listed"))
    # The job is put back by hand, as if its end had not been written.
    Submission.objects.filter(pk=submission.pk).update(status=Status.PARSED)
    Job.objects.filter(stage="edits").update(state="queued", finished_at=None)
    loop.run_job(Job.objects.get(stage="edits").pk)
    assert list(EditResult.objects.values("code", "total", "position", "listed")) == before
    remove_a_day_later()
    folders, _ = default_storage.listdir(storage.name_folder(submission))
    attempts = sorted(name.rpartition("-")[0] for name in folders)
    assert attempts == ["edits-2", "parse-1", "upload-1"]


@pytest.mark.servers
def test_a_worker_that_lost_its_lease_publishes_nothing(submission, filer, census, tmp_path):
    job = upload(submission, register(), filer, tmp_path)
    stage = pipeline.STAGES["parse"]
    slow = claims.claim_job(job.pk)
    assert slow is not None
    submission.refresh_from_db()
    submissions.move_submission(submission, stage.started)
    Job.objects.filter(pk=job.pk).update(owner="somebody else")
    with pytest.raises(LostLease):
        stage.run(submission, slow)
    submission.refresh_from_db()
    assert (submission.status, submission.parse_folder) == (Status.PARSING, "")
