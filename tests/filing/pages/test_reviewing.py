"""The worklist of edits: reviews one after the other, reasons that carry over, and verifying."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

from filing.models import EditReview, Submission, TrailEntry
from filing.statuses import Status
from filing.submissions import comparison
from tests.conftest import LEI
from tests.filing.pages.steps import member, prepare, signed_in, text, work
from tests.filing.pages.tables import cells
from tests.filing.submissions.uploading import register

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("census")]
UNUSUAL = {"Q631": 2, "Q611": 5}
REASON = "Checked against the loan files."


def list_codes(page) -> list[str]:
    return re.findall(r'<tr id="edit-([SVQ][0-9-]+)">', page.content.decode())


def find_states(page, kind: str) -> dict[str, str]:
    return {row[0]: row[-1] for row in cells(page, f"{kind} edits")}


def mark(browser, address: str, code: str, reason: str = ""):
    return browser.post(f"{address}edits/{code}/", {"reviewed": "true", "reason": reason})


def test_the_worklist_has_most_records_first_and_each_edit_its_neighbors(browser):
    address = prepare(browser, register(**UNUSUAL, Q637=1))
    page = browser.get(f"{address}edits/")
    codes = list_codes(page)
    quality = cells(page, "Quality edits")
    assert [int(row[1]) for row in quality] == sorted((int(r[1]) for r in quality), reverse=True)
    macro = [row[0] for row in cells(page, "Macro edits")]
    assert codes == [row[0] for row in quality] + macro
    for before, after in pairwise(codes):
        assert f"Next edit: {after}" in text(browser.get(f"{address}edits/{before}/"))
        assert f"Previous edit: {before}" in text(browser.get(f"{address}edits/{after}/"))
    assert f'edits/#edit-{codes[1]}"' in browser.get(f"{address}edits/{codes[1]}/").content.decode()


def test_the_neighbors_of_an_edit_are_those_of_the_filtered_list(browser):
    address = prepare(browser, register(**UNUSUAL, Q637=1))
    only = browser.get(f"{address}edits/", {"q": "Q631"})
    link = re.search(r'href="([^"]*/edits/Q631/\?q=Q631)"', only.content.decode())
    assert link
    shown = text(browser.get(link[1]))
    assert "Previous edit" not in shown
    assert "Next edit" not in shown


def test_edits_are_reviewed_one_after_the_other_and_then_verified(browser):
    address = prepare(browser, register(**UNUSUAL, Q637=1))
    first, *others = list_codes(browser.get(f"{address}edits/"))
    total = len(others) + 1
    answer = mark(browser, address, first, REASON)
    assert answer["Location"] == f"{address}edits/{others[0]}/"
    page = browser.get(f"{address}edits/")
    assert f"1 of {total} edits reviewed" in text(page)
    assert f"Continue with {others[0]}" in text(page)
    assert find_states(page, "Quality")[first] == "Reviewed"
    assert REASON in text(page)
    for code in others:
        answer = mark(browser, address, code)
    assert answer["Location"] == f"{address}edits/#verify"
    assert f"{total} of {total} edits reviewed" in text(browser.get(f"{address}edits/"))
    answer = browser.post(f"{address}verify/all/", {"verified": "true"})
    assert answer["Location"] == f"{address}sign/"
    submission = Submission.objects.get()
    assert (submission.status, submission.quality_verified, submission.macro_verified) == (
        Status.VERIFIED,
        True,
        True,
    )
    states = find_states(browser.get(f"{address}edits/"), "Quality")
    assert set(states.values()) == {"Verified"}


def test_edits_are_verified_without_a_review_one_kind_after_the_other(browser):
    address = prepare(browser, register(**UNUSUAL, Q637=1))
    answer = browser.post(f"{address}verify/quality/", {"verified": "true"})
    assert answer["Location"] == f"{address}edits/#verify"
    assert "Verify macro edits" in text(browser.get(f"{address}edits/"))
    answer = browser.post(f"{address}verify/macro/", {"verified": "true"})
    assert answer["Location"] == f"{address}sign/"


def test_a_review_names_who_and_when_and_is_removed_again(browser):
    address = prepare(browser, register(**UNUSUAL))
    mark(browser, address, "Q611", REASON)
    beth = signed_in(member("beth", LEI))
    mark(beth, address, "Q611", REASON)  # who was first stays
    shown = text(beth.get(f"{address}edits/Q611/"))
    assert "Reviewed by ann, ann@bank.example on" in shown
    assert REASON in shown
    (entry,) = TrailEntry.objects.filter(event="edit reviewed")
    assert (entry.actor_username, entry.lei, entry.reason) == ("ann", LEI, REASON)
    assert entry.about == f"{Submission.objects.get()} Q611"
    beth.post(f"{address}edits/Q611/", {"reviewed": "false"})
    assert "Reviewed by" not in text(beth.get(f"{address}edits/Q611/"))
    assert TrailEntry.objects.filter(event="review of an edit removed").count() == 1


def test_a_bad_review_changes_nothing(browser):
    address = prepare(browser, register(Q611=2))
    for code, form in (
        ("Q611", {}),
        ("Q611", {"reviewed": "yes"}),
        ("Q611", {"reviewed": "true", "reason": "x" * 501}),
        ("Q999", {"reviewed": "true"}),
        ("Q614", {"reviewed": "true"}),  # was not triggered
    ):
        assert browser.post(f"{address}edits/{code}/", form).status_code == 400
    assert not EditReview.objects.exists()


def test_validity_edits_and_signed_submissions_take_no_review(browser):
    dirty = prepare(browser, register(V617=3))
    assert mark(browser, dirty, "V617").status_code == 400
    assert 'name="reviewed"' not in browser.get(f"{dirty}edits/V617/").content.decode()
    address = prepare(browser, register(Q611=2))
    browser.post(f"{address}verify/quality/", {"verified": "true"})
    browser.post(f"{address}sign/", {"certified": "on"})
    assert mark(browser, address, "Q611").status_code == 400
    assert not EditReview.objects.exists()


def change_lines(content: bytes, fits) -> bytes:
    """Return a file in which the street of some records is another one."""
    lines = content.split(b"\n")
    for at, line in enumerate(lines):
        if at and line and fits(at):
            fields = line.split(b"|")
            fields[12] = b"99 Changed Street"
            lines[at] = b"|".join(fields)
    return b"\n".join(lines)


def find_lines(browser, address: str, code: str) -> set[int]:
    page = browser.get(f"{address}edits/{code}/")
    return {int(row[0]) - 1 for row in cells(page, f"Records that triggered {code}")}


@pytest.mark.servers
def test_reasons_are_kept_for_edits_whose_records_did_not_change(browser):
    content = register(**UNUSUAL)
    first = prepare(browser, content)
    assert "Reasons of submission" not in text(browser.get(f"{first}edits/"))
    for code in UNUSUAL:
        mark(browser, first, code, f"{REASON} {code}")
    changed = find_lines(browser, first, "Q631") - find_lines(browser, first, "Q611")
    assert changed
    second = prepare(browser, change_lines(content, changed.__contains__))
    shown = text(browser.get(f"{second}edits/"))
    assert "Keep the reasons of submission 1 for 1 edit" in shown
    assert "To review, because records changed: Q631" in shown
    assert browser.post(f"{second}edits/").status_code == 303
    (kept,) = EditReview.objects.filter(submission__sequence_number=2)
    assert (kept.code, kept.reason, kept.carried_from) == ("Q611", f"{REASON} Q611", 1)
    page = browser.get(f"{second}edits/")
    assert "carried over from submission 1" in text(page)
    assert find_states(page, "Quality")["Q611"] == "Reviewed"
    assert find_states(page, "Quality")["Q631"] == "Not reviewed"
    assert "Keep the reasons" not in text(page)
    assert browser.post(f"{second}edits/").status_code == 400
    assert TrailEntry.objects.filter(event="reasons of a former submission kept").count() == 1


def test_reasons_are_not_offered_where_a_record_came_or_went(browser):
    first = prepare(browser, register(Q611=3))
    mark(browser, first, "Q611", REASON)
    second = prepare(browser, register(Q611=4))
    shown = text(browser.get(f"{second}edits/"))
    assert "To review, because records changed: Q611" in shown
    assert "Keep the reasons" not in shown


def test_large_files_are_compared_on_request_before_reasons_are_kept(browser, monkeypatch):
    monkeypatch.setattr(comparison, "MAX_LINES_AT_ONCE", 10)
    content = register(Q611=3)
    first = prepare(browser, content)
    mark(browser, first, "Q611", REASON)
    second = prepare(browser, content)
    assert "Find the edits whose records did not change" in text(browser.get(f"{second}edits/"))
    assert "being compared" in text(browser.get(f"{second}edits/", {"records": "all"}))
    work()
    assert "Keep the reasons of submission 1" in text(browser.get(f"{second}edits/"))
    assert browser.post(f"{second}edits/").status_code == 303
    assert EditReview.objects.get(submission__sequence_number=2).reason == REASON


def test_reasons_are_not_kept_where_the_rules_changed(browser):
    content = register(Q611=3)
    first = prepare(browser, content)
    mark(browser, first, "Q611", REASON)
    Submission.objects.update(rules_run="2024 -V617")
    second = prepare(browser, content)
    assert "To review, because the rules changed: Q611" in text(browser.get(f"{second}edits/"))
    assert browser.post(f"{second}edits/").status_code == 400


def test_a_foreign_file_takes_no_review(browser):
    address = prepare(browser, register(Q611=3))
    submission = Submission.objects.get()
    sheet = {**submission.transmittal_sheet, "lei": "529900OTHERBANK00017"}
    Submission.objects.update(transmittal_sheet=sheet)
    assert mark(browser, address, "Q611").status_code == 409
    assert 'name="reviewed"' not in browser.get(f"{address}edits/Q611/").content.decode()
