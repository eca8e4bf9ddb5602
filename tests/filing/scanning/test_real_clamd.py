"""Uploads with a real clamd and the configuration that comes with the service."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from config.doctor.files import check_scanner
from filing import scanning
from filing.models import Submission, TrailEntry
from filing.scanning import NoVerdict, ScannerFault
from filing.statuses import Status
from tests.config.doctor.messages import texts
from tests.errors import error_of
from tests.filing.pages.steps import begin, member, signed_in, text, upload
from tests.filing.scanning.scanners import INFECTED, SIGNATURE, a_real_clamd
from tests.filing.submissions.resuming import F, begun, caller
from tests.filing.submissions.uploading import register

pytestmark = [pytest.mark.slow, pytest.mark.django_db]

NAME = f"{SIGNATURE}.UNOFFICIAL"  # of a signature that is not from ClamAV
REFUSED = f"The virus scan found {NAME} in the file"
LINE = b"2|" + b"1|" * 500 + b"\n"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with a_real_clamd(tmp_path_factory.mktemp("clamd")) as place:
        yield place


@pytest.fixture
def used(place: Path, settings: Any) -> Path:
    settings.SCAN_ADDRESS = str(place)
    return place


@pytest.mark.usefixtures("used")
def test_whole_files_over_the_api(submission: Submission) -> None:
    def send(content: bytes) -> Any:
        file = SimpleUploadedFile("lar.txt", content)
        return caller().post(f"{F}/submissions/1", {"file": file})

    refused = send(INFECTED)
    assert refused.status_code == 400
    assert error_of(refused)["message"].startswith(REFUSED)
    assert TrailEntry.objects.get(event="infected file refused").about == str(submission)
    assert send(register()).status_code == 202
    assert Submission.objects.get(pk=submission.pk).status == Status.UPLOADED


@pytest.mark.usefixtures("used")
def test_files_in_parts(submission: Submission) -> None:
    parts = begun(caller(), len(INFECTED))
    assert parts.patch(INFECTED[:30], 0).status_code == 204
    assert error_of(parts.patch(INFECTED[30:], 30))["message"].startswith(REFUSED)
    content = register()
    assert begun(caller(), len(content)).patch(content, 0).status_code == 204


@pytest.mark.usefixtures("used", "open_period")
def test_files_on_the_page_and_of_anyone(institution: Any) -> None:
    browser = signed_in(member("ann", institution.lei))
    form = begin(browser)
    assert REFUSED in text(upload(browser, form, INFECTED), 400)
    assert upload(browser, form, register()).status_code == 303
    sent = {"file": SimpleUploadedFile("lar.txt", INFECTED)}
    assert REFUSED in error_of(Client().post("/v2/public/disclosure/parse", sent))["message"]


@pytest.mark.usefixtures("used")
def test_the_doctor_asks_it() -> None:
    found = texts(check_scanner)
    assert "ClamAV 1" in found
    assert f"It finds the EICAR test file ({NAME})." in found


def test_a_signature_anywhere_in_a_large_file_is_found(place: Path) -> None:
    large = LINE * 120_000  # more than the limits that clamd has by default
    assert len(large) > 100 * 1024**2
    for content, expected in ((large, ""), (large + INFECTED, NAME), (INFECTED + large, NAME)):
        assert scanning.find_signature(io.BytesIO(content), str(place), seconds=60) == expected


@pytest.mark.parametrize(
    ("limit", "trouble"),
    [("StreamMaxLength", ScannerFault.TOO_LARGE), ("MaxFileSize", ScannerFault.IN_PART)],
)
def test_a_file_over_a_limit_of_clamd_is_not_clean(
    tmp_path: Path, limit: str, trouble: ScannerFault
) -> None:
    with a_real_clamd(tmp_path, **{limit: "1M"}) as place, pytest.raises(NoVerdict) as caught:
        scanning.find_signature(io.BytesIO(LINE * 20_000), str(place), seconds=60)
    assert caught.value.trouble is trouble


def test_without_our_configuration_it_would_pass_for_clean(tmp_path: Path) -> None:
    """The trap that `AlertExceedsMax` is set for: clamd says OK to what it has not scanned."""
    limits = {"MaxFileSize": "1M", "AlertExceedsMax": "no"}
    with a_real_clamd(tmp_path, **limits) as place:
        infected = INFECTED + LINE * 20_000
        assert scanning.find_signature(io.BytesIO(infected), str(place), seconds=60) == ""
