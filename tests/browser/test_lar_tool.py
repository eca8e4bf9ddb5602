"""From a spreadsheet to a clean LAR in one sitting: with mouse, with keyboard, without script."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from filing.edits import examples
from filing.lar.fields import LAR
from tests.browser.conftest import Look, lei_of, save_download
from tests.browser.filers import employ
from tests.flow.conftest import Service
from tests.publicapi.lar_tool.calls import YEAR, as_workbook

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


def workbook(records: list[dict[str, Any]]) -> bytes:
    rows = [[str(record[field.name]) for field in LAR] for record in records]
    return as_workbook([[field.label for field in LAR], *rows])


@pytest.fixture(scope="module")
def spreadsheet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    records = [dict(loan) for loan in CORRECT]
    for number, (name, value) in enumerate(PROBLEMS.items()):
        records[4 * number][name] = value
    path = tmp_path_factory.mktemp("lar-tool") / "loans.xlsx"
    path.write_bytes(workbook(records))
    return path


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("lar-tool") / "clean.xlsx"
    path.write_bytes(workbook([dict(loan) for loan in CORRECT]))
    return path


def fill_sheet(page: Page, lei: str = LEI) -> None:
    for name, value in (SHEET | {"lei": lei}).items():
        if name == "federal_agency":
            page.locator(f"#ts-{name}").select_option(str(value))
        elif name not in OURS:
            page.locator(f"#ts-{name}").fill(str(value))


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


def test_fifty_loans_with_twelve_problems_become_a_clean_file(look: Look, spreadsheet: Path):
    page = matched(look, spreadsheet)
    expect(page.locator("#step-heading")).to_be_focused()
    expect(page.get_by_label("Loan Type", exact=True).first).to_have_value("loan_type")
    fill_sheet(page)
    page.get_by_role("button", name="Confirm and convert").click()
    page.get_by_role("heading", name="Result", exact=True).wait_for()
    expect(page.locator("#step-heading")).to_be_focused()
    page.get_by_role("rowheader", name="L10", exact=True).wait_for()
    page.locator("#reading").evaluate("each => each.scrollIntoView()")
    look.picture("lar-tool")
    page.locator("summary", has_text="row editor").click()
    page.get_by_role("button", name="Open in the row editor").click()
    page.get_by_role("heading", name="Loan Application Register (50)").wait_for()
    assert page.url.endswith(reverse("lar-edit"))
    for left in range(len(PROBLEMS), 0, -1):
        expect(page.get_by_role("button", name=f"Next of {left} record")).to_be_visible()
        name = list(PROBLEMS)[number_of_problem(page)]
        field = page.locator(f"#field-{name}")
        expect(field).to_be_focused()
        assert "findings" in (field.get_attribute("aria-describedby") or "")
        value = str(CORRECT[4 * number_of_problem(page)][name])
        if field.evaluate("each => each.tagName") == "SELECT":
            field.select_option(value)
        else:
            field.fill(value)
        page.get_by_role("button", name="Update Row").click()
        expect(page.locator("#editor-status")).to_contain_text("no findings")
        if left > 1:
            page.get_by_role("button", name=f"Next of {left - 1} record").click()
    page.get_by_role("button", name="Check all records").click()
    page.get_by_text("No findings in the file.").wait_for()
    assert downloaded(page, "Download File") == CLEAN


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


def test_without_script_the_file_is_chosen_again_for_each_step(
    without_script: Look, spreadsheet: Path, clean: Path
):
    page = matched(without_script, spreadsheet)
    expect(page.get_by_text("Choose the file again before each step")).to_be_visible()
    fill_sheet(page)
    page.locator("#file").set_input_files(spreadsheet)
    page.get_by_role("button", name="Confirm and convert").click()
    page.get_by_role("heading", name="Validity edits").wait_for()
    expect(page.get_by_role("rowheader", name="L10", exact=True)).to_be_visible()
    # The spreadsheet was corrected, and is chosen instead.
    page.locator("#file").set_input_files(clean)
    assert downloaded(page, "Save the file as typed") == f"{CLEAN}\n"
    page.locator("#file").set_input_files(clean)
    page.get_by_role("button", name="Change columns").click()
    page.get_by_role("heading", name="Match the columns").wait_for()
    expect(page.locator("#ts-lei")).to_have_value(LEI)
    page.locator("#file").set_input_files(clean)
    page.get_by_role("button", name="Confirm and convert").click()
    page.get_by_role("heading", name="No findings").wait_for()
    assert page.get_by_role("button", name="Open in the row editor").count() == 0
    page.goto(without_script.url + reverse("lar-edit"))
    expect(page.get_by_text("The row editor needs scripts.")).to_be_visible()
    expect(page.get_by_role("button", name="Save Row")).not_to_be_visible()


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


def test_a_file_that_is_not_accepted_takes_the_focus(look: Look, tmp_path: Path):
    (tmp_path / "x.pdf").write_bytes(b"%PDF-1.7")
    page = look.at(reverse("lar-tool"))
    page.locator("#file").set_input_files(tmp_path / "x.pdf")
    page.get_by_role("button", name="Read the file").click()
    page.get_by_role("alert").get_by_text("This is a PDF").wait_for()
    expect(page.locator(".site-errors")).to_be_focused()


def test_the_file_is_filed_by_who_is_signed_in(site: Service, look: Look, tmp_path: Path):
    lei = lei_of("lar tool")
    employ(site, lei, "lara")
    loan = {"lei": lei, "uli": examples.numbered_uli(lei, 0)}
    path = tmp_path / "loans.xlsx"
    path.write_bytes(workbook([dict(CORRECT[0]) | loan]))
    look.sign_in("lara", reverse("lar-tool"))
    page = matched(look, path)
    fill_sheet(page, lei)
    page.get_by_role("button", name="Confirm and convert").click()
    page.get_by_role("heading", name="File this LAR").wait_for()
    expect(page.get_by_label("Filing", exact=True)).to_have_value(f"{lei}/2024")
    page.get_by_role("button", name="File this LAR").click()
    page.wait_for_url(f"**/filing/{lei}/2024/1/")
