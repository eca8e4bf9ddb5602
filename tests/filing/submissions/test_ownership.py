"""Whose file it is: the file of another institution is not certified, wherever it is tried."""

from __future__ import annotations

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client

from filing.access import Caller
from filing.edits.examples import records
from filing.errors import Conflict
from filing.lar.years import Period
from filing.models import Signature, Submission, UploadPart
from filing.statuses import Status
from filing.submissions import actions, ownership, status_report
from tests import make
from tests.conftest import LEI
from tests.errors import error_of
from tests.filing.pages.steps import member, signed_in, text, work
from tests.filing.submissions.resuming import VERSION, Sending, metadata

pytestmark = pytest.mark.django_db
OTHER = "529900OTHERBANK00017"
YEAR = Period(2025)
PAGES = f"/filing/{LEI}/2025/"
API = f"/v2/filing/institutions/{LEI}/filings/2025/submissions/1"


def lar(lei: str) -> bytes:
    """Return a file that triggers no edit of records, but Q303 where the LEI is a foreign one."""
    ulis = (records.numbered_uli(lei, number) for number in range(1, 4))
    loans = [records.correct_loan(YEAR, lei, uli=uli) for uli in ulis]
    sheet = records.correct_transmittal_sheet(YEAR, lei, len(loans))
    return ("\n".join(map(records.write_record_line, [sheet, *loans])) + "\n").encode()


@pytest.fixture
def browser(db: None) -> Client:
    make.institution(year=2025)
    make.period(2025)
    return signed_in(member("ann", LEI))


@pytest.fixture
def api() -> Client:
    return make.program(leis=[LEI])


@pytest.fixture
def foreign(browser: Client) -> Submission:
    """A submission whose file is another institution's, received by a call of the API."""
    browser.post(PAGES)
    return receive(lar(OTHER))


def receive(content: bytes) -> Submission:
    answer = send(make.program(leis=[LEI]), API, content)
    assert answer.status_code == 202, answer.content
    work()
    return Submission.objects.get()


def send(caller: Client, address: str, content: bytes) -> HttpResponse:
    return caller.post(address, {"file": SimpleUploadedFile("lar.txt", content)})


def names_both(message: str) -> bool:
    return OTHER in message and LEI in message and "line 1" in message


@pytest.mark.parametrize("kind", ["quality", "macro"])
def test_the_api_verifies_no_file_of_another_institution(
    foreign: Submission, api: Client, kind: str
) -> None:
    assert foreign.status in (Status.QUALITY_ERRORS, Status.MACRO_ERRORS)
    answer = api.post(f"{API}/edits/{kind}", {"verified": True}, content_type="application/json")
    assert answer.status_code == 409
    assert names_both(error_of(answer)["message"])
    assert not Submission.objects.filter(quality_verified=True).exists()
    assert Submission.objects.get().status == foreign.status


def test_what_was_verified_before_is_not_signed(foreign: Submission, api: Client) -> None:
    Submission.objects.update(status=Status.VERIFIED, quality_verified=True, macro_verified=True)
    answer = api.post(f"{API}/sign", {"signed": True}, content_type="application/json")
    assert answer.status_code == 409
    assert names_both(error_of(answer)["message"])
    assert not Signature.objects.exists()
    removed = api.post(f"{API}/edits/quality", {"verified": False}, content_type="application/json")
    assert removed.status_code == 200


def test_the_pages_say_it_before_and_have_no_form(foreign: Submission, browser: Client) -> None:
    page = browser.get(f"{PAGES}1/")
    assert names_both(text(page))
    assert "Upload the right file" in text(page)
    assert "Review and verify" not in text(page)
    verify = browser.get(f"{PAGES}1/verify/quality/", follow=True)
    assert names_both(text(verify))
    assert 'name="verified"' not in verify.content.decode()
    assert "Upload the right file" in text(verify)
    for address in ("/filing/", PAGES):
        assert "another institution" in text(browser.get(address))
    Submission.objects.update(status=Status.VERIFIED, quality_verified=True, macro_verified=True)
    sign = browser.get(f"{PAGES}1/sign/")
    assert names_both(text(sign))
    assert 'name="certified"' not in sign.content.decode()
    assert "Upload the right file" in text(sign)
    posted = browser.post(f"{PAGES}1/sign/", {"certified": "on"})
    assert names_both(text(posted, 409))
    assert not Signature.objects.exists()


CHANGES = [
    ((LEI, OTHER), OTHER),
    (("|2025|4|", "|2024|4|"), "2024"),
    (("|2025|4|", "|2025|2|"), "quarter 2"),
]


def wrong(change: tuple[str, str]) -> bytes:
    return lar(LEI).decode().replace(*change, 1).encode()


@pytest.mark.parametrize(("change", "named"), CHANGES)
def test_the_form_refuses_a_file_of_another_filing(
    browser: Client, change: tuple[str, str], named: str
) -> None:
    browser.post(PAGES)
    answer = send(browser, f"{PAGES}1/upload/", wrong(change))
    assert named in text(answer, 400)
    assert "line 1" in text(answer, 400)
    nothing_is_stored()
    assert send(browser, f"{PAGES}1/upload/", lar(LEI)).status_code == 303


@pytest.mark.parametrize(("change", "named", "first"), [(*CHANGES[0], 40), (*CHANGES[1], 100_000)])
def test_an_upload_in_parts_refuses_a_file_of_another_filing(
    browser: Client, change: tuple[str, str], named: str, first: int
) -> None:
    """Also if the first line arrives in two parts."""
    browser.post(PAGES)
    content = wrong(change)
    headers = {"Upload-Length": str(len(content)), "Upload-Metadata": metadata("lar.txt")}
    begun = browser.post(
        f"{PAGES}1/uploads/", headers={**headers, **VERSION, "Idempotency-Key": "k"}
    )
    sending = Sending(browser, begun["Location"])
    answer = sending.patch(content[:first], 0)
    if first < len(content):
        assert answer.status_code == 204
        answer = sending.patch(content[first:], first)
    assert answer.status_code == 400
    assert named in answer.json()["message"]
    nothing_is_stored()
    assert "did not succeed" in text(browser.get(f"{PAGES}1/upload/"))


def nothing_is_stored() -> None:
    submission = Submission.objects.get()
    assert (submission.status, submission.raw_file) == (Status.CREATED, "")
    assert not UploadPart.objects.exclude(upload__outcome="ended").exists()


def test_the_help_desk_reads_it_too(foreign: Submission) -> None:
    report = status_report.report_status(foreign)
    assert report.waiting_for == "the filer"
    assert names_both(report.problem)


@pytest.mark.parametrize("lei", ["", LEI.replace("K", "\u212a")])
def test_other_leis_are_foreign(submission: Submission, filer: Caller, lei: str) -> None:
    assert ownership.find_foreign_lei(submission) is None  # nothing is read yet
    submission.transmittal_sheet = {"lei": lei}
    submission.save()
    foreign = ownership.find_foreign_lei(submission)
    assert foreign == ownership.ForeignLei(lei, 1, LEI)
    submission.status = Status.VERIFIED
    submission.save()
    with pytest.raises(Conflict):
        actions.require_signable(submission)
