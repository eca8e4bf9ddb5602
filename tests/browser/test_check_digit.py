"""The page of the check digit: one identifier with and without its script, and files."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from tests.browser.conftest import Look, save_download

LOAN_ID = "10Bx939c5543TqA1144M999143X"
GENERATE, VALIDATE = "Generate check digits", "Validate ULI"
GENERATE_ALL, VALIDATE_ALL = "Generate for the file", "Validate all lines"


def test_an_identifier_is_answered_in_the_page_and_announced(look: Look):
    page = look.at(reverse("check-digit"))
    look.complaints.clear()
    for typed, button, heading in (
        (LOAN_ID, GENERATE, "The check digits are 38"),
        (f"{LOAN_ID}38", VALIDATE, "The ULI is valid"),
        (f"{LOAN_ID}39", VALIDATE, "The ULI is not valid"),
        ("A1", GENERATE, "There is a problem"),
    ):
        page.get_by_label("Loan identifier or ULI").fill(typed)
        page.get_by_role("button", name=button).click()
        page.get_by_role("status").first.get_by_role("heading", name=heading, exact=True).wait_for()
    assert page.get_by_label("Loan identifier or ULI").input_value() == "A1"


def test_an_identifier_is_answered_without_script(without_script: Look):
    page = without_script.at(reverse("check-digit"))
    page.get_by_label("Loan identifier or ULI").fill(f" {LOAN_ID} ")
    page.get_by_role("button", name=GENERATE).click()
    page.get_by_role("heading", name="The check digits are 38").wait_for()
    expect(page.locator("#answer").get_by_text(f"{LOAN_ID}38")).to_be_visible()


@pytest.mark.parametrize(
    ("button", "saved_as", "answer"),
    [
        (GENERATE_ALL, "generated-ids.csv", "loanId,checkDigit,uli\n{0},38,{0}38\n"),
        (VALIDATE_ALL, "validated-ids.csv", "uli,isValid\n{0},false\n"),
    ],
)
def test_a_file_is_answered_by_a_download(
    look: Look, tmp_path: Path, button: str, saved_as: str, answer: str
):
    (tmp_path / "ids.txt").write_text(f"{LOAN_ID}\n")
    page = look.at(reverse("check-digit"))
    page.locator("#file").set_input_files(tmp_path / "ids.txt")
    name, path = save_download(page, page.get_by_role("button", name=button))
    assert name == saved_as
    assert path.read_text() == answer.format(LOAN_ID)
