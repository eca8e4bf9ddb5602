"""What changed since the last submission: edits gone, new, still there, and records."""

from __future__ import annotations

import pytest

from filing.models import Job, Submission
from filing.storage import open_local_copy
from filing.submissions import comparison
from tests.filing.pages.steps import FILING, begin, prepare, text, upload, work
from tests.filing.pages.tables import cells, saved
from tests.filing.submissions.loan_files import LOANS, loan
from tests.filing.submissions.loan_files import text as file_of
from tests.filing.submissions.uploading import register

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("census")]


def test_the_edits_page_says_what_changed_since_the_last_submission(browser):
    prepare(browser, register(**{"V617": 3, "V628-1": 2}))
    later = prepare(browser, register(**{"V617": 1, "V655-1": 2}))
    page = browser.get(f"{later}edits/")
    assert {row[0]: row[3] for row in cells(page, "Validity edits")} == {
        "V655-1": "new",
        "V617": "2 fewer",
    }
    assert "No longer triggered since submission 1 V628-1 (2 records)." in text(page)
    assert f'href="{FILING}compare/1/2/"' in page.content.decode()
    assert "since submission" not in text(browser.get(f"{FILING}1/edits/")).lower()


def test_quality_edits_behind_a_file_with_validity_edits_are_explained(browser):
    prepare(browser, register(V617=3, Q611=2))
    prepare(browser, register(Q611=2))
    words = (
        "Submission 1 has syntactical or validity edits, so its quality and macro edits are not "
        "listed. Those of submission 2 count as newly triggered here."
    )
    assert words in text(browser.get(f"{FILING}2/edits/"))
    assert words in text(browser.get(f"{FILING}compare/1/2/"))
    assert "new" not in {row[3] for row in cells(browser.get(f"{FILING}2/edits/"), "Quality edits")}
    first = cells(browser.get(f"{FILING}1/edits/report/"), "Edits that were triggered")
    assert first[2] == ["Quality", "0", "0", "Listed after the edits above are corrected"]


def test_records_added_removed_and_changed_are_listed_with_their_fields(browser):
    prepare(browser, file_of(LOANS))
    later = [LOANS[0], loan(3, loan_amount="260000", income="<b>"), *LOANS[3:], loan(9), loan(8)]
    prepare(browser, file_of(later, contact_name="Someone Else"))
    page = browser.get(f"{FILING}compare/1/2/")
    counts = dict(cells(page, "Records in the two files"))
    assert counts == {"Added": "2", "Removed": "1", "Changed": "1", "The same in both": "3"}
    assert [row[0] for row in cells(page, "Records added")] == [loan(9)["uli"], loan(8)["uli"]]
    assert [row[0] for row in cells(page, "Records removed")] == [LOANS[1]["uli"]]
    first, second = cells(page, "Changed records")
    assert first == [loan(3)["uli"], "4", "3", "Loan Amount", "250000", "260000"]
    assert second == ["Income", "120", "<b>"]
    assert b"<b>" not in page.content
    sheet = {row[0]: row[1:] for row in cells(page, "Fields of the transmittal sheet")}
    assert sheet["Contact Person's Name"][1] == "Someone Else"
    answer = browser.get(f"{FILING}compare/1/2/", {"format": "csv"})
    changes = [row["change"] for row in saved(answer)]
    assert changes == ["removed", "added", "added", "changed", "changed"]


def test_what_cannot_be_compared_is_refused_with_the_reason(browser):
    prepare(browser, register())
    prepare(browser, register())
    upload(browser, begin(browser), register())  # no worker has read it
    assert browser.get(f"{FILING}compare/2/1/")["Location"] == f"{FILING}compare/1/2/"
    for address, status, words in (
        ("compare/1/1/", 400, "cannot be compared with itself"),
        ("compare/1/9/", 404, "does not exist"),
        ("compare/0/1/", 404, "does not exist"),
        ("compare/1/3/", 400, "has not been read"),
    ):
        assert words in text(browser.get(f"{FILING}{address}"), status)
    begin(browser)
    assert "has no file yet" in text(browser.get(f"{FILING}compare/1/4/"), 400)


@pytest.fixture
def large(browser, monkeypatch):
    """Two files that are too large to be compared within a request; return the page."""
    for fails in ({"V617": 1}, {}):
        prepare(browser, register(**fails))
    monkeypatch.setattr(comparison, "MAX_LINES_AT_ONCE", 10)
    return f"{FILING}compare/1/2/"


def test_records_of_large_files_are_compared_on_request_by_a_job(browser, large):
    page = browser.get(large)
    assert "The two files have 120 records together" in text(page)
    assert "1 edit no longer triggered" in text(page)
    assert "Records changed" not in text(page)
    assert not Job.objects.filter(stage="compare").exists()
    for _ in range(2):
        waiting = browser.get(large, {"records": "all"})
        assert waiting.status_code == 202
        assert f'hx-get="{large}?records=all"' in waiting.content.decode()
    assert Job.objects.filter(stage="compare").count() == 1
    csv = browser.get(large, {"format": "csv"})
    assert (csv.status_code, csv["Location"]) == (302, f"{large}?records=all")
    work()
    page = browser.get(large, {"records": "all"}, headers={"HX-Request": "true"})
    assert "The records are compared." in text(page)
    counts = dict(cells(page, "Records in the two files"))
    assert counts == {"Added": "0", "Removed": "0", "Changed": "60", "The same in both": "0"}
    assert cells(page, "In how many records each field changed")
    changes = {row["change"] for row in saved(browser.get(large, {"format": "csv"}))}
    assert changes == {"changed"}


def test_a_large_comparison_that_failed_is_made_again_when_it_is_requested_again(browser, large):
    browser.get(large, {"records": "all"})
    raw = open_local_copy(Submission.objects.get(sequence_number=1).raw_file)
    content = raw.read_bytes()
    raw.unlink()
    work()
    raw.write_bytes(content)
    part = browser.get(large, {"records": "all"}, headers={"HX-Request": "true"})
    assert "The records could not be compared. Try again" in text(part, 202)
    assert "hx-get" not in part.content.decode()
    assert "The records are being compared." in text(browser.get(large, {"records": "all"}), 202)
    work()
    assert "Records changed" in text(browser.get(large, {"records": "all"}))
