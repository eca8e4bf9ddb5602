"""A person files in the browser: from an empty filing to the receipt, and all that stops it."""

from __future__ import annotations

import re
from datetime import date, timedelta

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from filing import access, day_hours, submissions
from filing.lar.years import Period
from filing.models import (
    Filing,
    Institution,
    Submission,
    TrailEntry,
)
from filing.periods import filings
from filing.statuses import Status
from tests import make
from tests.conftest import LEI
from tests.filing.pages.steps import FILING, OTHER_LEI, begin, prepare, text, upload, work
from tests.filing.restored import restore_period
from tests.filing.submissions.uploading import register
from tests.tampering import forget_filings

pytestmark = pytest.mark.django_db


def test_from_an_empty_filing_to_the_receipt(browser, census):
    assert "Not started" in text(browser.get("/filing/"))
    form = begin(browser)
    assert form == f"{FILING}1/upload/"
    assert "the transmittal sheet first" in text(browser.get(form))
    answer = upload(browser, form, register(Q611=2))
    assert (answer.status_code, answer["Location"]) == (303, f"{FILING}1/")
    assert "Your file is in the queue" in text(browser.get(f"{FILING}1/"))
    work()
    page = text(browser.get(f"{FILING}1/"))
    assert "Review and verify quality edits" in page
    edits = text(browser.get(f"{FILING}1/edits/"))
    assert "Q611" in edits
    detail = text(browser.get(f"{FILING}1/edits/Q611/"))
    assert "2 records" in detail
    submission = Submission.objects.get()
    kinds = [kind for kind in ("quality", "macro") if getattr(submission, f"{kind}_exists")]
    for kind in kinds:
        assert browser.post(f"{FILING}1/verify/{kind}/", {"verified": "true"}).status_code == 303
    assert "Ready to certify and sign" in text(browser.get("/filing/"))
    assert "I am an authorized representative of Test Bank" in text(browser.get(f"{FILING}1/sign/"))
    answer = browser.post(f"{FILING}1/sign/", {"certified": "on"})
    assert (answer.status_code, answer["Location"]) == (303, f"{FILING}1/receipt/")
    submission.refresh_from_db()
    receipt = text(browser.get(f"{FILING}1/receipt/"))
    assert submission.signature.receipt in receipt
    assert submission.sha256 in receipt
    assert (submission.status, submission.signature.signer_username) == (Status.SIGNED, "ann")
    assert submission.signature.receipt in text(browser.get("/filing/"))


def test_what_pages_show_is_in_the_csv_of_the_api(browser, census):
    prepare(browser, register(Q611=2).replace(b"\n2|", b"\n2||", 1))
    prepare(browser, register(Q611=2))
    api = make.program("ann", leis=[LEI])
    of_api = f"/v2/filing/institutions/{LEI}/filings/2024/submissions"
    for page, call in (
        ("1/formatting-errors/", "1/parseErrors/csv"),
        ("2/edits/", "2/edits/csv?detail=true"),
        ("2/edits/Q611/", "2/edits/Q611/csv"),
    ):
        saved = browser.get(f"{FILING}{page}", {"format": "csv"})
        called = api.get(f"{of_api}/{call}")
        assert saved["Content-Disposition"] == called["Content-Disposition"]
        lines = b"".join(saved.streaming_content)
        assert lines == b"".join(called.streaming_content)
        assert lines.count(b"\n") > 1


def test_validity_edits_must_be_corrected(browser, census):
    prepare(browser, register(V617=3))
    page = text(browser.get(f"{FILING}1/"))
    assert "Syntactical or validity edits" in page
    assert "Upload a corrected file" in page
    assert text(browser.get(f"{FILING}1/sign/"), 400)
    assert "3 records" in text(browser.get(f"{FILING}1/edits/V617/"))


def test_a_second_click_starts_no_second_submission(browser):
    assert begin(browser) == begin(browser) == f"{FILING}1/upload/"
    assert Submission.objects.count() == 1


def test_verifying_is_taken_back_until_it_is_signed(browser, census):
    prepare(browser, register(Q611=2))
    verify = f"{FILING}1/verify/quality/"
    assert browser.get(verify)["Location"] == f"{FILING}1/edits/"
    browser.post(verify, {"verified": "true"})
    assert Submission.objects.get().status == Status.VERIFIED
    assert browser.get(verify)["Location"] == f"{FILING}1/edits/#verify"
    assert "Remove verification" in text(browser.get(verify, follow=True))
    browser.post(verify, {"verified": "false"})
    assert Submission.objects.get().status == Status.QUALITY_ERRORS
    browser.post(verify, {"verified": "true"})
    browser.post(f"{FILING}1/sign/", {"certified": "on"})
    assert "not ready to be verified" in text(browser.post(verify, {"verified": "false"}), 400)


def test_nothing_is_signed_without_the_tick_and_nothing_twice(browser, census):
    prepare(browser, register())
    assert "Select the box" in text(browser.post(f"{FILING}1/sign/", {}), 400)
    assert Submission.objects.get().status == Status.VERIFIED
    for _ in range(2):
        answer = browser.post(f"{FILING}1/sign/", {"certified": "on"})
        assert answer["Location"] == f"{FILING}1/receipt/"
    assert TrailEntry.objects.filter(event="filing completed").count() == 1


def test_another_institution_is_refused_whether_it_exists_or_not(browser):
    make.institution(OTHER_LEI, name="Secret Bank")
    answers = [
        text(browser.get(f"/filing/{lei}/{page}"), 403).replace(lei, "")
        for lei in (OTHER_LEI, "529900NOSUCHBANK0000")
        for page in ("", "2024/", "2024/1/", "2024/Q1/", "2024/1/receipt/")
    ]
    assert len(set(answers)) == 1
    assert "Secret" not in answers[0]
    assert browser.post(f"/filing/{OTHER_LEI}/2024/").status_code == 403
    assert not Filing.objects.exists()


