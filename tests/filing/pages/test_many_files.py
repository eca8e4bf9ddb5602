"""Upload of many files at once: which filing each is for, and one that fails holds up no other."""

from __future__ import annotations

import json
from datetime import date
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client

from filing.models import Filing, FilingPeriod, Institution, Membership, Submission
from filing.statuses import FilingStatus, Status
from filing.submissions import many_files
from tests import make
from tests.conftest import LEI
from tests.filing.pages.steps import FILING, OTHER_LEI, begin, member, signed_in, text
from tests.filing.submissions.resuming import VERSION, Sending, metadata
from tests.filing.submissions.uploading import register

pytestmark = pytest.mark.django_db
PAGE = "/filing/upload/"
PLAN = f"{PAGE}plan/"
FOREIGN_LEI = "529900NOSUCHBANK0000"


def file_for(lei: str, *, year: int = 2024, quarter: int = 4) -> bytes:
    content = register().replace(LEI.encode(), lei.encode())
    sheet, _, rest = content.partition(b"\n")
    cells = sheet.split(b"|")
    cells[2:4] = [str(year).encode(), str(quarter).encode()]
    return b"|".join(cells) + b"\n" + rest


def send_files(browser: Client, *files: tuple[str, bytes], **more: Any) -> HttpResponse:
    sent = [SimpleUploadedFile(name, content) for name, content in files]
    return browser.post(PAGE, {"file": sent, **more})


def plan(browser: Client, *files: tuple[str, bytes]) -> dict[str, Any]:
    """Ask, as the script does, what would become of files; return the whole answer."""
    chosen = [
        {"name": name, "size": len(content), "line": content.decode().split("\n")[0]}
        for name, content in files
    ]
    answer = browser.post(PLAN, {"files": chosen}, content_type="application/json")
    assert answer.status_code == 200, answer.content
    return answer.json()


def plan_files(browser: Client, *files: tuple[str, bytes]) -> list[dict[str, Any]]:
    return plan(browser, *files)["files"]


@pytest.fixture
def other_institution(institution: Institution) -> Institution:
    return make.institution(OTHER_LEI, name="Other Bank")


@pytest.fixture
def vera(other_institution: Institution, open_period: FilingPeriod) -> User:
    """Someone who files for two institutions."""
    return member("vera", LEI, OTHER_LEI)


@pytest.fixture
def vendor(vera: User) -> Client:
    return signed_in(vera)


def test_a_file_that_cannot_be_uploaded_holds_up_no_other(vendor: Client) -> None:
    answer = send_files(
        vendor,
        ("foreign.txt", file_for(FOREIGN_LEI)),
        ("sheet.txt", b"PK\x03\x04 a workbook"),
        ("empty.txt", b""),
        ("notes.csv", b"a,b\n"),
        ("own.txt", file_for(LEI)),
    )
    assert Submission.objects.get().file_name == "own.txt"
    page = text(vendor.get(answer["Location"]))
    assert page.count("Not uploaded") == 4
    assert f"The transmittal sheet names LEI {FOREIGN_LEI}; you cannot upload files for it." in page
    assert "The file is a zip archive." in page
    assert "The file is empty" in page
    assert 'The name "notes.csv" does not end in .txt' in page


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"no sheet\n", "The first line is not a transmittal sheet"),
        (file_for(LEI, quarter=7), "the calendar quarter 7, which are no filing period"),
        (file_for(LEI, year=1999), "The year 1999 has no rules to check files with"),
        (file_for(LEI, quarter=1), "There is no filing for 2024-Q1."),
    ],
)
def test_a_file_without_a_filing_says_why(vendor: Client, content: bytes, reason: str) -> None:
    assert reason in plan_files(vendor, ("a.txt", content))[0]["refusal"]
    page = text(vendor.get(send_files(vendor, ("a.txt", content))["Location"]))
    assert reason in page
    assert not Submission.objects.exists()


def test_a_closed_period_and_a_cancelled_filing_take_no_file(vendor: Client) -> None:
    begin(vendor)
    Filing.objects.update(status=FilingStatus.CANCELLED)
    assert "canceled" in plan_files(vendor, ("a.txt", file_for(LEI)))[0]["refusal"]
    Filing.objects.update(status=FilingStatus.IN_PROGRESS)
    FilingPeriod.objects.update(timely_until=date(2020, 1, 2), closes=date(2020, 1, 2))
    assert "closed on" in plan_files(vendor, ("a.txt", file_for(LEI)))[0]["refusal"]


def test_the_plan_names_the_submission_that_receives_the_file(vendor: Client) -> None:
    files = ("a.txt", file_for(LEI)), ("b.txt", file_for(OTHER_LEI))
    begin(vendor)
    first, second = plan_files(vendor, *files)
    assert first["what"] == "Submission 1, waiting for its file"
    assert (second["what"], second["filing"]) == ("Submission 1, new", "Other Bank, 2024")
    assert first["uploads"] == f"{FILING}uploads/?after=1"
    assert not first["refusal"]


