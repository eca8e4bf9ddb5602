"""The form for a file: what it says before anything is sent, and what a script may ask of it."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from filing import day_hours
from filing.models import FilingPeriod, ResumableUpload, Submission
from filing.statuses import Status
from tests.conftest import LEI
from tests.filing.pages.steps import FILING, OTHER_LEI, begin, signed_in, text, upload
from tests.filing.submissions.resuming import VERSION, Sending, metadata
from tests.filing.submissions.uploading import register

pytestmark = pytest.mark.django_db


def test_a_script_is_told_that_there_is_a_file_already(browser):
    form = begin(browser)
    asked = {"HX-Request": "true"}
    assert browser.head(form, headers=asked).status_code == 200
    upload(browser, form, register())
    assert browser.head(form, headers=asked).status_code == 409
    assert browser.get(form)["Location"] == f"{FILING}1/"


UPLOADS = f"{FILING}1/uploads/"


def begun(browser: Client, length: int, key: str = "form-1") -> Any:
    headers = {"Upload-Length": str(length), "Upload-Metadata": metadata("lar.txt"), **VERSION}
    return browser.post(UPLOADS, headers={**headers, "Idempotency-Key": key})


def test_a_first_request_whose_answer_was_lost_is_repeated_with_one_effect(browser: Client) -> None:
    begin(browser)
    first, again = begun(browser, 100), begun(browser, 100)
    assert (first.status_code, again.status_code) == (201, 201)
    assert again["Location"] == first["Location"]
    assert again["Idempotency-Replayed"] == "true"
    assert ResumableUpload.objects.count() == 1
    assert begun(browser, 101).status_code == 422  # another file
    assert begun(browser, 100, "form-2").status_code == 409  # one is open


def test_a_form_without_the_script_replaces_an_upload_that_was_left(browser: Client) -> None:
    form = begin(browser)
    sending = Sending(browser, begun(browser, 100)["Location"])
    assert sending.patch(b"1|a", 0).status_code == 204
    assert upload(browser, form, register()).status_code == 303
    assert sending.head().status_code == 404
    assert Submission.objects.get().status == Status.UPLOADED


def test_refusals_are_for_the_script(browser: Client, client: Client) -> None:
    begin(browser)
    unknown = client.post(UPLOADS, headers=VERSION)
    assert (unknown.status_code, unknown["Tus-Resumable"]) == (401, "1.0.0")
    assert unknown.json()["message"] == "You are signed out. Sign in again."
    wrong = begun(browser, 100, "x" * 256)
    assert wrong.status_code == 400
    assert "Idempotency-Key has 256 characters" in wrong.json()["message"]
    assert browser.options(UPLOADS)["Tus-Version"] == "1.0.0"
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = browser.cookies
    assert begun(strict, 100).status_code == 403
    assert "Upload" in text(browser.get(f"{FILING}1/upload/"))
    assert begun(browser, 10**13).json()["httpStatus"] == 413


NEW = f"{FILING}upload/"
NEW_UPLOADS = f"{FILING}uploads/"


def test_a_refused_file_leaves_no_submission(browser: Client) -> None:
    refused = upload(browser, NEW, register().replace(LEI.encode(), OTHER_LEI.encode()))
    assert OTHER_LEI in text(refused, 400)
    assert "Choose a file." in text(browser.post(NEW, {}), 400)
    assert not Submission.objects.exists()


def test_a_submission_that_waits_for_its_file_gets_it(browser: Client) -> None:
    form = begin(browser)
    assert browser.get(NEW)["Location"] == form
    assert upload(browser, f"{NEW}?after=0", register())["Location"] == f"{FILING}1/"
    assert Submission.objects.count() == 1


def test_a_file_that_someone_else_uploaded_meanwhile_is_followed_by_none(browser: Client) -> None:
    upload(browser, f"{NEW}?after=0", register())
    assert "already has a file" in text(upload(browser, f"{NEW}?after=0", register()), 400)
    asked = {"HX-Request": "true"}
    assert browser.head(f"{NEW}?after=0", headers=asked).status_code == 409
    assert browser.head(f"{NEW}?after=1", headers=asked).status_code == 200
    assert begin_parts(browser, after=0).status_code == 409
    assert Submission.objects.count() == 1
    assert upload(browser, f"{NEW}?after=1", register())["Location"] == f"{FILING}2/"


def begin_parts(browser: Client, *, after: int, length: int = 100) -> Any:
    headers = {"Upload-Length": str(length), "Upload-Metadata": metadata("lar.txt"), **VERSION}
    return browser.post(f"{NEW_UPLOADS}?after={after}", headers=headers)


def test_the_script_begins_an_upload_in_a_submission_of_its_own(browser: Client) -> None:
    content = register()
    answer = begin_parts(browser, after=0, length=len(content))
    assert answer.status_code == 201
    assert answer["Location"].startswith(UPLOADS)
    assert browser.get(NEW)["Location"] == f"{FILING}1/upload/"  # where it can be continued
    assert Sending(browser, answer["Location"]).patch(content, 0).status_code == 204
    assert Submission.objects.get().status == Status.UPLOADED


def test_a_refused_beginning_leaves_no_submission(browser: Client) -> None:
    assert begin_parts(browser, after=0, length=0).status_code == 400
    assert not Submission.objects.exists()


def test_where_no_file_is_accepted_the_filing_says_so(
    browser: Client, helper: User, open_period: FilingPeriod
) -> None:
    assert signed_in(helper).get(NEW)["Location"] == FILING
    yesterday = day_hours.today() - timedelta(days=1)
    open_period.timely_until = open_period.closes = yesterday
    open_period.save()
    assert browser.get(NEW)["Location"] == FILING
    assert "no longer available" in text(upload(browser, NEW, register()), 400)
    assert begin_parts(browser, after=0).status_code == 400
    assert not Submission.objects.exists()


def test_the_file_is_a_download_that_is_never_a_page(browser):
    upload(browser, begin(browser), content := register())
    answer = browser.get(f"{FILING}1/file/")
    assert b"".join(answer.streaming_content) == content
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Content-Type"] == "text/plain; charset=UTF-8"
    assert answer["Content-Disposition"].startswith("attachment;")
