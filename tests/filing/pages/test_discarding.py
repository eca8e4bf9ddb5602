"""A filer discards what is in progress; nothing of it is lost."""

from __future__ import annotations

import pytest

from filing.models import Submission
from filing.statuses import Status
from tests.filing.pages.steps import (
    FILING,
    begin,
    prepare,
    sign,
    text,
    upload,
)
from tests.filing.submissions.uploading import register

pytestmark = pytest.mark.django_db
DISCARD = f"{FILING}2/discard/"


@pytest.fixture
def correcting(browser, census):
    """A browser whose first submission is filed, and whose second one waits for a file."""
    sign(browser, prepare(browser, register()))
    begin(browser)
    return browser


def test_a_submission_is_discarded_after_a_question(correcting):
    answer = correcting.get(DISCARD)
    assert "Discard submission 2?" in text(answer)
    assert 'name="idempotency_key"' in answer.content.decode()
    assert Submission.objects.get(sequence_number=2).discarded_at is None
    answer = correcting.post(DISCARD, {"reason": "Started by mistake."})
    assert (answer.status_code, answer["Location"]) == (303, FILING)
    submission = Submission.objects.get(sequence_number=2)
    assert submission.discarded_at
    assert submission.status == Status.CREATED
    assert submission.changes.last().reason == "Started by mistake."
    page = text(correcting.get(FILING))
    assert "Submission 2 was discarded." in page
    assert "Discarded on" in page
    assert "In progress" not in page
    assert "Discarded on" in text(correcting.get(f"{FILING}2/"))


def test_a_discarded_submission_takes_no_file_and_the_next_one_is_new(correcting):
    correcting.post(DISCARD)
    assert correcting.get(f"{FILING}2/upload/")["Location"] == f"{FILING}2/"
    assert upload(correcting, f"{FILING}2/upload/", register()).status_code == 409
    assert correcting.get(DISCARD)["Location"] == f"{FILING}2/"
    assert begin(correcting) == f"{FILING}3/upload/"


def test_a_discarded_submission_is_not_verified_or_signed(browser, census):
    prepare(browser, register())
    browser.post(f"{FILING}1/discard/")
    for page in ("sign/", "verify/quality/"):
        answer = browser.post(f"{FILING}1/{page}", {"certified": "on", "verified": "true"})
        assert answer.status_code == 409
    shown = text(browser.get(f"{FILING}1/"))
    assert "Certify and sign" not in shown.partition("Submission 1:")[2]
    assert "Discard this submission" not in shown
