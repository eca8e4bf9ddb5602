"""Filing the LAR that was made from a spreadsheet, by a signed-in user."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from filing import day_hours
from filing.models import FilingPeriod, Institution, Membership, StatusChange, Submission
from filing.statuses import Status
from tests.conftest import LEI
from tests.conversions_here import conversions_here  # noqa: F401 -- a fixture
from tests.filing.conftest import census  # noqa: F401 -- a fixture
from tests.filing.pages.steps import FILING, member, signed_in
from tests.filing.submissions.stages import analysed, signed, uploaded  # noqa: F401 -- fixtures
from tests.publicapi.lar_tool.calls import as_csv, loans
from tests.publicapi.lar_tool.pages import FILE, RESULT, Form, columns, html, sent, sheet, words

pytestmark = pytest.mark.django_db

OF_BANK = {"lei": LEI, "uli": f"{LEI}1"}
CONTENT = as_csv(loans(OF_BANK, OF_BANK))


@pytest.fixture
def ann(institution: Institution, open_period: FilingPeriod) -> User:
    return member("ann", LEI)


@pytest.fixture
def browser(ann: User) -> Client:
    return signed_in(ann)


def result(browser: Client, **more: str) -> dict[str, str]:
    """Return the fields of the form with the result."""
    fields = {**columns(browser, CONTENT), **sheet(LEI, 2), **more}
    return Form(html(sent(browser, RESULT, CONTENT, fields))).fields


def test_the_file_goes_into_a_submission_of_the_chosen_filing(browser: Client, ann: User) -> None:
    fields = result(browser)
    assert fields["filing"] == f"{LEI}/2024"
    answer = sent(browser, FILE, CONTENT, fields)
    assert (answer.status_code, answer["Location"]) == (303, f"{FILING}1/")
    (submission,) = Submission.objects.all()
    assert (submission.status, submission.file_name) == (Status.UPLOADED, f"2024-4-{LEI}.txt")
    lar = b"".join(browser.get(f"{FILING}1/file/").streaming_content)
    assert len(lar.splitlines()) == 3
    assert submission.size == len(lar)
    changes = StatusChange.objects.filter(submission=submission)
    assert {change.actor_username for change in changes} == {ann.username}


def test_a_file_of_another_institution_is_refused_before_it_is_sent(browser: Client) -> None:
    fields = {**result(browser), **sheet("529900OTHERBANK00017", 2)}
    answer = sent(browser, FILE, CONTENT, fields)
    assert "line 1" in words(html(answer, 400))
    assert not Submission.objects.exists()


def test_the_same_form_sent_twice_has_one_effect(browser: Client) -> None:
    fields = result(browser)
    first, again = (sent(browser, FILE, CONTENT, fields) for _ in range(2))
    assert first["Location"] == again["Location"]
    assert again["Idempotency-Replayed"] == "true"
    assert Submission.objects.count() == 1


def test_a_submission_that_waits_for_its_file_is_used(browser: Client) -> None:
    browser.post(FILING)
    assert sent(browser, FILE, CONTENT, result(browser))["Location"] == f"{FILING}1/"
    assert sent(browser, FILE, CONTENT, result(browser))["Location"] == f"{FILING}2/"


def test_a_form_of_another_site_is_refused_before_anything_is_created(ann: User) -> None:
    fields = result(signed_in(ann))
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(ann)
    fields.pop("csrfmiddlewaretoken")
    assert sent(strict, FILE, CONTENT, fields).status_code == 403
    assert not Submission.objects.exists()
    strict.get(FILING)
    fields["csrfmiddlewaretoken"] = strict.cookies["csrftoken"].value
    assert sent(strict, FILE, CONTENT, fields).status_code == 303


def test_only_filings_of_ones_own_institutions_are_taken(browser: Client) -> None:
    fields = result(browser)
    for filing, status, told in (
        ("529900OTHERBANK00017/2024", 403, "You do not act for this institution."),
        (f"{LEI}/2017", 400, "Choose one of your filings."),
        ("", 400, "Choose one of your filings."),
    ):
        page = html(sent(browser, FILE, CONTENT, {**fields, "filing": filing}), status)
        assert told in words(page)
    assert not Submission.objects.exists()


def test_a_cell_that_is_not_understood_is_not_filed(browser: Client) -> None:
    content = as_csv(loans({**OF_BANK, "action_taken_date": "21/7/2024"}))
    fields = {**columns(browser, content), **sheet(LEI)}
    fields = Form(html(sent(browser, RESULT, content, fields))).fields
    page = html(sent(browser, FILE, content, {**fields, "filing": f"{LEI}/2024"}), 422)
    assert "There is a problem" in page
    assert not Submission.objects.exists()


def test_a_lost_file_and_other_columns_are_refused_with_all_else_kept(browser: Client) -> None:
    fields = result(browser)
    page = html(sent(browser, FILE, None, fields), 400)
    assert "Choose the file again" in words(page)
    assert Form(page).fields["ts-lei"] == LEI
    other = CONTENT.replace(b"Loan Type", b"Note")
    page = html(sent(browser, FILE, other, fields), 400)
    assert "This file has other columns" in words(page)
    assert not Submission.objects.exists()


def test_a_closed_period_is_refused(browser: Client, open_period: Any) -> None:
    fields = result(browser)
    open_period.timely_until = open_period.closes = day_hours.today() - timedelta(days=1)
    open_period.save()
    page = html(sent(browser, FILE, CONTENT, fields), 400)
    assert "is no longer available for filing" in words(page)
    page = html(sent(browser, RESULT, CONTENT, fields))
    assert "None of your institutions has an open filing." in words(page)


def test_the_transmittal_sheet_is_filled_in_from_the_panel(
    browser: Client, ann: User, institution: Institution
) -> None:
    fields = columns(browser, CONTENT)
    assert fields["ts-institution_name"] == institution.name
    assert fields["ts-federal_agency"] == str(institution.agency)
    assert (fields["ts-tax_id"], fields["ts-lei"]) == (institution.tax_id, LEI)
    assert fields["ts-contact_email"] == ann.email
    other = as_csv(loans({"lei": "529900OTHERBANK00017"}))
    assert columns(browser, other)["ts-institution_name"] == ""  # the file of another


def test_who_files_for_several_chooses_the_institution_of_a_file_without_lei(
    browser: Client, ann: User, institution: Institution
) -> None:
    Membership.objects.create(user=ann, lei="529900OTHERBANK00017")
    content = as_csv([[cell for at, cell in enumerate(row) if at != 1] for row in loans({})])
    assert f'<option value="{LEI}"' in html(browser.get("/tools/lar/"))
    assert columns(browser, content)["ts-lei"] == ""
    assert columns(browser, content, institution=LEI)["ts-lei"] == LEI
    assert columns(browser, content, institution="529900STRANGER000012")["ts-lei"] == ""


def test_phone_and_address_are_those_of_the_last_signed_submission(
    browser: Client, institution: Institution, signed: Submission
) -> None:
    sheet_of_before = signed.transmittal_sheet
    assert sheet_of_before is not None
    fields = columns(browser, CONTENT)
    for name in ("contact_phone", "contact_street", "contact_zip_code"):
        assert fields[f"ts-{name}"] == str(sheet_of_before[name])
