"""Verifying and signing in the browser: who, when, why, and who may not."""

from __future__ import annotations

import json

import pytest

from filing import day_hours
from filing.lar.period import Period
from filing.models import Mail, ReceiptKey, Signature, StatusChange, Submission
from filing.receipts import checking
from filing.statuses import Event, Status
from tests.conftest import LEI
from tests.filing.pages.steps import FILING, begin, member, signed_in, text, upload, work
from tests.filing.submissions.uploading import register

pytestmark = pytest.mark.django_db
VERIFY, SIGN, RECEIPT = (f"{FILING}1/{page}/" for page in ("verify/quality", "sign", "receipt"))


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


def test_a_verification_says_who_when_and_why(quality):
    quality.post(VERIFY, {"verified": "true", "reason": "Compared with the loan files."})
    line = StatusChange.objects.get(event=Event.QUALITY_VERIFIED.name)
    assert (line.actor_username, line.reason) == ("ann", "Compared with the loan files.")
    for page in (VERIFY, SIGN):
        shown = text(quality.get(page))
        assert "Verified by ann@bank.example on" in shown
        assert "Compared with the loan files." in shown


def test_who_verified_first_stays_who_verified(quality):
    beth = signed_in(member("beth", LEI))
    for person in (quality, beth):
        answer = person.post(VERIFY, {"verified": "true"})
        assert answer.status_code == 303
    assert StatusChange.objects.filter(event=Event.QUALITY_VERIFIED.name).count() == 1
    assert "Verified by ann@bank.example" in text(beth.get(VERIFY))


def test_a_verification_that_was_removed_names_nobody(verified):
    verified.post(VERIFY, {"verified": "false"})
    shown = text(verified.get(VERIFY))
    assert "Verified by" not in shown
    assert "Reason (optional)" in shown


@pytest.mark.parametrize(
    ("form", "message"),
    [
        ({}, "verified is missing; send true or false."),
        ({"verified": "yes"}, "verified is yes; send true or false."),
        (
            {"verified": "true", "reason": "x" * 501},
            "The reason has 501 characters; enter at most 500.",
        ),
    ],
)
def test_a_bad_form_changes_nothing(quality, form, message):
    assert message in text(quality.post(VERIFY, form), 400)
    assert not Submission.objects.get().quality_verified


@pytest.mark.parametrize("ago", [16 * 60, 86400])
def test_signing_takes_a_sign_in_of_the_last_fifteen_minutes(verified, ann, ago):
    stale = signed_in(ann, ago=ago)
    page = stale.get(SIGN)
    assert "To sign, sign in again." in text(page)
    assert f"/sign-in/?again=1&amp;next={SIGN.replace('/', '%2F')}" in page.content.decode()
    assert "Select the box" not in text(stale.post(SIGN, {"certified": "on"}), 403)
    assert Submission.objects.get().status == Status.VERIFIED
    assert signed_in(ann, ago=14 * 60).post(SIGN, {"certified": "on"}).status_code == 303


def test_two_people_sign_where_the_operator_wants_two(verified, settings):
    settings.SIGNER_DIFFERS = True
    refusal = "another person of your institution must sign it"
    assert refusal in text(verified.get(SIGN), 403)
    assert refusal in text(verified.post(SIGN, {"certified": "on"}), 403)
    beth = signed_in(member("beth", LEI))
    assert beth.post(SIGN, {"certified": "on"}).status_code == 303
    assert Submission.objects.get().signature.signer_username == "beth"


def test_the_api_wants_two_people_too(verified, settings, client, ann):
    settings.SIGNER_DIFFERS = True
    from config.identity import tokens

    token = tokens.issue(tokens.identity_of(ann), seconds=60)
    answer = client.post(
        f"/v2/filing/institutions/{LEI}/filings/2024/submissions/1/sign",
        {"signed": True},
        content_type="application/json",
        headers={"authorization": f"Bearer {token}"},
    )
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


def test_a_receipt_has_one_date_also_where_it_is_another_day_in_utc(verified, settings):
    verified.post(SIGN, {"certified": "on"})
    signed_at = Signature.objects.get().signed_at
    # They are 14 hours ahead of UTC and 11 behind it.
    settings.FILING_TIME_ZONE = "Pacific/Kiritimati" if signed_at.hour >= 11 else "Pacific/Niue"
    day = day_hours.local(signed_at)
    assert day.date() != signed_at.date()
    shown = text(verified.get(RECEIPT))
    assert f"Filed on {day:%B} {day.day}, {day.year};" in shown
    assert f"Signed {day:%B} {day.day}, {day.year}, {day:%-I:%M:%S}" in shown


def test_a_receipt_is_there_as_json(verified):
    assert "is not signed" in text(verified.get(RECEIPT), 404)
    assert "is not signed" in text(verified.post(RECEIPT), 404)
    verified.post(SIGN, {"certified": "on"})
    submission = Submission.objects.get()
    answer = verified.get(RECEIPT, {"format": "json"})
    assert answer["Content-Disposition"] == f'attachment; filename="receipt-{submission}.json"'
    assert answer["Content-Type"] == "application/json"
    assert checking.check(answer.content).genuine
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


def test_the_receipt_names_its_key_and_the_page_to_check_it(verified):
    verified.post(SIGN, {"certified": "on"})
    shown = text(verified.get(RECEIPT))
    assert f"Signed with key {ReceiptKey.objects.get().kid}" in shown
    assert "without an account, to see that it is genuine and unchanged." in shown
    assert 'href="/receipts/check/"' in verified.get(RECEIPT).content.decode()


def test_a_receipt_that_could_not_be_signed_is_there_without_proof(verified, settings):
    settings.RECEIPT_SIGNING_KEY = "no key"
    verified.post(SIGN, {"certified": "on"})
    assert "It is not signed by this service yet" in text(verified.get(RECEIPT))
    assert json.loads(verified.get(RECEIPT, {"format": "json"}).content)["proof"] is None
