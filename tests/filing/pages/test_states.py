"""A filed filing stays filed on all pages; what does not count says so."""

from __future__ import annotations

import pytest

from filing import day_hours
from filing.models import Filing, Submission
from filing.pages import states
from filing.statuses import FilingStatus, Status
from tests.conftest import LEI
from tests.filing.pages.steps import FILING, begin, prepare, sign, text, upload, work
from tests.filing.submissions.uploading import register

pytestmark = pytest.mark.django_db
OVERVIEWS = ("/filing/", f"/filing/{LEI}/", FILING)
WHY = "Ten loans were missing."


def filed_on(number: int) -> str:
    return states.describe_filing_time(Submission.objects.get(sequence_number=number))


@pytest.fixture
def filed(browser, census):
    """A browser whose first submission is filed."""
    assert sign(browser, prepare(browser, register())).status_code == 303
    return browser


@pytest.mark.parametrize("content", [None, register(V617=1), b"\xff\xfe1|\xe9|\n" * 9])
def test_filed_stays_filed_beside_what_is_in_progress(filed, content):
    form = begin(filed)
    if content is None:
        state = "Waiting for a file"
    else:
        upload(filed, form, content)
        work()
        state = text(filed.get(f"{FILING}2/")).partition("Submission 2: ")[2][:12]
    receipt = Submission.objects.get(sequence_number=1).signature.receipt
    for address in OVERVIEWS:
        answer = filed.get(address)
        page = text(answer)
        assert filed_on(1) in page
        assert page.index(filed_on(1)) < page.index("In progress: submission 2")
        assert f"In progress: submission 2 , {state}" in page
        assert receipt in page
        assert f'href="{FILING}1/receipt/"' in answer.content.decode()
        assert f'href="{FILING}2/discard/"' in answer.content.decode()


@pytest.fixture
def replaced(filed):
    """A browser whose first submission was replaced by its second one."""
    assert sign(filed, prepare(filed, register(rows=70)), reason=WHY).status_code == 303
    return filed


def test_a_replaced_submission_says_so_and_the_one_that_replaced_it_counts(replaced):
    later = Submission.objects.get(sequence_number=2).signature
    words = f"Replaced by submission 2, filed on {day_hours.describe_day(later.signed_at)}"
    for page in ("", "1/", "1/receipt/"):
        answer = replaced.get(f"{FILING}{page}")
        shown = text(answer).replace(" ,", ",")
        assert words in shown
        assert f'href="{FILING}2/"' in answer.content.decode()
        for wrong in ("Nothing more is required", "complete", "Next steps"):
            assert wrong not in shown
    assert "Your filing is complete." in text(replaced.get(f"{FILING}2/"))
    assert "Replaced by" not in text(replaced.get(f"{FILING}2/receipt/"))
    for address in OVERVIEWS:
        assert Submission.objects.get(sequence_number=2).signature.receipt in text(
            replaced.get(address)
        )


@pytest.fixture
def overtaken(browser, census):
    """A browser whose second submission was filed while the first one is ready to sign."""
    pages = [prepare(browser, register(rows=rows)) for rows in (60, 70)]
    assert sign(browser, pages[1]).status_code == 303
    return browser


def test_a_submission_before_the_one_filed_cannot_be_signed_and_says_so(overtaken):
    page = f"{FILING}1/"
    answer = overtaken.get(f"{page}sign/")
    shown = text(answer, 409)
    assert "can no longer be signed" in shown
    assert 'name="certified"' not in answer.content.decode()
    assert f'href="{FILING}2/"' in answer.content.decode()
    assert sign(overtaken, page, reason=WHY).status_code == 409
    assert Submission.objects.get(sequence_number=1).status == Status.VERIFIED
    shown = text(overtaken.get(page))
    assert "can no longer be signed" in shown
    assert "Certify and sign" not in shown.partition("Submission 1:")[2]
    assert f'href="{page}sign/"' not in overtaken.get(page).content.decode()
    assert "In progress" not in text(overtaken.get("/filing/"))


def test_a_cancelled_filing_says_so_on_the_pages_of_its_submissions(browser, census):
    page = prepare(browser, register())
    Filing.objects.update(status=FilingStatus.CANCELLED)
    for address in (page, FILING):
        assert "has canceled this filing" in text(browser.get(address))
    assert "Certify and sign" not in text(browser.get(page)).partition("Submission 1:")[2]
    assert "Canceled" in text(browser.get("/filing/"))
