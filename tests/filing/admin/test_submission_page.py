"""The page of one submission and those below it, on files that the workers have read."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from filing import submissions
from filing.access import Caller
from filing.admin.submissions.page import SUBPAGES
from filing.jobs import claims, loop
from filing.lar.fields import LAR_BY_NAME
from filing.lar.years import Period
from filing.models import AuditEvent, Job, Submission, TrailEntry
from filing.storage import open_local_copy
from filing.submissions import comparison
from tests import make
from tests.conftest import LEI
from tests.filing.admin.unmarked import unmarked
from tests.filing.submissions.reasons import ReasoningClient
from tests.filing.submissions.uploading import register, upload

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.usefixtures("census"),
]
# One is for whether staff set the password of who looks, one for the events of the institution.
MOST_QUERIES = 17
CONTENT = register(Q611=2)
UNREADABLE = b"".join(register().splitlines(keepends=True)[:3]) + b"2|three|fields\n"


def with_wrong_loan_types(content: bytes, number: int) -> bytes:
    """Return a file whose first loans have a loan type that is none."""
    sheet, *loans = content.splitlines(keepends=True)
    wrong = [b"|".join([*loan.split(b"|")[:4], b"9", *loan.split(b"|")[5:]]) for loan in loans]
    return b"".join([sheet, *wrong[:number], *loans[number:]])


CORRECTED = with_wrong_loan_types(CONTENT, 30)


@pytest.fixture
def desk(db: None) -> Client:
    """A browser of the help desk."""
    facts = {"username": "the-help desk", "email": "desk@service.example"}
    client = ReasoningClient()
    client.force_login(make.staff("help desk", **facts))
    return client


@pytest.fixture
def signed(submission: Submission, filer: Caller, tmp_path: Path) -> Submission:
    """A submission with quality edits that was verified and signed."""
    loop.run_job(upload(submission, CONTENT, filer, tmp_path).pk)
    # The helper gives the file a hash that is none.
    make.change(submission, sha256=hashlib.sha256(CONTENT).hexdigest())
    submission = submissions.verify_edits(submission, "quality", verified=True, by=filer)
    submissions.sign_submission(submission, signed=True, by=filer)
    return submission


@pytest.fixture
def corrected(signed: Submission, filer: Caller, tmp_path: Path) -> Submission:
    """A later submission of the same filing, with validity edits."""
    return another(CORRECTED, filer, tmp_path)


@pytest.fixture
def unreadable(signed: Submission, filer: Caller, tmp_path: Path) -> Submission:
    """A later submission of the same filing, with a format error."""
    return another(UNREADABLE, filer, tmp_path)


def another(content: bytes, filer: Caller, tmp_path: Path) -> Submission:
    submission = submissions.create_submission(lei=LEI, period=Period(2024), by=filer)
    loop.run_job(upload(submission, content, filer, tmp_path).pk)
    submission.refresh_from_db()
    return submission


def address(name: str, submission: Submission, **parts: Any) -> str:
    where = {"object_id": submission.pk, **parts}
    return reverse(f"admin:filing_submission_{name}", kwargs=where)


def parts_of(name: str) -> dict[str, str]:
    return {"code": "Q611"} if name in {"edit", "edit_csv"} else {}


def text(client: Client, address: str, status: int = 200) -> str:
    answer = client.get(address)
    assert answer.status_code == status, answer
    return unmarked(answer.content.decode())


def test_each_page_takes_few_queries(desk, signed, corrected):
    for name in ["change", *(name for name, *_ in SUBPAGES)]:
        page = address(name, signed, **parts_of(name))
        desk.get(page)  # content types are looked up once for each process
        with CaptureQueriesContext(connection) as queries:
            answer = desk.get(page)
            answer.getvalue()
        assert answer.status_code in {200, 286}
        assert len(queries) <= MOST_QUERIES


def test_progress_is_asked_for_while_a_worker_goes_on_and_no_longer_at_rest(
    desk, submission, filer, tmp_path
):
    job = upload(submission, CONTENT, filer, tmp_path)
    lease = claims.claim_job(job.pk)
    assert lease is not None
    lease.rows_done, lease.rows_total = 20, 61
    lease.renew()
    page = text(desk, address("change", submission))
    assert f'hx-get="{address("progress", submission)}"' in page
    assert '<progress id="progress" value="20" max="61">' in page
    part = desk.get(address("progress", submission))
    assert (part.status_code, part.headers.get("HX-Refresh")) == (200, None)
    lease.release("")
    job.refresh_from_db()
    type(job).objects.filter(pk=job.pk).update(not_before=job.queued_at)
    loop.run_job(job.pk)
    part = desk.get(address("progress", submission))
    assert (part.status_code, part.headers["HX-Refresh"]) == (286, "true")
    assert b"hx-get" not in part.content
    assert "hx-get" not in text(desk, address("change", submission))


def test_a_page_that_is_no_number_and_an_edit_that_is_none_are_refused_in_words(desk, signed):
    page = address("edit", signed, code="Q611")
    assert "is not a whole number" in text(desk, f"{page}?page=x", 400)
    assert "2024 has no edit V1" in text(desk, address("edit", signed, code="V1"), 404)
    assert "No record triggered this edit." in text(desk, address("edit", signed, code="V611"))


def test_format_errors_are_listed_with_what_can_be_read(desk, unreadable):
    page = text(desk, address("format_errors", unreadable))
    assert "Lines with formatting errors: 1" in page
    assert "There are no formatting errors" not in page
    assert "There are no formatting errors" in text(
        desk, address("format_errors", unreadable) + "?page=9"
    )


def test_format_errors_say_a_limit_and_what_separates_the_fields(desk, signed, filer, tmp_path):
    sheet, loan, *others = CONTENT.decode().split("\n")
    cells = loan.split("|")
    cells[LAR_BY_NAME["loan_amount"].number - 1] = "1e100"
    long = another("\n".join([sheet, "|".join(cells), *others]).encode(), filer, tmp_path)
    page = text(desk, address("format_errors", long))
    assert "<td>Numeric. A number has at most 100 characters, and at most 2 digits in" in page
    assert "separated by" not in page
    commas = another(CONTENT.replace(b"|", b","), filer, tmp_path)
    page = text(desk, address("format_errors", commas))
    assert page.count("The fields are separated by commas; save the file again as text with") == 1


def test_staff_get_the_bytes_that_the_filer_gets(desk, signed, unreadable):
    for name, tail in [
        ("edits_csv", "edits/csv"),
        ("edits_csv", "edits/csv?detail=true"),
        ("edit_csv", "edits/Q611/csv"),
        ("format_errors_csv", "parseErrors/csv"),
    ]:
        submission = unreadable if "parse" in tail else signed
        api = f"/v2/filing/institutions/{LEI}/filings/2024/submissions/{submission.sequence_number}"
        filers = make.program("ann", leis=[LEI]).get(f"{api}/{tail}")
        _, _, query = tail.partition("?")
        ours = desk.get(f"{address(name, submission, **parts_of(name))}?{query}")
        assert ours.status_code == filers.status_code == 200
        assert ours.getvalue() == filers.getvalue() != b""
        assert ours["Content-Disposition"] == filers["Content-Disposition"]


def test_staff_see_the_answers_that_the_filer_gets(desk, signed, unreadable):
    program = make.program("ann", leis=[LEI])
    for submission in (signed, unreadable):
        shown = desk.get(address("as_filer", submission)).context["responses"]
        assert len(shown) == 5
        for answer in shown:
            got = program.get(answer.address)
            told = json.loads(answer.body)
            assert got.status_code == answer.status
            if answer.status == 200 and not (answer.title == "Receipt" and not told["receipt"]):
                assert got.json() == told
    assert "You cannot upload, verify or sign" in text(desk, address("as_filer", signed))


def test_the_file_is_given_out_with_a_reason_that_the_trail_keeps(desk, signed):
    page = address("file", signed)
    assert "Reason" in text(desk, page)
    refused = desk.post(page, {"reason": " "})
    assert refused.status_code == 400
    assert b"it is recorded in the audit log" in refused.content
    assert not TrailEntry.objects.filter(event=AuditEvent.FILE_DOWNLOADED).exists()
    answer = desk.post(page, {"reason": "Ann asks about line 17."})
    assert b"".join(answer) == CONTENT
    assert answer["Content-Disposition"] == 'attachment; filename="lar.txt"'
    assert answer["Content-Type"] == "text/plain; charset=UTF-8"
    assert answer["X-Content-Type-Options"] == "nosniff"
    entry = TrailEntry.objects.get(event=AuditEvent.FILE_DOWNLOADED)
    assert (entry.about, entry.lei, entry.reason) == (str(signed), LEI, "Ann asks about line 17.")
    assert (entry.actor_username, entry.actor_email) == ("the-help desk", "desk@service.example")
    assert "File downloaded" in text(desk, address("change", signed))


def test_the_file_needs_a_permission_of_its_own(client, signed):
    user = User.objects.create(username="looker", is_staff=True)
    user.user_permissions.add(Permission.objects.get(codename="view_submission"))
    client.force_login(user)
    assert client.get(address("change", signed)).status_code == 200
    assert client.get(address("file", signed)).status_code == 403
    assert client.post(address("file", signed), {"reason": "x"}).status_code == 403


def test_the_hash_is_checked_against_the_one_that_was_signed(desk, signed):
    assert "The stored file is the one that was signed." in text(desk, address("hash", signed))
    with open_local_copy(signed.raw_file).open("ab") as file:
        file.write(b" ")
    page = text(desk, address("hash", signed))
    assert "The stored file is not the one that was signed." in page
    assert signed.sha256 in page


def test_a_job_compares_large_files_and_the_records_are_recorded_once(desk, corrected, monkeypatch):
    monkeypatch.setattr(comparison, "MAX_LINES_AT_ONCE", 10)
    page = address("compare", corrected)
    viewed = TrailEntry.objects.filter(event=AuditEvent.RECORDS_VIEWED)
    before = viewed.count()
    assert "The records are being compared." in text(desk, page, 202)
    assert desk.get(address("compare_csv", corrected)).status_code == 302
    assert viewed.count() == before
    loop.run_job(Job.objects.get(stage="compare").pk)
    assert "Changed fields" in text(desk, page)
    assert viewed.count() == before + 1
    assert desk.get(address("compare_csv", corrected)).getvalue().count(b"\nchanged,") == 30


def test_comparisons_that_cannot_be_made_are_refused_in_words(desk, signed, filer):
    assert "nothing to compare with" in text(desk, address("compare", signed))
    assert "no other submission" in text(desk, address("compare_csv", signed), 404)
    for asked in ("x", "99999", "1" * 40):
        page = f"{address('compare', signed)}?with={asked}"
        assert "choose one from the list" in text(desk, page, 400)
    itself = f"{address('compare', signed)}?with={signed.pk}"
    assert "cannot be compared with itself" in text(desk, itself, 400)
    created = submissions.create_submission(lei=LEI, period=Period(2024), by=filer)
    page = f"{address('compare', signed)}?with={created.pk}"
    assert "has no file yet" in text(desk, page, 400)


def test_a_submission_without_a_file_says_so_everywhere(desk, submission):
    assert "No file has been uploaded completely." in text(desk, address("change", submission))
    for name in ("file", "hash", "edits_csv", "edit_csv"):
        page = address(name, submission, **parts_of(name))
        assert "has no file" in text(desk, page, 404)
    for name in ("edits", "format_errors", "compare", "as_filer"):
        text(desk, address(name, submission))


def test_a_key_of_no_submission_is_not_found(desk, signed):
    signed.pk = 10**30
    for name in [name for name, *_ in SUBPAGES]:
        assert desk.get(address(name, signed, **parts_of(name))).status_code == 404


def test_filers_and_staff_without_the_right_get_nothing(client, signed):
    filer = make.browser(User.objects.create(username="ann"))
    staff = make.browser(User.objects.create(username="none", is_staff=True))
    for name, *_ in SUBPAGES:
        page = address(name, signed, **parts_of(name))
        assert client.get(page).status_code == 302
        for method in ("get", "post", "put"):
            assert getattr(filer, method)(page).status_code == 302
            assert getattr(staff, method)(page).status_code == 403
