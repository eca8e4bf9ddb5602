"""The row editor in a browser: all that the bureau's page has, and what it does not have."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from django.urls import reverse
from playwright.sync_api import Dialog, Page, expect

from filing.edits import examples
from filing.lar.fields import LAR, TRANSMITTAL_SHEET, Field
from tests.browser.conftest import Look, save_download
from tests.flow.conftest import Service
from tests.publicapi.lar_tool.calls import YEAR

LEI = "529900EXAMPLELEI0001"
SHEET = examples.correct_transmittal_sheet(YEAR, LEI, 10)
LOANS = [
    examples.correct_loan(YEAR, LEI, uli=examples.numbered_uli(LEI, number))
    | {"city": f"City {number}"}
    for number in range(10)
]
LINES = [examples.write_record_line(SHEET), *map(examples.write_record_line, LOANS)]
NAME = f"2024-4-{LEI}.txt"


@pytest.fixture
def editor(look: Look) -> Page:
    page = look.at(reverse("lar-edit"))
    page.locator("#field-institution_name").wait_for()
    return page


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    def written(*lines: str, name: str = "lar.txt") -> Path:
        path = tmp_path / name
        path.write_text("\n".join(lines))
        return path

    return written


def opened(page: Page, path: Path, loans: int = 10) -> Page:
    page.locator("#editor-file").set_input_files(path)
    page.get_by_role("heading", name=f"Loan Application Register ({loans:,})").wait_for()
    return page


def downloaded(page: Page, name: str = NAME) -> str:
    saved_as, path = save_download(page, page.get_by_role("button", name="Download File"))
    assert saved_as == name
    return path.read_bytes().decode()


def save(page: Page) -> str:
    """Save the record; return what is said once it is checked."""
    status = page.locator("#editor-status")
    status.evaluate("status => { status.textContent = ''; }")  # what an earlier action said
    page.locator("#editor-save").click()
    expect(status).to_contain_text("finding")
    return status.inner_text()


def answer(page: Page, button: str) -> None:
    page.get_by_role("dialog").get_by_role("button", name=button, exact=True).click()


def cell(page: Page, row: int, name: str) -> Any:
    return page.locator(f"#lar-table tr[data-place='{row - 1}'] [data-name='{name}']")


def test_a_file_is_opened_counted_and_saved_as_it_was(
    look: Look, editor: Page, write: Callable[..., Path]
):
    opened(editor, write(*LINES, "", "  "))
    expect(editor.get_by_role("heading", name="Transmittal Sheet (1)")).to_be_visible()
    expect(editor.locator("#editor-unsaved")).to_be_hidden()
    assert editor.locator("#lar-count").inner_text() == "10 loans, 110 of 110 columns"
    assert downloaded(editor) == "\n".join(LINES)


def test_a_lar_is_typed_from_nothing(look: Look, editor: Page):
    assert editor.locator("#ts-empty").inner_text() == "No Records Saved"
    editor.get_by_role("button", name="Download File").click()
    editor.get_by_text("Add the transmittal sheet first").wait_for()
    editor.get_by_role("button", name="Dismiss").click()
    expect(editor.locator("#editor-notice")).to_be_empty()
    # The first record is the transmittal sheet; then come loans.
    expect(editor.locator("#field-record_id")).to_have_value("1")
    for locked in ("record_id", "total_lines"):
        expect(editor.locator(f"#field-{locked}")).not_to_be_editable()
    expect(editor.get_by_role("button", name="Save Row")).to_be_disabled()
    fill(editor, TRANSMITTAL_SHEET, LINES[0])
    assert save(editor) == "Transmittal sheet: no findings."
    expect(editor.get_by_label("Data year")).to_have_value("2024")
    editor.get_by_role("button", name="Download File").click()
    editor.get_by_text("Add a loan first").wait_for()
    editor.get_by_role("button", name="New Row").click()
    expect(editor.locator("#field-record_id")).to_have_value("2")
    expect(editor.locator("#field-lei")).to_have_value(LEI)
    fill(editor, LAR, LINES[1])
    assert save(editor) == "Loan row 1: no findings."
    sheet = examples.write_record_line(SHEET | {"total_lines": "1"})
    assert downloaded(editor) == f"{sheet}\n{LINES[1]}"


def fill(page: Page, fields: Iterable[Field], line: str) -> None:
    """Type the values of a line into the fields of the editor."""
    for field, value in zip(fields, line.split("|"), strict=True):
        each = page.locator(f"#field-{field.name}")
        if field.name in {"record_id", "total_lines"}:
            continue
        if each.evaluate("each => each.tagName") == "SELECT":
            each.select_option(value)
        else:
            each.fill(value)


def test_codes_have_their_text_and_the_file_keeps_its_name_open_until_it_is_known(
    editor: Page, write: Callable[..., Path]
):
    unknown = examples.write_record_line(SHEET | {"lei": ""})
    opened(editor, write(unknown, *LINES[1:]))
    downloaded(editor, "LarFile.txt")
    cell(editor, 3, "loan_type").click()
    expect(editor.locator("#field-loan_type")).to_be_focused()
    text = editor.locator("#field-loan_type option[value='1']").inner_text()
    assert text.startswith("1 - Conventional (not insured")


def test_findings_stand_beside_their_fields_after_a_row_is_saved(
    look: Look, editor: Page, write: Callable[..., Path]
):
    opened(editor, write(*LINES))
    cell(editor, 2, "loan_amount").click()
    amount = editor.get_by_label("10 Loan Amount")
    amount.fill("-5")
    assert save(editor) == "Loan row 2: 2 findings, beside their fields."
    described = amount.get_attribute("aria-describedby")
    assert "V617" in editor.locator(f"#{described}").inner_text()
    assert amount.get_attribute("aria-invalid") == "true"
    assert "2 findings" in editor.locator("#lar-table tr[data-place='1'] th").inner_text()
    editor.get_by_role("button", name="V617: Loan Amount").click()
    expect(amount).to_be_focused()
    amount.fill("abc")
    assert "1 finding" in save(editor)
    assert "Numeric" in editor.locator(f"#{described}").inner_text()
    look.complaints = [each for each in look.complaints if "/lar/validate/" not in each]
    amount.fill("1|2")
    editor.locator("#editor-save").click()
    editor.get_by_text("Loan Amount has a pipe (|)").wait_for()


def test_a_record_stays_open_while_the_fields_of_its_year_arrive(
    look: Look, editor: Page, write: Callable[..., Path]
):
    asked = []
    editor.route("**/lar/fields*", lambda route: asked.append(route))
    opened(editor, write(*LINES))
    cell(editor, 2, "loan_amount").click()
    editor.get_by_label("10 Loan Amount").fill("123")
    for route in asked:
        route.continue_()
    expect(editor.locator("#editor-status")).to_contain_text("10 loans")
    assert asked
    expect(editor.locator("#editor-title")).to_have_text("Loan row 2")
    expect(editor.get_by_label("10 Loan Amount")).to_have_value("123")
    expect(editor.get_by_label("10 Loan Amount")).to_be_focused()


def test_the_buttons_fill_in_na_and_exempt(editor: Page, write: Callable[..., Path]):
    opened(editor, write(*LINES))
    cell(editor, 1, "zip_code").click()
    for word in ("NA", "Exempt"):
        editor.get_by_role("button", name=f"{word} for Zip Code").click()
        expect(editor.locator("#field-zip_code")).to_have_value(word)
    save(editor)
    expect(cell(editor, 1, "zip_code")).to_have_text(re.compile("^Exempt"))


def test_records_are_searched_and_columns_filtered(editor: Page, write: Callable[..., Path]):
    opened(editor, write(*LINES))
    editor.get_by_label("Search values of the Loan Application Register").fill("cITY 7")
    expect(editor.locator("#lar-count")).to_have_text("1 of 10 loans, 1 of 110 columns")
    assert editor.locator("#lar-table mark").all_inner_texts() == ["City 7"]
    editor.locator("#lar-table td").click()
    expect(editor.locator("#editor-title")).to_have_text("Loan row 8")
    expect(editor.locator("#field-city")).to_be_focused()
    editor.locator("#lar-search").fill("")
    editor.get_by_label("Filter columns of the Loan Application Register").fill("race of app")
    expect(editor.locator("#lar-count")).to_have_text("10 loans, 9 of 110 columns")
    editor.get_by_label("Search values of the Transmittal Sheet").fill(
        SHEET["contact_city"].upper()
    )
    expect(editor.locator("#ts-table mark").first).to_be_visible()
    editor.get_by_label("Find a field").fill("credit score")
    expect(editor.locator("#editor-filter-count")).to_contain_text("of 110 fields")


def test_rows_are_updated_deleted_after_a_question_and_put_back(
    look: Look, editor: Page, write: Callable[..., Path]
):
    opened(editor, write(*LINES))
    cell(editor, 4, "city").click()
    editor.locator("#field-city").fill("Elsewhere")
    expect(editor.get_by_role("button", name="Update Row 4")).to_be_enabled()
    save(editor)
    assert cell(editor, 4, "city").inner_text() == "Elsewhere"
    editor.get_by_role("button", name="Delete Row 4").click()
    answer(editor, "Cancel")
    editor.get_by_role("button", name="Delete Row 4").click()
    answer(editor, "Delete")
    editor.get_by_role("heading", name="Loan Application Register (9)").wait_for()
    assert cell(editor, 4, "city").inner_text() == "City 4"
    assert editor.locator("#ts-table [data-name='total_lines']").last.inner_text() == "9"
    editor.get_by_role("button", name="Undo the last delete").click()
    editor.get_by_role("heading", name="Loan Application Register (10)").wait_for()
    assert cell(editor, 4, "city").inner_text() == "Elsewhere"
    expect(editor.locator("#editor-title")).to_have_text("Loan row 4")
    editor.locator("#field-city").fill("Unsaved")
    cell(editor, 5, "city").click()
    answer(editor, "Cancel")
    expect(editor.locator("#field-city")).to_have_value("Unsaved")
    cell(editor, 5, "city").click()
    answer(editor, "Discard")
    expect(editor.locator("#field-city")).to_have_value("City 4")


def test_the_table_is_walked_with_the_keys(editor: Page, write: Callable[..., Path]):
    opened(editor, write(*LINES))
    editor.locator("#lar-table [tabindex='0']").focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowRight", "ArrowRight", "ArrowRight"):
        editor.keyboard.press(key)
    editor.keyboard.press("Enter")
    expect(editor.locator("#field-uli")).to_be_focused()
    expect(editor.locator("#editor-title")).to_have_text("Loan row 2")
    assert editor.locator("#lar-table [tabindex='0']").count() == 1


def test_a_record_is_edited_as_a_line(look: Look, editor: Page, write: Callable[..., Path]):
    opened(editor, write(*LINES))
    cell(editor, 1, "city").click()
    editor.get_by_text("Pipe-delimited line").click()
    line = editor.get_by_label("Record", exact=True)
    expect(line).to_have_value(LINES[1])
    line.evaluate("each => { each.focus(); each.setSelectionRange(3, 3); }")
    line.press("ArrowRight")
    expect(editor.locator("#editor-piped-field")).to_have_text(
        "Field 2: Legal Entity Identifier (LEI)"
    )
    line.evaluate(
        """(each, text) => {
          const data = new DataTransfer();
          data.setData("text/plain", text);
          const paste = { clipboardData: data, cancelable: true };
          each.dispatchEvent(new ClipboardEvent("paste", paste));
        }""",
        LINES[3] + "\n",
    )
    expect(line).to_have_value(LINES[3])
    save(editor)
    assert cell(editor, 1, "city").inner_text() == "City 2"
    line.fill("2|too short")
    editor.locator("#editor-save").click()
    editor.get_by_text("The record has 2 fields instead of 110.").wait_for()
    editor.get_by_text("Fields", exact=True).click()
    expect(editor.locator("#field-uli")).to_have_value("")


def test_lines_that_are_no_record_are_reviewed(
    look: Look, editor: Page, write: Callable[..., Path]
):
    other = examples.write_record_line(SHEET | {"institution_name": "Second"})
    long = f"{LINES[2]}|more"
    path = write(LINES[0], LINES[1], "Loans of May", other, long, "2|short", LINES[3][2:])
    opened(editor, path, 3)
    expect(editor.get_by_role("heading", name="Lines to review (3)")).to_be_visible()
    faults = editor.locator("#editor-faults-list li").all_inner_texts()
    assert [fault.split(";")[0] for fault in faults] == [
        "Line 5, loan: 111 fields instead of 110",
        "Line 6, loan: 2 fields instead of 110",
    ]
    editor.get_by_role("button", name="Dismiss line 3").click()
    editor.get_by_role("button", name="Move to the records line 4").click()
    editor.get_by_text("There is a transmittal sheet already.").wait_for()
    editor.get_by_label("Line 7").fill(LINES[3])
    editor.get_by_role("button", name="Move to the records line 7").click()
    editor.get_by_role("heading", name="Loan Application Register (4)").wait_for()
    assert editor.locator("#ts-table [data-name='total_lines']").last.inner_text() == "4"


def test_what_is_there_is_replaced_or_removed_only_after_a_question(
    look: Look, editor: Page, write: Callable[..., Path]
):
    path = write(*LINES)
    opened(editor, path)
    editor.locator("#editor-file").set_input_files(write(*LINES[:3], name="two.txt"))
    answer(editor, "Cancel")
    editor.locator("#editor-file").set_input_files(write(*LINES[:3], name="two.txt"))
    answer(editor, "Replace")
    editor.get_by_role("heading", name="Loan Application Register (2)").wait_for()
    questions: list[str] = []

    def leave(dialog: Dialog) -> None:
        questions.append(dialog.type)
        dialog.accept()

    editor.on("dialog", leave)
    editor.get_by_role("button", name="Reset").click()
    answer(editor, "Remove all")
    editor.get_by_role("heading", name="Loan Application Register (0)").wait_for()
    look.at(reverse("help"))
    assert questions == []  # nothing was lost
    page = look.at(reverse("lar-edit"))
    opened(page, path)
    cell(page, 1, "city").click()
    page.locator("#field-city").fill("Changed")
    look.at(reverse("help"))
    assert questions == ["beforeunload"]


def test_a_draft_is_kept_only_if_it_is_wanted(look: Look, editor: Page, write: Callable[..., Path]):
    stored = "localStorage.getItem('lar-editor-draft')"
    opened(editor, write(*LINES))
    assert editor.evaluate("localStorage.length + sessionStorage.length") == 0
    editor.get_by_text("Keep a draft in this browser").click()
    assert editor.evaluate(stored) == "\n".join(LINES)
    page = look.at(reverse("lar-edit"))
    page.get_by_text("This browser has a draft.").wait_for()
    page.get_by_role("button", name="Open the draft").click()
    page.get_by_role("heading", name="Loan Application Register (10)").wait_for()
    page.get_by_role("button", name="Delete the draft").click()
    assert page.evaluate(stored) is None
    expect(page.locator("#editor-draft")).not_to_be_checked()


def test_too_many_loans_and_other_files_are_refused(
    look: Look, site: Service, editor: Page, write: Callable[..., Path], tmp_path: Path
):
    editor.locator("#editor-file").set_input_files(write(LINES[0], *[LINES[1]] * 5_001))
    editor.get_by_text("lar.txt has more than 5,000 loans").wait_for()
    (tmp_path / "loans.xlsx").write_bytes(b"PK\x03\x04\xff\xfe")
    editor.locator("#editor-file").set_input_files(tmp_path / "loans.xlsx")
    editor.get_by_text("loans.xlsx is not UTF-8 text.").wait_for()
    opened(editor, write(LINES[0], *[LINES[1]] * 5_000), 5_000)
    editor.get_by_role("button", name="Next page of the Loan Application Register").click()
    expect(editor.locator("#lar-page")).to_have_text("Page 2 of 200")


def test_the_findings_of_the_whole_file_are_listed_at_their_rows(
    look: Look, editor: Page, write: Callable[..., Path]
):
    wrong = examples.write_record_line(LOANS[4] | {"loan_type": 9})
    opened(editor, write(*LINES[:5], wrong, *LINES[6:], LINES[2]), 11)
    editor.get_by_role("button", name="Check all records").click()
    editor.get_by_text("findings in the file.").wait_for()
    editor.get_by_role("button", name="Next of").click()
    row = editor.locator("#lar-table tr[data-place='4'] th")
    expect(row).to_contain_text("1 finding")
    editor.get_by_label("Data year").select_option("2023")
    expect(editor.locator("#lar-count")).to_contain_text("110 of 110 columns")