def test_who_is_not_signed_in_comes_back_to_the_page_after_signing_in():
    answer = Client().get(f"{FILING}1/sign/")
    assert answer.status_code == 302
    assert "next=/filing/" in answer["Location"]


def test_a_form_of_another_site_is_refused_before_anything_is_kept(ann):
    browser = make.browser(ann, enforce_csrf_checks=True)
    assert browser.post(FILING).status_code == 403
    submission = submissions_of(ann)
    form = f"{FILING}{submission.sequence_number}/upload/"
    assert upload(browser, form, register()).status_code == 403
    submission.refresh_from_db()
    assert (submission.status, submission.raw_file) == (Status.CREATED, "")
    browser.get(form)
    token = browser.cookies["csrftoken"].value
    sent = {"csrfmiddlewaretoken": token, "file": SimpleUploadedFile("lar.txt", register())}
    assert browser.post(form, sent).status_code == 303


def submissions_of(user: User) -> Submission:
    caller = access.caller_of(user)
    filings.start_filing(lei=LEI, period=Period(2024), by=caller)
    return submissions.create_submission(lei=LEI, period=Period(2024), by=caller)


def test_a_closed_period_says_so_before_anything_is_uploaded(browser, open_period):
    yesterday = day_hours.today() - timedelta(days=1)
    make.change(open_period, timely_until=yesterday, closes=yesterday)
    page = text(browser.get(FILING))
    assert f"Closed on {day_hours.day_in_words(yesterday)}" in page
    assert "Upload a file" not in page
    assert "no longer available for filing" in text(browser.post(FILING), 400)
    assert not Submission.objects.exists()
    cards = text(browser.get("/filing/"))
    assert f"2024 Closed Not filed. Closed on {day_hours.day_in_words(yesterday)}" in cards


def test_quarters_are_for_quarterly_filers(browser, institution):
    make.period(quarter="Q1")
    quarter = f"/filing/{LEI}/2024/Q1/"
    assert browser.get(quarter).status_code == 200
    assert browser.post(quarter)["Location"] == f"{quarter}1/upload/"
    make.change(institution, quarterly_filer=False)
    forget_filings()
    assert browser.get(quarter).status_code == 404
    assert "not permitted to do quarterly filing" in text(browser.get(f"{quarter}1/"), 403)


def test_the_file_is_given_back_byte_for_byte_and_that_is_logged(browser):
    content = register()
    upload(browser, begin(browser), content)
    answer = browser.get(f"{FILING}1/file/")
    assert b"".join(answer.streaming_content) == content
    assert answer["Content-Disposition"] == f'attachment; filename="{LEI}-2024-1.txt"'
    assert answer["Content-Type"] == "text/plain; charset=UTF-8"
    assert answer["X-Content-Type-Options"] == "nosniff"
    entry = TrailEntry.objects.get(event="file downloaded")
    assert (entry.actor_username, entry.about) == ("ann", f"{LEI}-2024-1")


def test_without_signing_there_is_no_page_to_sign(browser, settings, census):
    settings.SIGNING_ENABLED = False
    prepare(browser, register())
    assert "Certify and sign" not in text(browser.get(FILING)).replace(
        "Ready to certify and sign", ""
    )
    assert browser.get(f"{FILING}1/sign/").status_code == 404


def create_period(year, opens, due, closes, quarter=""):
    restore_period(year, quarter, opens=opens, timely_until=due, closes=closes)


def test_deadlines_are_public_and_a_calendar():
    create_period(2025, date(2026, 1, 1), date(2026, 3, 2), date(2048, 12, 31))
    page = text(Client().get("/filing/deadlines/"))
    assert "Monday, March 2, 2026" in page
    assert "12 CFR 1003.5(a)(1)(i)" in page
    calendar = Client().get("/filing/deadlines.ics")
    assert calendar["Content-Type"] == "text/calendar; charset=UTF-8"
    lines = calendar.content.decode().split("\r\n")
    assert "DTSTART;VALUE=DATE:20260302" in lines
    assert "DTEND;VALUE=DATE:20260303" in lines
    assert lines[0] == "BEGIN:VCALENDAR"
    assert lines[-2:] == ["END:VCALENDAR", ""]


def test_deadlines_are_of_periods_that_can_be_checked_and_concern_filers_now_or_soon(browser):
    today = day_hours.today()
    before, soon, later = (today + timedelta(days=days) for days in (-300, 300, 600))
    Institution.objects.create(activity_year=1990, lei=LEI, name="Old Bank", tax_id="1", agency=9)
    create_period(1990, before, soon, later)
    create_period(2045, before, soon, later)
    create_period(2019, before, soon, later, "Q1")  # quarterly filing began in 2020
    create_period(2018, before, before, today - timedelta(days=1))
    create_period(2026, later, later, later)
    create_period(2022, before, today, today)
    create_period(2023, soon, later, later, "Q2")
    page = Client().get("/filing/deadlines/")
    rows = [str(row["period"]) for row in page.context["periods"] if "is_planned" not in row]
    # Those of the fixture follow from its own days.
    assert [row for row in rows if row != "2024"] == ["2023-Q2", "2022"]
    calendar = Client().get("/filing/deadlines.ics").content.decode()
    listed = re.findall(r"SUMMARY:HMDA filing deadline (.*)\r\n", calendar)
    assert listed == rows
    assert "1990" not in text(browser.get("/filing/"))
    assert browser.post(f"/filing/{LEI}/1990/").status_code == 404
