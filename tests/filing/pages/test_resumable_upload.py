"""Uploads in parts by the script of the page: with its session, its token and a key."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from filing.models import ResumableUpload, Submission
from filing.statuses import Status
from tests.filing.pages.steps import FILING, begin, text, upload
from tests.filing.submissions.resuming import VERSION, Sending, metadata
from tests.filing.submissions.uploading import register

pytestmark = pytest.mark.django_db
UPLOADS = f"{FILING}1/uploads/"


def begun(browser: Client, length: int, key: str = "form-1") -> Any:
    headers = {"Upload-Length": str(length), "Upload-Metadata": metadata("lar.txt"), **VERSION}
    return browser.post(UPLOADS, headers={**headers, "Idempotency-Key": key})


def test_the_page_sends_a_file_in_parts(browser: Client) -> None:
    begin(browser)
    content = register()
    answer = begun(browser, len(content))
    assert answer.status_code == 201
    sending = Sending(browser, answer["Location"])
    assert sending.patch(content[:1000], 0)["Upload-Offset"] == "1000"
    assert sending.offset() == 1000
    assert sending.patch(content[1000:], 1000).status_code == 204
    assert Submission.objects.get().status == Status.UPLOADED


def test_a_first_request_whose_answer_was_lost_is_repeated_with_one_effect(browser: Client) -> None:
    begin(browser)
    first, again = begun(browser, 100), begun(browser, 100)
    assert (first.status_code, again.status_code) == (201, 201)
    assert again["Location"] == first["Location"]
    assert again["Idempotency-Replayed"] == "true"
    assert ResumableUpload.objects.count() == 1
    assert begun(browser, 101).status_code == 422  # another file
    assert begun(browser, 100, "form-2").status_code == 409  # one is open


def test_a_refused_beginning_may_be_repeated_as_nothing_was_done(browser: Client) -> None:
    begin(browser)
    assert begun(browser, 0).status_code == 400
    assert begun(browser, 100).status_code == 201


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
    assert unknown.json()["message"] == "Your session has ended. Sign in again."
    wrong = begun(browser, 100, "x" * 256)
    assert wrong.status_code == 400
    assert "Idempotency-Key has 256 characters" in wrong.json()["message"]
    assert browser.options(UPLOADS)["Tus-Version"] == "1.0.0"
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = browser.cookies
    assert begun(strict, 100).status_code == 403
    assert "Upload" in text(browser.get(f"{FILING}1/upload/"))
    assert begun(browser, 10**13).json()["httpStatus"] == 413
