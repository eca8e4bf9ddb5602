"""A stop says whose turn it is and what to do: on pages, by the API, by email, to the help desk."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from filing import registries
from filing.access import Caller
from filing.jobs import loop
from filing.models import Job, Mail, ResumableUpload, Submission
from filing.registries import JobKind
from filing.statuses import Event, Status
from filing.submissions import halts, interventions, moves, pipeline, status_report
from tests import make
from tests.conftest import LEI
from tests.filing.pages.steps import FILING, begin, member, signed_in, text
from tests.filing.submissions.loan_files import LOANS
from tests.filing.submissions.loan_files import text as lar

pytestmark = pytest.mark.django_db
STAFF = Caller(id="staff", username="staff")
API = f"/v2/filing/institutions/{LEI}/filings/2024/submissions/1"
PAGE = f"{FILING}1/"
NAME = f"{LEI}-2024-1"
TECHNICAL = ("stage", "attempts", "/var/", "Error")


@pytest.fixture
def browser(institution, open_period) -> Client:
    browser = signed_in(member("ann", LEI))
    begin(browser)
    return browser


def api() -> Client:
    return make.program(leis=[LEI])


def send(browser: Client, content: bytes) -> None:
    browser.post(f"{PAGE}upload/", {"file": SimpleUploadedFile("lar.txt", content)})


def failure_of(caller: Client) -> str:
    status = caller.get(API).json()["status"]
    assert status["code"] == -1
    return str(status["description"])


def email() -> str:
    return " ".join(Mail.objects.get(kind="failure").text.split())


def test_a_fault_of_ours_says_so_and_only_staff_read_the_reason(browser, monkeypatch):
    def trouble(lease):
        raise OSError("[Errno 5] /var/lib/hmda/raw.txt")

    send(browser, lar(LOANS))
    troubled = JobKind("parse", trouble, end=pipeline.fail_submission_of_job)
    monkeypatch.setitem(registries.JOB_KINDS, "parse", troubled)
    job = Job.objects.get(stage="parse")
    for _ in range(5):
        Job.objects.filter(pk=job.pk).update(not_before=timezone.now())
        Submission.objects.filter(status=Status.UPLOADED).update(status=Status.PARSING)
        loop.run_job(job.pk)
    submission = Submission.objects.get()
    assert submission.status == Status.FAILED
    shown = text(browser.get(PAGE))
    for said in (shown, failure_of(api()), email()):
        assert "This is our fault; you need not do anything" in said
        assert f"Reference {NAME}" in said
        assert not any(word in said for word in TECHNICAL)
    assert f"Something went wrong on our side, reference {NAME}" in shown
    assert "Waiting for the help desk" in shown
    assert "The help desk acts next" in shown
    assert "The help desk acts next" in email()
    assert Submission.objects.filter(halts.is_needing_attention()).exists()
    report = status_report.report_status(submission)
    assert report.waiting_for == "an operator"
    assert "/var/lib/hmda/raw.txt" in report.problem


def test_what_staff_stopped_is_the_filers_turn(browser):
    send(browser, lar(LOANS))
    interventions.stop_submission(
        Submission.objects.get(), by=STAFF, reason="It is the file of last year."
    )
    shown = text(browser.get(PAGE))
    for said in (shown, email()):
        assert "It is the file of last year." in said
        assert "You act next" in said
    assert "Checking" not in shown
    assert "Upload the file again" in shown
    assert status_report.report_status(Submission.objects.get()).waiting_for == "the filer"


@pytest.fixture
def cut_off(browser) -> ResumableUpload:
    """An upload in parts of which 1,024 of 4,096 bytes came a minute ago."""
    submission = Submission.objects.get()
    moves.move_submission(submission, Event.UPLOAD_STARTED)
    ago = timezone.now() - timedelta(minutes=1)
    Job.objects.create(
        submission=submission,
        stage="upload",
        state=Job.State.RUNNING,
        owner="web-1",
        lease_until=timezone.now() + timedelta(hours=20),
    )
    return ResumableUpload.objects.create(
        submission=submission, key="k", file_name="lar.txt", length=4096, offset=1024, used_at=ago
    )


def test_an_upload_that_was_cut_off_has_a_button_to_continue_it(browser, cut_off):
    for address in ("/filing/", FILING, PAGE):
        page = browser.get(address)
        assert "Upload not finished" in text(page)
        assert f'href="{PAGE}upload/"' in page.content.decode()
        assert "Continue the upload" in page.content.decode()
        assert "checking continues" not in text(page)
    shown = text(browser.get(PAGE))
    assert "You act next" in shown
    assert "Upload : Waiting for you" in shown
    assert browser.get(PAGE, headers={"HX-Request": "true"})["HX-Refresh"] == "true"