def test_a_file_that_was_uploaded_before_is_not_uploaded_again(vendor: Client) -> None:
    files = ("a.txt", file_for(LEI)), ("b.txt", file_for(OTHER_LEI))
    send_files(vendor, files[0])
    answer = send_files(vendor, *files)
    assert Submission.objects.count() == 2
    assert "Submission 1 already has this file." in text(vendor.get(answer["Location"]))
    (same,) = plan_files(vendor, files[0])[0]["same"]
    assert same["sha256"] == Submission.objects.get(file_name="a.txt").sha256


def test_two_files_for_one_filing_are_both_refused(vendor: Client) -> None:
    files = ("a.txt", file_for(LEI)), ("b.txt", file_for(LEI) + b"\n")
    first, second = (each["refusal"] for each in plan_files(vendor, *files))
    assert first == "b.txt is for the same filing. Choose one of them."
    assert second.startswith("a.txt is for the same filing.")
    send_files(vendor, *files)
    assert not Submission.objects.exists()


def test_an_upload_that_is_not_finished_is_left_alone(vendor: Client) -> None:
    begin(vendor)
    headers = {"Upload-Length": "100", "Upload-Metadata": metadata("lar.txt"), **VERSION}
    vendor.post(f"{FILING}1/uploads/", headers={**headers, "Idempotency-Key": "one"})
    send_files(vendor, ("a.txt", file_for(LEI)))
    assert Submission.objects.get().status == Status.UPLOADING


def test_a_form_that_is_sent_twice_has_one_effect(vendor: Client) -> None:
    first = send_files(vendor, ("a.txt", file_for(LEI)), idempotency_key="k")
    again = send_files(vendor, ("a.txt", file_for(LEI)), idempotency_key="k")
    assert again["Location"] == first["Location"]
    assert Submission.objects.count() == 1


def test_the_script_sends_each_file_by_itself(vendor: Client) -> None:
    content = file_for(LEI)
    answer = plan(vendor, ("a.txt", content), ("x.txt", b"x"))
    headers = {"Upload-Length": str(len(content)), "Upload-Metadata": metadata("a.txt"), **VERSION}
    begun = vendor.post(answer["files"][0]["uploads"], headers=headers)
    assert begun.status_code == 201
    assert Sending(vendor, begun["Location"]).patch(content, 0).status_code == 204
    page = text(vendor.get(answer["results"]))
    assert "Submission 1" in page
    assert "The first line is not a transmittal sheet" in page


def test_whoever_lost_the_right_sees_no_state(vendor: Client) -> None:
    answer = send_files(vendor, ("a.txt", file_for(LEI)))
    Membership.objects.filter(lei=LEI).delete()
    assert "You can no longer file for this institution." in text(vendor.get(answer["Location"]))
    again = send_files(vendor, ("a.txt", file_for(LEI) + b"\n"))
    assert "you cannot upload files for it" in text(vendor.get(again["Location"]))


def test_results_belong_to_one_session(vendor: Client, vera: User) -> None:
    answer = send_files(vendor, ("a.txt", file_for(LEI)))
    assert signed_in(vera).get(answer["Location"]).status_code == 404


def test_at_most_so_many_files_are_taken_at_once(vendor: Client) -> None:
    many = [(f"{number}.txt", b"1|") for number in range(many_files.MOST_FILES + 1)]
    assert f"up to {many_files.MOST_FILES} files" in text(send_files(vendor, *many), 413)
    body = {"files": [{"name": name, "size": 2, "line": "1|"} for name, _ in many]}
    assert vendor.post(PLAN, body, content_type="application/json").status_code == 413
    assert not Submission.objects.exists()


def test_the_limit_of_a_file_counts_for_each(vendor: Client, settings: Any) -> None:
    settings.UPLOAD_LIMIT = len(file_for(LEI)) + 10
    answer = send_files(vendor, ("big.txt", file_for(OTHER_LEI) * 2), ("a.txt", file_for(LEI)))
    assert "larger than" in text(vendor.get(answer["Location"]))
    assert Submission.objects.get().file_name == "a.txt"


@pytest.mark.parametrize("body", [b"", b"[]", b"{}", b'{"files": [1]}', b'{"files": []}'])
def test_a_malformed_request_of_the_script_is_refused(vendor: Client, body: bytes) -> None:
    answer = vendor.post(PLAN, body, content_type="application/json")
    assert answer.status_code == 400
    assert json.loads(answer.content)["message"]


def test_a_form_without_files_or_sign_in_is_refused(vendor: Client, client: Client) -> None:
    assert "Choose at least one file." in text(vendor.post(PAGE), 400)
    assert client.get(PAGE).status_code == 302
    assert client.post(PLAN).status_code == 401
