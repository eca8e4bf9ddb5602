"""Verifying and signing in the browser: who, when, why, and who may not."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest

from filing import day_hours
from filing.lar.fields import LAR_BY_NAME
from filing.lar.years import Period
from filing.models import (
    EditReview,
    Mail,
    StatusChange,
    Submission,
)
from filing.receipts import checking
from filing.statuses import Event, Status
from tests import make
from tests.conftest import LEI
from tests.filing.pages.steps import (
    FILING,
    begin,
    member,
    prepare,
    sign,
    signed_in,
    text,
    upload,
    work,
)
from tests.filing.submissions.uploading import register

pytestmark = pytest.mark.django_db
VERIFY, EDITS, SIGN, RECEIPT = (
    f"{FILING}1/{page}/" for page in ("verify/quality", "edits", "sign", "receipt")
)


@pytest.fixture
def quality(browser, census):
    """A browser whose submission has a quality edit to verify, and nothing else."""
    upload(browser, begin(browser), register(Q611=2))
    work()
    return browser


@pytest.fixture
def verified(quality):
    quality.post(VERIFY, {"verified": "true"})
    return quality


def test_who_verified_first_stays_who_verified(quality):
    beth = signed_in(member("beth", LEI))
    for person in (quality, beth):
        answer = person.post(VERIFY, {"verified": "true"})
        assert answer.status_code == 303
    assert StatusChange.objects.filter(event=Event.QUALITY_VERIFIED.name).count() == 1
    assert "Verified by ann, ann@bank.example" in text(beth.get(EDITS))


def test_a_bad_form_changes_nothing(quality):
    long = {"verified": "true", "reason": "x" * 501}
    for form, message in (
        ({}, "verified is missing; send true or false."),
        ({"verified": "yes"}, "verified is yes; send true or false."),
        (long, "The reason has 501 characters; enter at most 500."),
    ):
        assert message in text(quality.post(VERIFY, form), 400)
    assert not Submission.objects.get().quality_verified


def test_signing_takes_a_sign_in_of_the_last_fifteen_minutes(verified, ann):
    stale = signed_in(ann, ago=16 * 60)
    page = stale.get(SIGN)
    assert "To sign, sign in again." in text(page)
    assert f"/sign-in/?again=1&amp;next={SIGN.replace('/', '%2F')}" in page.content.decode()
    assert "Select the box" not in text(stale.post(SIGN, {"certified": "on"}), 403)
    assert Submission.objects.get().status == Status.VERIFIED
    assert signed_in(ann, ago=14 * 60).post(SIGN, {"certified": "on"}).status_code == 303


def test_what_changed_since_the_page_to_sign_is_shown_before_it_is_signed(verified):
    form = {"certified": "on", "digest": verified.get(SIGN).context["digest"]}
    review = {"submission": Submission.objects.get(), "code": "Q611"}
    EditReview.objects.create(**review, reason="Compared with the loan files.")
    again = verified.post(SIGN, form)
    assert "Compared with the loan files." in text(again, 409)
    assert Submission.objects.get().status == Status.VERIFIED
    assert verified.post(SIGN, form | {"digest": again.context["digest"]}).status_code == 303


def test_two_people_sign_where_the_operator_wants_two(verified, settings):
    settings.SIGNER_DIFFERS = True
    refusal = "another person of your institution must sign it"
    assert refusal in text(verified.get(SIGN), 403)
    assert refusal in text(verified.post(SIGN, {"certified": "on"}), 403)
    beth = signed_in(member("beth", LEI))
    assert beth.post(SIGN, {"certified": "on"}).status_code == 303
    assert Submission.objects.get().signature.signer_username == "beth"


def test_the_api_wants_two_people_too(verified, settings, ann):
    settings.SIGNER_DIFFERS = True
    page = f"/v2/filing/institutions/{LEI}/filings/2024/submissions/1/sign"
    answer = make.program(ann).post(page, {"signed": True}, content_type="application/json")
    assert answer.status_code == 403
    assert "another person of your institution must sign it" in answer.json()["message"]
    assert Submission.objects.get().status == Status.VERIFIED


def test_a_receipt_is_sent_again_once_a_minute(verified):
    verified.post(SIGN, {"certified": "on"})
    work()  # the first email goes out
    assert verified.post(RECEIPT).status_code == 303
    assert "sent a moment ago" in text(verified.get(RECEIPT))
    Mail.objects.update(made_at=Submission.objects.get().created_at.replace(year=2020))
    before = Mail.objects.filter(kind="receipt").count()
    answer = verified.post(RECEIPT)
    assert (answer.status_code, answer["Location"]) == (303, RECEIPT)
    assert Mail.objects.filter(kind="receipt").count() == 2 * before
    assert "The receipt will be sent to" in text(verified.get(RECEIPT))


def test_a_receipt_is_there_as_json(verified):
    assert "is not signed" in text(verified.get(RECEIPT), 404)
    assert "is not signed" in text(verified.post(RECEIPT), 404)
    verified.post(SIGN, {"certified": "on"})
    submission = Submission.objects.get()
    answer = verified.get(RECEIPT, {"format": "json"})
    assert answer["Content-Disposition"] == f'attachment; filename="receipt-{submission}.json"'
    assert answer["Content-Type"] == "application/json"
    assert checking.check_receipt(answer.content).genuine
    facts = json.loads(answer.content)
    assert facts.pop("proof") == submission.signature.signed_receipt.jws
    assert facts.pop("signedAt").startswith(f"{submission.signature.signed_at:%Y-%m-%dT%H:%M:%S}")
    assert facts == {
        "receipt": submission.signature.receipt,
        "lei": LEI,
        "period": str(Period(2024)),
        "sha256": submission.sha256,
        "records": submission.lines - 1,
    }


def test_a_receipt_that_could_not_be_signed_is_there_without_proof(verified, settings):
    settings.RECEIPT_SIGNING_KEY = "no key"
    verified.post(SIGN, {"certified": "on"})
    assert "It is not signed by this service yet" in text(verified.get(RECEIPT))
    assert json.loads(verified.get(RECEIPT, {"format": "json"}).content)["proof"] is None


def quarter_of(closes: int) -> tuple[str, Submission]:
    """Return the address of a submission of a quarter that closes in so many days."""
    last = day_hours.today() + timedelta(days=closes)
    make.period(2024, "Q1", timely_until=last, closes=last)
    submission = make.submission(make.filing(quarter="Q1"), status=Status.VERIFIED)
    return f"/filing/{LEI}/2024/Q1/1/", submission


def test_the_page_to_sign_counts_loans_and_cites_the_paragraph_of_its_period(verified):
    annual = text(verified.get(SIGN))
    assert "1003.5(a)(1)(i)" in annual
    loans = [line.split("|") for line in register(Q611=2).decode().splitlines()[1:]]
    originated = sum(loan[LAR_BY_NAME["action_taken"].number - 1] == "1" for loan in loans)
    assert f"{len(loans)}, of which {originated} originated" in annual
    page, _ = quarter_of(closes=30)
    quarter = text(verified.get(f"{page}sign/"))
    assert "1003.5(a)(1)(ii)" in quarter
    assert "1003.5(a)(1)(i)" not in quarter


@pytest.mark.parametrize("closes", [30, -1])
def test_the_receipt_of_a_quarter_says_where_it_can_still_be_corrected(browser, closes):
    page, submission = quarter_of(closes)
    make.signed(submission)
    shown = text(browser.get(f"{page}receipt/"))
    assert "1003.6(c)(2)" in shown
    assert "until the annual file is due" not in shown
    assert ("upload a corrected file" in shown) is (closes > 0)
    assert ("accepts no corrected file" in shown) is (closes < 0)


@pytest.fixture
def refiling(browser, census):
    """A browser with a filed file of 60 records, and one of 10 that is ready to sign."""
    sign(browser, prepare(browser, register()))
    prepare(browser, register(rows=10))
    return browser


AGAIN = f"{FILING}2/"
WHY = "Loans of another bank were in the file."


def test_a_form_that_is_refused_keeps_the_reason(refiling):
    answer = refiling.post(f"{AGAIN}sign/", {"reason": WHY})
    assert "Select the box" in text(answer, 400)
    assert WHY in answer.content.decode()


def test_the_same_file_again_says_so_and_asks_for_the_reason(browser, census):
    sign(browser, prepare(browser, register()))
    begin(browser)
    form = browser.get(f"{AGAIN}upload/").content.decode()
    assert Submission.objects.get(sequence_number=1).sha256 in form
    upload(browser, f"{AGAIN}upload/", register())
    work()
    for page in (AGAIN, f"{AGAIN}sign/"):
        assert "byte for byte" in text(browser.get(page))
    assert sign(browser, AGAIN).status_code == 400
    assert sign(browser, AGAIN, reason="The agency asked for it.").status_code == 303
    assert "byte for byte" not in text(browser.get(AGAIN))
