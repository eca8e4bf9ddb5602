"""Uploads over the API and the pages with a virus scanner, and with one that is away."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from config.metrics import middleware
from filing.jobs import sweeper
from filing.models import Job, Mail, Submission, TrailEntry
from filing.statuses import Status
from filing.submissions import status_report, timeline
from tests.errors import error_of
from tests.filing.pages.steps import FILING, begin, member, signed_in, text, upload
from tests.filing.scanning.scanners import INFECTED, LIMIT, SIGNATURE, Server, scanner
from tests.filing.submissions.resuming import F, begun, caller
from tests.filing.submissions.uploading import register

__all__ = ["scanner"]

pytestmark = pytest.mark.django_db

REFUSED = (
    f"The virus scan found {SIGNATURE} in the file, so the file was refused and deleted. "
    "Scan the computer that it comes from, and upload a clean file."
)


@pytest.fixture(autouse=True)
def empty_storage(settings: Any, tmp_path: Path) -> None:
    """Each test has stored files, and files that arrive, of its own."""
    files = {**settings.STORAGES["default"], "OPTIONS": {"location": str(tmp_path / "stored")}}
    settings.STORAGES = {**settings.STORAGES, "default": files}
    settings.FILE_UPLOAD_TEMP_DIR = tmp_path / "incoming"
    settings.FILE_UPLOAD_TEMP_DIR.mkdir()


@pytest.fixture
def client(submission: Submission) -> Client:
    return caller()


def kept(settings: Any) -> list[str]:
    """Return all files that the service still has."""
    folders = Path(default_storage.path("")), Path(settings.FILE_UPLOAD_TEMP_DIR)
    return [path.name for folder in folders for path in folder.rglob("*") if path.is_file()]


def send(client: Client, content: bytes, at: str = f"{F}/submissions/1") -> Any:
    return client.post(at, {"file": SimpleUploadedFile("lar.txt", content)})


def status_of(submission: Submission) -> int:
    return Submission.objects.get(pk=submission.pk).status


def counts() -> dict[str, float]:
    (family,) = middleware.SCAN_COUNTS.collect()
    return {sample.labels["result"]: sample.value for sample in family.samples}


def test_without_a_scanner_nothing_is_scanned(client, submission, scanner, settings) -> None:
    settings.SCAN_ADDRESS = None
    assert send(client, INFECTED).status_code == 202
    assert scanner.sizes == []


def test_an_infected_file_is_refused_and_not_kept(client, submission, scanner, settings) -> None:
    before = counts()
    answer = send(client, INFECTED)
    assert answer.status_code == 400
    assert error_of(answer)["message"] == REFUSED
    assert status_of(submission) == Status.CREATED
    assert kept(settings) == []
    assert counts()["infected"] == before["infected"] + 1

    entry = TrailEntry.objects.get(event="infected file refused")
    sha256 = hashlib.sha256(INFECTED).hexdigest()
    assert entry.reason == f"Signature {SIGNATURE}, SHA-256 {sha256}, file name lar.txt."
    assert (entry.actor_username, entry.lei) == ("ann", submission.lei)
    assert entry.about == str(submission)

    report = status_report.report_status(submission)  # what the help desk reads to a caller
    assert report.problem == f"The last upload did not succeed: {REFUSED}"
    assert any(entry.reason == moment.why for moment in timeline.read_timeline(submission))

    assert send(client, register()).status_code == 202  # the submission takes another file
    assert status_of(submission) == Status.UPLOADED


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (b"", "The virus scanner closed the connection."),
        (LIMIT, "The virus scanner does not accept a file of this size."),
        (b"stream: maybe\0", "The virus scanner gave an unknown answer."),
        (
            b"stream: Heuristics.Limits.Exceeded.MaxScanTime FOUND\0",
            "The virus scanner could only scan a part of it.",
        ),
    ],
)
def test_not_scanned_is_not_clean(
    client, submission, scanner: Server, settings, answer: bytes, reason: str
) -> None:
    scanner.answer, before = answer, counts()
    refused = send(client, register())
    assert (refused.status_code, refused["Retry-After"]) == (503, "60")
    assert error_of(refused)["message"] == (
        f"The file was not accepted, because it was not scanned for viruses. {reason} "
        "Try again in 60 seconds."
    )
    assert status_of(submission) == Status.CREATED
    assert kept(settings) == []
    assert counts()["not_scanned"] == before["not_scanned"] + 1
    scanner.answer = None
    assert send(client, register()).status_code == 202


def test_a_scanner_that_is_late_is_not_waited_for(client, submission, scanner, settings) -> None:
    settings.SCAN_SECONDS = 1
    scanner.says = lambda own, said: own.recv(1)  # until the other side goes
    refused = send(client, register())
    assert refused.status_code == 503
    assert "did not answer in time" in error_of(refused)["message"]
    assert status_of(submission) == Status.CREATED


def test_a_file_is_not_read_if_no_one_can_scan_it(client, submission, scanner, settings) -> None:
    scanner.is_up = False
    refused = send(client, register())
    assert (refused.status_code, refused["Retry-After"]) == (503, "60")
    assert scanner.sizes == []
    scanner.is_up = True
    assert send(client, register()).status_code == 202


def test_the_same_request_is_done_once_the_scanner_is_back(client, submission, scanner) -> None:
    key = {"Idempotency-Key": "a-key-of-this-test"}

    def again() -> int:
        file = {"file": SimpleUploadedFile("lar.txt", register())}
        return client.post(f"{F}/submissions/1", file, headers=key).status_code

    scanner.is_up = False
    assert again() == 503
    scanner.is_up = True
    assert [again(), again()] == [202, 202]
    assert len(scanner.sizes) == 1


def test_an_upload_in_parts_is_scanned_as_a_whole(client, submission, scanner, settings) -> None:
    parts = begun(client, len(INFECTED))
    assert parts.patch(INFECTED[:30], 0).status_code == 204  # a signature may begin in any part
    refused = parts.patch(INFECTED[30:], 30)
    assert refused.status_code == 400
    assert error_of(refused)["message"] == REFUSED
    assert status_of(submission) == Status.CREATED
    assert kept(settings) == []
    assert parts.head().status_code == 404
    assert TrailEntry.objects.get(event="infected file refused").actor_username == "ann"
    content = register()
    assert begun(client, len(content)).patch(content, 0).status_code == 204
    assert status_of(submission) == Status.UPLOADED


@pytest.mark.parametrize("is_up", [False, True])
def test_an_upload_in_parts_waits_for_the_scanner(client, submission, scanner, is_up) -> None:
    content = register()
    parts = begun(client, len(content))
    scanner.is_up, scanner.answer = is_up, b"stream: maybe\0"
    refused = parts.patch(content, 0)
    assert (refused.status_code, refused["Retry-After"]) == (503, "60")
    assert status_of(submission) == Status.UPLOADING
    submission.refresh_from_db()
    assert "whole file has arrived" in status_report.report_status(submission).summary
    assert parts.head().status_code == 503
    for _ in range(10):  # more often than a job is tried
        sweep_later(submission)
        assert status_of(submission) == Status.UPLOADING
    assert Job.objects.get(submission=submission, stage="upload").attempts == 1
    scanner.is_up, scanner.answer = True, None
    sweep_later(submission)
    assert status_of(submission) == Status.UPLOADED
    assert parts.offset() == len(content)


def sweep_later(submission: Submission) -> None:
    """Sweep when the next attempt is due."""
    upload_job = Job.objects.filter(submission=submission, stage="upload")
    upload_job.update(lease_until=timezone.now() - timedelta(seconds=1))
    sweeper.sweep_jobs()


def test_the_sweeper_refuses_an_infected_file(client, submission, scanner, settings) -> None:
    parts = begun(client, len(INFECTED))
    scanner.is_up = False
    assert parts.patch(INFECTED, 0).status_code == 503
    scanner.is_up = True
    sweep_later(submission)
    assert status_of(submission) == Status.CREATED
    assert kept(settings) == []
    entry = TrailEntry.objects.get(event="infected file refused")
    assert entry.actor_username == "ann"  # who sent it, not who swept
    page = text(signed_in(member("ann", submission.lei)).get(f"{FILING}1/upload/"))
    assert f"The last upload did not succeed. {REFUSED}" in page


def test_the_sender_of_a_file_that_is_refused_later_gets_an_email(
    client, submission, scanner, settings
) -> None:
    parts = begun(client, len(INFECTED))
    scanner.is_up = False
    parts.patch(INFECTED, 0)
    sweep_later(submission)  # the scanner is still away
    assert not Mail.objects.exists()
    scanner.is_up = True
    sweep_later(submission)
    mail = Mail.objects.get()
    assert (mail.kind, mail.to) == ("refusal", "ann@bank.example")
    assert mail.subject == f"HMDA file of Test Bank for {submission.period} was refused"
    assert REFUSED in mail.text
    assert f"\n{settings.PUBLIC_URL}{FILING}1/\n" in mail.text
    sweep_later(submission)
    assert Mail.objects.count() == 1


def test_a_sender_who_reads_the_refusal_gets_no_email(client, submission, scanner) -> None:
    parts = begun(client, len(INFECTED))
    scanner.is_up = False
    parts.patch(INFECTED, 0)
    scanner.is_up = True
    Job.objects.filter(submission=submission).update(heartbeat=None)
    assert REFUSED in str(error_of(parts.patch(b"", len(INFECTED))))
    assert not Mail.objects.exists()


@pytest.fixture
def browser(institution: Any, open_period: Any) -> Client:
    return signed_in(member("ann", institution.lei))


def test_the_page_says_what_the_scan_found(browser, scanner, settings) -> None:
    form = begin(browser)
    assert REFUSED in text(upload(browser, form, INFECTED), 400)
    assert kept(settings) == []
    assert upload(browser, form, register()).status_code == 303


def test_the_pages_say_that_a_whole_file_waits(browser, scanner) -> None:
    form = begin(browser)
    content = register()
    parts = begun(caller(), len(content))
    scanner.is_up = False
    assert parts.patch(content, 0).status_code == 503
    assert "has arrived and is not accepted yet" in text(browser.get(form))
    assert "you do not need to send it again" in text(browser.get(f"{FILING}1/"))


PUBLIC = [
    "/v2/public/disclosure/parse",
    "/v2/public/disclosure/validate/2024",
    "/v2/public/uli/checkDigit/csv",
]


@pytest.mark.parametrize("address", PUBLIC)
def test_files_of_unknown_callers_are_scanned_too(scanner, address: str) -> None:
    client = Client()
    answer = send(client, INFECTED, address)
    assert (answer.status_code, error_of(answer)["message"]) == (400, REFUSED)
    assert scanner.sizes == [len(INFECTED)]
    entry = TrailEntry.objects.get(event="infected file refused")
    assert (entry.actor_id, entry.about) == ("", "lar.txt")
    assert send(client, INFECTED, address).status_code == 400
    assert TrailEntry.objects.filter(event="infected file refused").count() == 1
    scanner.is_up = False
    away = send(client, INFECTED, address)
    assert (away.status_code, away["Retry-After"]) == (503, "60")


def test_the_page_that_checks_receipts_scans_files_and_needs_no_scanner_without(scanner) -> None:
    assert REFUSED in text(send(Client(), INFECTED, "/receipts/check/"), 400)
    scanner.is_up = False
    answer = Client().post("/receipts/check/", {"receipt": "none"})
    assert b"virus" not in answer.content


def test_the_limit_of_uploads_is_that_of_the_scanner(tmp_path: Path) -> None:
    code = (
        "from config import settings as s; import json; "
        "print(json.dumps([s.UPLOAD_LIMIT, s.PUBLIC_UPLOAD_LIMIT, s.SCAN_ADDRESS]))"
    )

    def limits(**more: str) -> list[Any]:
        environment = {**os.environ, "DATA_DIR": str(tmp_path), **more}
        result = subprocess.run(
            [sys.executable, "-c", code], env=environment, capture_output=True, check=True
        )
        return list(json.loads(result.stdout))

    assert limits() == [2 * 1024**3, 50 * 1024**2, None]
    where = "clamd://scan.example"
    assert limits(SCAN_URL=where) == [2**31 - 3, 50 * 1024**2, ["scan.example", 3310]]
    assert limits(SCAN_URL=where, SCAN_LIMIT="1000") == [1000, 1000, ["scan.example", 3310]]
    (tmp_path / "address").write_text("clamd:///run/clamav/clamd.ctl\n")
    assert limits(SCAN_URL_FILE=str(tmp_path / "address"))[2] == "/run/clamav/clamd.ctl"
