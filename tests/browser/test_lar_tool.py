"""From a spreadsheet to a clean LAR in one sitting: with mouse, with keyboard, without script."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from filing.edits import examples
from filing.lar.fields import LAR
from tests.browser.conftest import Look, lei_of, save_download
from tests.browser.filers import employ
from tests.browser.states_for_everyone import fill_sheet, write_workbook
from tests.flow.conftest import Service
from tests.publicapi.lar_tool.calls import YEAR

LEI = "529900EXAMPLELEI0001"
LOANS = 50
# Of every fourth loan, a wrong value; some are not understood, some trigger edits.
PROBLEMS = {
    "loan_type": "7",
    "loan_amount": "abc",
    "action_taken_date": "21/7/2024",
    "state": "XX",
    "loan_purpose": "9",
    "occupancy_type": "8",
    "construction_method": "5",
    "lien_status": "7",
    "applicant_age": "x",
    "income": "1|2",
    "preapproval": "6",
    "uli": "529900EXAMPLELEI0001000000000000",
}
CORRECT = [
    examples.correct_loan(YEAR, LEI, uli=examples.numbered_uli(LEI, number))
    for number in range(LOANS)
]
SHEET = examples.correct_transmittal_sheet(YEAR, LEI, LOANS)
# A blank code that is typed as 0 stays one.
LINES = ["|".join(str(loan[field.name]) for field in LAR) for loan in CORRECT]
CLEAN = "\n".join([examples.write_record_line(SHEET), *LINES])
LABEL = """(document.activeElement.labels?.[0] ?? document.activeElement).textContent"""
OURS = {"record_id", "total_lines"}


@pytest.fixture(scope="module")
def spreadsheet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    records = [dict(loan) for loan in CORRECT]
    for number, (name, value) in enumerate(PROBLEMS.items()):
        records[4 * number][name] = value
    path = tmp_path_factory.mktemp("lar-tool") / "loans.xlsx"
    path.write_bytes(write_workbook(records))
    return path


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("lar-tool") / "clean.xlsx"
    path.write_bytes(write_workbook(CORRECT))
    return path


def matched(look: Look, path: Path) -> Page:
    """Choose a file, and go on to its columns."""
    page = look.at(reverse("lar-tool"))
    page.locator("#file").set_input_files(path)
    page.get_by_label("Data year").select_option(str(YEAR.year))
    page.get_by_role("button", name="Read the file").click()
    page.get_by_role("heading", name="Match the columns").wait_for()
    return page


def converted(look: Look, path: Path) -> Page:
    """Go on to the result of a file."""
    page = matched(look, path)
    fill_sheet(page)
    page.get_by_role("button", name="Confirm and convert").click()
    page.get_by_role("heading", name="Result", exact=True).wait_for()
    return page


def number_of_problem(page: Page) -> int:
    """Return which of the problems the record in the editor has."""
    expect(page.locator("#editor-title")).to_have_text(re.compile("^Loan row "))
    title = page.locator("#editor-title").inner_text()
    return (int(title.removeprefix("Loan row ")) - 1) // 4


def downloaded(page: Page, button: str) -> str:
    name, path = save_download(page, page.get_by_role("button", name=button, exact=True))
    assert name == f"2024-4-{LEI}.txt"
    return path.read_text()


def test_the_file_is_made_clean_by_keyboard_alone(look: Look, spreadsheet: Path):
    page = look.at(reverse("lar-tool"))
    press = page.keyboard.press

    def to(name: str, most: int = 400) -> None:
        """Press Tab until something with this name has the focus."""
        for _ in range(most):
            press("Tab")
            label = page.evaluate(LABEL)
            if label.strip().startswith(name):
                return
        raise AssertionError(f"{page.url} has no {name!r} that Tab leads to")

    page.locator("#file").set_input_files(spreadsheet)  # the dialog is the system's
    to("Data year")
    page.keyboard.type("2024")
    to("Read the file")
    press("Enter")
    expect(page.locator("#step-heading")).to_be_focused()
    for name, value in SHEET.items():
        if name in OURS | {"calendar_year", "calendar_quarter"}:
            continue
        page.locator("#ts-institution_name").wait_for()
        while page.evaluate("document.activeElement.id") != f"ts-{name}":
            press("Tab")
        page.keyboard.type(str(value))
    to("Confirm and convert")
    press("Enter")
    page.get_by_role("heading", name="Result", exact=True).wait_for()
    expect(page.locator("#step-heading")).to_be_focused()
    while (
        page.evaluate("document.activeElement.parentElement.className") != "site-finding lar-more"
    ):
        press("Tab")
    press("Enter")
    to("Open in the row editor", 20)
    press("Enter")
    page.get_by_role("heading", name="Loan Application Register (50)").wait_for()
    for left in range(len(PROBLEMS), 0, -1):
        name = list(PROBLEMS)[number_of_problem(page)]
        field = page.locator(f"#field-{name}")
        expect(field).to_be_focused()
        value = str(CORRECT[4 * number_of_problem(page)][name])
        if field.evaluate("each => each.tagName") == "SELECT":
            text = field.locator(f"option[value='{value}']").inner_text()
            page.keyboard.type(text[:4])
        else:
            press("Control+a")
            page.keyboard.type(value)
        press("Control+Enter")
        expect(page.locator("#editor-status")).to_contain_text("no findings")
        expect(page.locator("#editor-title")).to_be_focused()
        if left > 1:
            to("Next of", 4)
            press("Enter")
    while page.evaluate("document.activeElement.id") != "editor-check":
        press("Shift+Tab")
    press("Enter")
    page.get_by_text("No findings in the file.").wait_for()
    expect(page.locator("#editor-notice [role=alert]")).to_be_focused()
    with page.expect_download() as download:
        while page.evaluate("document.activeElement.id") != "editor-download":
            press("Tab")
        press("Enter")
    assert Path(download.value.path()).read_text() == CLEAN


def test_each_button_sends_the_file_again_with_script(look: Look, clean: Path):
    page = converted(look, clean)
    assert downloaded(page, "Save the file") == f"{CLEAN}\n"
    page.locator("summary", has_text="row editor").click()
    name, _ = save_download(page, page.get_by_role("button", name="Save as spreadsheet"))
    assert name == f"2024-4-{LEI}.xlsx"
    page.get_by_role("button", name="Change columns").click()
    page.get_by_role("heading", name="Match the columns").wait_for()
    page.get_by_text("110 columns matched").click()
    page.get_by_label("Loan Amount", exact=True).first.select_option("")
    page.get_by_role("button", name="Confirm and convert").click()
    page.get_by_role("heading", name="Formatting errors: 50").wait_for()


def test_the_file_is_filed_by_who_is_signed_in(site: Service, look: Look, tmp_path: Path):
    lei = lei_of("lar tool")
    employ(site, lei, "lara")
    loan = {"lei": lei, "uli": examples.numbered_uli(lei, 0)}
    path = tmp_path / "loans.xlsx"
    path.write_bytes(write_workbook([CORRECT[0] | loan]))
    look.sign_in("lara", reverse("lar-tool"))
    page = matched(look, path)
    fill_sheet(page, lei)
    page.get_by_role("button", name="Confirm and convert").click()
    page.get_by_role("heading", name="File this LAR").wait_for()
    expect(page.get_by_label("Filing", exact=True)).to_have_value(f"{lei}/2024")
    page.get_by_role("button", name="File this LAR").click()
    page.wait_for_url(f"**/filing/{lei}/2024/1/")
