"""Staff open records for a reason only, wherever they are shown, and each view is recorded."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.http import HttpResponseBase
from django.test import Client
from django.utils import timezone

from filing import submissions
from filing.lar.years import Period
from filing.models import AuditEvent, Submission, TrailEntry
from tests.addresses import ROUTES, STAFF, browsers, table_of  # noqa: F401 -- a fixture
from tests.conftest import LEI
from tests.filing.pages.steps import work
from tests.filing.submissions.uploading import register, upload

pytestmark = pytest.mark.django_db
WHY = "The filer asks about line 17."
FILING = f"/filing/{LEI}/2024"
# The addresses that show records, or send them as a file: docs/operators/privacy.md lists the same.
RECORDS = {
    "admin:filing_submission_edits_csv",
    "admin:filing_submission_edit",
    "admin:filing_submission_edit_csv",
    "admin:filing_submission_format_errors",
    "admin:filing_submission_format_errors_csv",
    "admin:filing_submission_compare",
    "admin:filing_submission_compare_csv",
    "admin:filing_submission_as_filer",
    "filing-formatting-errors",
    "filing-edits",  # as CSV or XLSX
    "filing-edits-report",
    "filing-edit",
    "filing-compare",
}
# The same for programs of the operator, which are not asked: the log says if they gave no reason.
PROGRAMS = {"operators:latest-file", "operators:file"}
FORMATS = ("", "?format=csv", "?format=xlsx", "?detail=true")
CONTENT = register(Q611=2)


def with_loan_types(value: bytes) -> bytes:
    """Return the file, in which the first loans have another loan type."""
    sheet, *loans = CONTENT.splitlines(keepends=True)
    changed = [b"|".join([*loan.split(b"|")[:4], value, *loan.split(b"|")[5:]]) for loan in loans]
    return b"".join([sheet, *changed[:3], *loans[3:]])


ULIS = {line.split(b"|")[2] for line in CONTENT.splitlines()[1:]}
FILES = {1: CONTENT, 2: with_loan_types(b"none"), 3: with_loan_types(b"9")}


@pytest.fixture
def checked(submission: Submission, filer: Any, census: None, tmp_path: Any) -> Submission:
    """A submission with quality edits."""
    upload(submission, CONTENT, filer, tmp_path)
    work()
    submission.refresh_from_db()
    return submission


@pytest.fixture
def filed(submission: Submission, filer: Any, census: None, tmp_path: Any) -> list[Submission]:
    """Three submissions: with quality edits, with formatting errors, and with validity edits."""
    others = [submissions.create_submission(lei=LEI, period=Period(2024), by=filer) for _ in (2, 3)]
    filed = [submission, *others]
    for each, content in zip(filed, FILES.values(), strict=True):
        upload(each, content, filer, tmp_path)
        work()
        each.refresh_from_db()
    return filed


@pytest.fixture
def desk(browsers: Any) -> Client:
    return browsers["help desk"][0]


def give_reason(browser: Client, submission: Submission) -> None:
    assert browser.post(f"/filing/reason/{submission.pk}/", {"reason": WHY}).status_code == 303


def addresses(filed: list[Submission]) -> Iterator[tuple[str, str]]:
    """Yield everything that can be opened, for each submission, in each format."""
    for number, submission in enumerate(filed, 1):
        for name, address in ROUTES.items():
            table = table_of(name)
            row = submission if table is Submission else table and table.objects.first()
            edit = "V611" if number == 3 else "Q611"
            there = re.sub(r"(/2024/|submissions/)1(?=/|$)", rf"\g<1>{number}", address)
            there = there.replace("/compare/1/1/", "/compare/1/3/").replace("Q603", edit)
            if number > 1 and there == address and table is not Submission:
                continue
            is_of_filing = name.startswith(("admin:filing_submission", "filing", "quarter-filing"))
            for ending in FORMATS if is_of_filing else ("",):
                yield name, there.format(key=row.pk if row else 1) + ending


def content(answer: HttpResponseBase) -> bytes:
    sent = b"".join(answer) if answer.streaming else answer.content
    if sent.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(sent)) as file:
            return b"".join(map(file.read, file.namelist()))
    return sent


def has_records(answer: HttpResponseBase) -> bool:
    sent = content(answer)
    return any(uli in sent for uli in ULIS)


def viewed() -> Any:
    return TrailEntry.objects.filter(event=AuditEvent.RECORDS_VIEWED).order_by("id")


@pytest.mark.slow
def test_no_address_shows_records_to_staff_without_a_reason(browsers, filed):
    browser, program = browsers["administrator"]
    downloads = TrailEntry.objects.filter(event=AuditEvent.FILE_DOWNLOADED)
    shown = [
        (name, address)
        for name, address in addresses(filed)
        if has_records((program if address.startswith("/v2/") else browser).get(address))
    ]
    assert ({name for name, _ in shown} - PROGRAMS, viewed().count()) == (set(), 0)
    assert downloads.count() == len(shown) > 0
    assert all(entry.reason for entry in downloads)
    assert browser.get("/admin/").status_code == 200  # still signed in


@pytest.mark.slow
def test_every_view_of_records_is_recorded_once(desk, filed):
    for submission in filed:
        give_reason(desk, submission)
    shown = set()
    for name, address in addresses(filed):
        before = viewed().count()
        if has_records(desk.get(address)):
            shown.add(name)
            entry = viewed().last()
            assert viewed().count() == before + 1, address
            assert (entry.reason, entry.lei, entry.actor_username) == (WHY, LEI, "the-help-desk")
        elif name not in RECORDS:
            assert viewed().count() == before, address
    assert shown == RECORDS


# What the log says of each kind of view.
VIEWS = {
    "/admin/filing/submission/{key}/edits/csv/?detail=true": "all edits as CSV",
    "/admin/filing/submission/{key}/edits/Q611/": "edit Q611",
    "/admin/filing/submission/{key}/edits/Q611/csv/": "edit Q611 as CSV",
    "/admin/filing/submission/{key}/format-errors/?page=1": "formatting errors",
    "/admin/filing/submission/{key}/format-errors/csv/": "formatting errors as CSV",
    "/admin/filing/submission/{key}/compare/?with={other}": f"comparison with {LEI}-2024-3",
    "/admin/filing/submission/{key}/compare/csv/?with={other}": (
        f"comparison with {LEI}-2024-3 as CSV"
    ),
    "/admin/filing/submission/{key}/as-filer/": "as the filer sees it",
    f"{FILING}/1/formatting-errors/": "formatting errors",
    f"{FILING}/1/formatting-errors/?format=csv": "formatting errors as CSV",
    f"{FILING}/1/edits/?format=csv": "all edits as CSV",
    f"{FILING}/1/edits/?format=xlsx": "all edits as XLSX",
    f"{FILING}/1/edits/report/": "report of all edits",
    f"{FILING}/1/edits/Q611/?page=1": "edit Q611",
    f"{FILING}/1/edits/Q611/?format=xlsx": "edit Q611 as XLSX",
}


def test_a_reason_is_asked_and_then_the_page_follows(desk, filed):
    first, _, third = filed
    seen = []
    for template, what in VIEWS.items():
        forget_reasons(desk)
        address = template.format(key=first.pk, other=third.pk)
        question = desk.get(address)
        assert (question.status_code, viewed().count()) == (302, len(seen))
        assert b"Why do you open these records?" in desk.get(question["Location"]).content
        answer = desk.post(question["Location"], {"reason": WHY})
        assert (answer.status_code, answer["Location"]) == (303, address)
        answer = desk.get(address)
        assert (answer.status_code, bool(content(answer))) == (200, True)
        assert desk.head(address).status_code == 200
        seen.append((f"{first} {what}", WHY))
        assert [(each.about, each.reason) for each in viewed()] == seen


def forget_reasons(browser: Client) -> None:
    session = browser.session
    session.pop("records_reasons", None)
    session.save()


def test_a_comparison_on_the_filers_pages_is_recorded_where_it_is_shown(desk, filed):
    give_reason(desk, filed[2])
    swapped = desk.get(f"{FILING}/compare/3/1/")
    assert swapped["Location"] == f"/filing/reason/{filed[0].pk}/?next=" + (
        f"%2Ffiling%2F{LEI}%2F2024%2Fcompare%2F3%2F1%2F"
    )
    give_reason(desk, filed[0])
    assert desk.get(f"{FILING}/compare/3/1/")["Location"] == f"{FILING}/compare/1/3/"
    assert viewed().count() == 0
    assert desk.get(f"{FILING}/compare/1/3/").status_code == 200
    assert viewed().get().about == f"{filed[2]} comparison with {filed[0]}"


def test_another_submission_asks_again(desk, filed):
    give_reason(desk, filed[0])
    assert desk.get(f"{FILING}/1/edits/Q611/").status_code == 200
    assert desk.get(f"{FILING}/2/formatting-errors/").status_code == 302
    give_reason(desk, filed[1])
    assert desk.get(f"{FILING}/2/formatting-errors/").status_code == 200
    assert desk.get(f"{FILING}/1/edits/Q611/").status_code == 200


def test_another_person_is_asked_again_also_in_the_same_browser(browsers, desk, checked):
    give_reason(desk, checked)
    other = browsers["operator"][0]
    assert other.get(f"{FILING}/1/edits/Q611/").status_code == 302
    desk.force_login(_user(other))
    assert desk.get(f"{FILING}/1/edits/Q611/").status_code == 302


def _user(browser: Client) -> Any:
    return browser.get("/admin/").context["user"]


def test_a_reason_expires(desk, filed, settings):
    settings.RECORDS_REASON_MINUTES = 30
    give_reason(desk, filed[0])
    session = desk.session
    (reason, given_at), reasons = session["records_reasons"].popitem()[1], {}
    for minutes, status in ((29, 200), (31, 302)):
        earlier = given_at - timedelta(minutes=minutes).total_seconds()
        reasons[str(filed[0].pk)] = (reason, earlier)
        session["records_reasons"] = reasons
        session.save()
        assert desk.get(f"{FILING}/1/edits/Q611/").status_code == status
    give_reason(desk, filed[1])  # what has expired is not kept
    assert list(desk.session["records_reasons"]) == [str(filed[1].pk)]
    assert reason == WHY
    assert given_at <= timezone.now().timestamp()


def test_a_reason_is_a_sentence(desk, checked):
    for reason in ("", " " * 20, "because  ", "x" * 501):
        answer = desk.post(f"/filing/reason/{checked.pk}/", {"reason": reason})
        assert answer.status_code == 400
        assert b"usa-error-message" in answer.content
    assert desk.get(f"{FILING}/1/edits/Q611/").status_code == 302


def test_the_way_leads_to_own_addresses_only(desk, submission):
    address = f"/filing/reason/{submission.pk}/"
    for elsewhere in ("", "https://a.example/", "//a.example", "/\\a.example", "x", "///a"):
        answer = desk.post(address, {"reason": WHY}, query_params={"next": elsewhere})
        assert (answer.status_code, answer["Location"]) == (303, f"{FILING}/1/"), elsewhere


def test_a_form_of_another_site_gives_no_reason(browsers, submission):
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(_user(browsers["help desk"][0]))
    answer = browser.post(f"/filing/reason/{submission.pk}/", {"reason": WHY})
    assert answer.status_code == 403
    assert browser.get(f"{FILING}/1/edits/Q611/").status_code == 302


def test_filers_are_not_asked(browsers, checked):
    browser, program = browsers["filer"]
    assert browser.get(f"{FILING}/1/edits/Q611/").status_code == 200
    assert browser.get(f"/filing/reason/{checked.pk}/").status_code == 403
    api = f"/v2/filing/institutions/{LEI}/filings/2024/submissions/1/edits/Q611"
    assert has_records(program.get(api))
    assert not viewed().exists()


def test_staff_read_no_records_by_the_api(browsers, submission):
    api = f"/v2/filing/institutions/{LEI}/filings/2024/submissions/1"
    for role in STAFF:
        for tail in ("parseErrors", "parseErrors/csv", "edits/csv", "edits/Q611", "edits/Q611/csv"):
            assert browsers[role][1].get(f"{api}/{tail}").status_code == 403, (role, tail)


def test_a_view_of_the_pages_of_filers_is_recorded_as_before(desk, checked):
    pages = TrailEntry.objects.filter(event=AuditEvent.VIEWED_AS_FILER)
    desk.get(f"{FILING}/1/")
    desk.get(f"{FILING}/1/edits/Q611/")  # leads to the question, and shows nothing
    assert [entry.reason for entry in pages] == [f"{FILING}/1/"]
    give_reason(desk, checked)
    desk.get(f"{FILING}/1/edits/Q611/")
    desk.get(f"{FILING}/1/", headers={"hx-request": "true"})
    assert pages.all().count() == 2


def test_an_unknown_submission_has_no_question(desk):
    for key in (0, 99999999, 10**30):
        assert desk.get(f"/filing/reason/{key}/").status_code == 404
