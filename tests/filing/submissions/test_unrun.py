"""Edits that could not be run: said at each place where results are read, and before signing."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from openpyxl import load_workbook

from filing import submissions
from filing.access import SERVICE
from filing.demo import census as demo_census
from filing.emails import finished
from filing.lar.years import Period, YearStage
from filing.models import (
    EditResult,
    FilingYear,
    Mail,
    ReferenceData,
    Submission,
    WithdrawnEdit,
)
from filing.receipts import checking
from filing.reference.kinds import CENSUS
from filing.reference_data import loading
from filing.seasons import rulebooks, years
from filing.statuses import Status
from filing.submissions import rules_run
from tests.conftest import LEI
from tests.filing.pages.steps import FILING, member, signed_in
from tests.filing.people import members
from tests.filing.submissions.resuming import F, caller
from tests.filing.submissions.stages import work
from tests.filing.submissions.uploading import register, upload

pytestmark = pytest.mark.django_db
UNRUN = "V625-2"  # looks into the census
JSON = {"content_type": "application/json"}


@pytest.fixture
def ann(submission: Submission) -> User:
    return member("ann", LEI)


@pytest.fixture
def checked(submission, filer, tmp_path, ann) -> Submission:
    """A file with quality edits to verify, checked without a census."""
    upload(submission, register(Q611=2), filer, tmp_path)
    work(submission)
    assert submission.status == Status.QUALITY_ERRORS
    return submission


@pytest.fixture
def verified(checked, filer) -> Submission:
    return submissions.verify_edits(checked, "quality", verified=True, by=filer)


def load_census() -> None:
    data = demo_census.write_census(2024).encode()
    loading.load_with_reason(CENSUS, 2024, data, source="made up", by=SERVICE)


def sign(**body: object) -> Any:
    return caller().post(f"{F}/submissions/1/sign", {"signed": True} | body, **JSON)


def filer_reads(address: str) -> str:
    browser = signed_in(User.objects.get(username="ann"))
    return body_of(browser.get(f"{FILING}{address}"))


def body_of(answer: Any) -> str:
    assert answer.status_code == 200, answer.content[:300]
    content = b"".join(answer) if answer.streaming else answer.content
    if content.startswith(b"PK"):
        rows = load_workbook(io.BytesIO(content), read_only=True).active.iter_rows(values_only=True)
        return str(list(rows))
    return content.decode()


def staff_reads(submission: Submission, address: str) -> str:
    user = User.objects.filter(username="operator").first() or members.member("operator")
    operator = members.signed_in(user)
    address = f"/admin/filing/submission/{submission.pk}/{address}"
    answer = operator.get(address)
    if answer.status_code == 200 and b'name="reason"' in answer.content and "csv" in address:
        answer = operator.post(address, {"reason": "A test."})
    return body_of(answer)


def command(**options: Any) -> Callable[[Submission], str]:
    def run(submission: Submission) -> str:
        out = io.StringIO()
        path = Path(str(submission.pk) + ".txt")
        path = Path("/tmp") / path
        path.write_bytes(register(Q611=2))
        try:
            call_command("check_lar", str(path), year=2024, stdout=out, **options)
        except SystemExit:
            pass
        finally:
            path.unlink()
        return out.getvalue()

    return run


PLACES: dict[str, Callable[[Submission], str]] = {
    "API edits": lambda s: body_of(caller().get(f"{F}/submissions/1/edits")),
    "API CSV": lambda s: body_of(caller().get(f"{F}/submissions/1/edits/csv")),
    "API CSV with details": lambda s: body_of(
        caller().get(f"{F}/submissions/1/edits/csv?detail=true")
    ),
    "page": lambda s: filer_reads("1/"),
    "page of edits": lambda s: filer_reads("1/edits/"),
    "CSV of the page": lambda s: filer_reads("1/edits/?format=csv"),
    "workbook": lambda s: filer_reads("1/edits/?format=xlsx"),
    "report": lambda s: filer_reads("1/edits/report/"),
    "page of an edit": lambda s: filer_reads("1/edits/V625-2/"),
    "CSV of an edit": lambda s: filer_reads("1/edits/V625-2/?format=csv"),
    "API edit": lambda s: body_of(caller().get(f"{F}/submissions/1/edits/V625-2")),
    "API CSV of an edit": lambda s: body_of(caller().get(f"{F}/submissions/1/edits/V625-2/csv")),
    "admin page": lambda s: staff_reads(s, "change/"),
    "admin page of edits": lambda s: staff_reads(s, "edits/"),
    "check_lar": command(),
    "check_lar --json": command(json=True),
    "check_lar --csv": command(csv=True),
}


def test_an_edit_that_was_not_run_is_said_where_results_are_read(checked):
    for place, read in PLACES.items():
        said = read(checked)
        assert UNRUN in said, place
        assert "census" in said, place


def test_the_email_about_the_result_says_it(submission, filer, tmp_path, ann):
    upload(submission, register(), filer, tmp_path)
    assert finished.request_finished_email(submission, by=ann)
    work(submission)
    mail = Mail.objects.get(kind="finished")
    assert UNRUN in mail.text
    assert "ready to sign" not in mail.subject


def test_a_file_waits_for_the_census_and_each_place_says_so(verified):
    answer = sign()
    assert answer.status_code == 409
    assert UNRUN in answer.json()["message"]
    page = filer_reads("1/sign/")
    assert 'id="waits"' in page
    assert 'name="certified"' not in page
    browser = signed_in(User.objects.get(username="ann"))
    sent = browser.post(f"{FILING}1/sign/", {"certified": "on"})
    assert (sent.status_code, b'id="waits"' in sent.content) == (409, True)
    for address in ("/filing/", f"/filing/{LEI}/", FILING):
        assert "Waiting for data that edits need" in body_of(browser.get(address))
    assert "Waiting for data" in filer_reads("1/")
    assert "Load what is missing" in staff_reads(verified, "change/")
    assert Submission.objects.get().status == Status.VERIFIED


def test_as_soon_as_the_census_is_loaded_the_edits_run_again_and_the_file_is_signed(
    verified, filer, django_capture_on_commit_callbacks
):
    with django_capture_on_commit_callbacks(execute=True):
        load_census()
    work(verified)
    assert not EditResult.objects.exclude(not_run="").exists()
    assert verified.status == Status.QUALITY_ERRORS
    assert rules_run.run_outdated_again() == 0
    submissions.verify_edits(verified, "quality", verified=True, by=filer)
    assert sign().status_code == 200


def test_a_file_that_an_earlier_release_checked_without_a_census_waits_and_is_run_again(verified):
    Submission.objects.update(rules_run="")
    assert sign().status_code == 409
    assert rules_run.run_outdated_again() == 0
    load_census()
    assert sign().status_code == 409
    assert rules_run.run_outdated_again() == 1


def test_where_its_year_does_not_wait_the_file_is_signed_and_the_receipt_says_what_was_not_run(
    verified,
):
    year = FilingYear.objects.get(pk=2024)
    year.signing_waits_for_census = False
    years.change_settings(year, ["signing_waits_for_census"], by=SERVICE, reason="A test.")
    for address in ("1/sign/", "1/"):
        assert UNRUN in filer_reads(address)
    assert sign().status_code == 200
    receipt = filer_reads("1/receipt/")
    assert UNRUN in receipt
    assert "the rules of 2024" in receipt
    claims = checking.verify_own_proof(Submission.objects.get().signature.signed_receipt.jws)
    assert claims["rulebook"] == 2024
    load_census()
    assert rules_run.run_outdated_again() == 0  # what is signed keeps its results


# --- rules that change after a check


def withdraw() -> None:
    rulebooks.withdraw_edit(
        FilingYear.objects.get(pk=2024), "Q611", by=SERVICE, reason="Its rule is wrong."
    )


def put_back() -> None:
    withdraw()
    rulebooks.put_back_edit(WithdrawnEdit.objects.get(), by=SERVICE, reason="It was right.")


def switch() -> None:
    year = FilingYear.objects.get(pk=2024)
    rulebooks.switch_rulebook(year, 2023, by=SERVICE, reason="A test.")


@pytest.mark.parametrize(
    ("changed", "status"),
    [({"stage": YearStage.CHECKS}, 400), ({"rulebook": 2023}, 409), ({"rulebook": 2024}, 200)],
)
def test_a_signature_sees_what_another_process_has_just_changed(
    census, checked, filer, changed, status
):
    submissions.verify_edits(checked, "quality", verified=True, by=filer)
    FilingYear.objects.filter(pk=2024).update(**changed)  # which this process is not told
    assert sign().status_code == status


@pytest.mark.parametrize(
    ("change", "again", "status", "rulebook"),
    [
        (withdraw, 1, Status.VERIFIED, 2024),
        (put_back, 0, Status.QUALITY_ERRORS, 2024),
        (switch, 1, None, 2023),
    ],
)
def test_unsigned_results_follow_the_rules_and_signed_ones_stay(
    census, checked, filer, change, again, status, rulebook
):
    submissions.verify_edits(checked, "quality", verified=True, by=filer)
    change()
    assert sign().status_code == (409 if again else 200)
    assert rules_run.run_outdated_again() == again
    work(checked)
    body = caller().get(f"{F}/submissions/1/edits").json()
    assert body["rulebook"] == {"year": rulebook, "provisional": rulebook != 2024}
    if again and status:
        assert checked.status == status
        (unrun,) = body["notRun"]
        assert (unrun["edit"], "Its rule is wrong." in unrun["reason"]) == ("Q611", True)
        assert "Q611" in filer_reads("1/edits/")
        assert sign().status_code == 200
        assert rules_run.run_outdated_again() == 0
        assert "Its rule is wrong." in filer_reads("1/receipt/")


def test_an_edit_that_was_not_run_is_not_said_to_be_corrected(census, submission, filer, tmp_path):
    member("ann", LEI)
    content = register(**{"V625-2": 2})
    upload(submission, content, filer, tmp_path)
    work(submission)
    ReferenceData.objects.all().delete()
    later = submissions.create_submission(lei=LEI, period=Period(2024), by=filer)
    upload(later, content, filer, tmp_path)
    work(later)
    for address in ("2/edits/", "compare/1/2/"):
        assert "Not run on submission 2" in filer_reads(address)
