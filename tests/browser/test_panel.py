"""A panel file from its upload to its report, carrying over, export and history, in a browser."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Look, save_download
from tests.browser.superuser import look  # noqa: F401 -- a fixture
from tests.filing.panel.bad_panel import ANYWHERE, IN_WORKBOOKS, as_csv, as_xlsx, lines

pytestmark = pytest.mark.slow

WHY = "The panel of the bureau of 3 March."
LIST = "/admin/filing/institution/"


def choose(look: Look, path: Path) -> None:
    look.page.set_input_files("[name=file]", path)
    look.page.click("input[value=Preview]")


def test_a_panel_is_uploaded_looked_at_confirmed_and_reported(look: Look, tmp_path: Path) -> None:
    path = tmp_path / "panel.xlsx"
    path.write_bytes(as_xlsx(lines([*ANYWHERE, *IN_WORKBOOKS])))
    page = look.at(LIST)
    page.click(".object-tools .import_link")
    choose(look, path)
    expect(page.get_by_text("Nothing is imported yet.")).to_be_visible()
    expect(page.get_by_text("is a public email domain").first).to_be_visible()
    look.picture("panel-preview")
    page.fill("[name=reason]", WHY)
    page.get_by_role("button", name=re.compile("^Import ")).click()
    expect(page.get_by_text("The panel was imported.")).to_be_visible()
    expect(page.get_by_text(WHY)).to_be_visible()

    changed = lines([])
    changed[1][2], changed[1][9] = "New Bank", ""
    path = tmp_path / "panel.csv"
    path.write_bytes(as_csv(changed))
    look.at(f"{LIST}import/")
    choose(look, path)
    expect(page.get_by_text("Name: Test Bank → New Bank")).to_be_visible()
    page.fill("[name=reason]", "It has a new name.")
    page.get_by_role("button", name=re.compile("^Import ")).click()

    look.at(f"{LIST}?q=New+Bank")
    page.click("#result_list tbody th a")
    page.click(".historylink")
    expect(page.get_by_text("It has a new name.")).to_be_visible()
    expect(page.get_by_text(WHY)).to_be_visible()
    look.picture("institution-history")


def test_a_file_that_cannot_be_read_is_explained(look: Look, tmp_path: Path) -> None:
    path = tmp_path / "panel.csv"
    path.write_text("lei,name\n")
    page = look.at(f"{LIST}import/")
    choose(look, path)
    expect(page.locator("#id_file_error")).to_contain_text("The header row has no column")


def test_a_panel_is_carried_over(look: Look) -> None:
    page = look.at(LIST)
    page.click(".object-tools >> text=Carry over")
    page.select_option("[name=from_year]", "2025")
    page.select_option("[name=to_year]", "2026")
    page.click("input[value=Preview]")
    expect(page.get_by_text("To be added")).to_be_visible()
    page.fill("[name=reason]", "The season of 2026.")
    page.get_by_role("button", name=re.compile("^Carry ")).click()
    expect(page.get_by_text("The panel was carried over.")).to_be_visible()


def test_the_list_is_exported(look: Look) -> None:
    page = look.at(f"{LIST}?q=FLOWTEST000000000001")
    page.click(".object-tools .export_link")
    _, path = save_download(page, page.get_by_role("button", name=re.compile("^Export")))
    text = path.read_text("utf-8-sig")
    assert text.startswith("activity_year,lei,name")
    assert "FLOWTEST000000000001" in text
    assert "FLOWTEST000000000002" not in text


def test_deleting_asks_why(look: Look) -> None:
    page = look.at(f"{LIST}?q=FLOWTEST000000000000")
    page.click("#result_list tbody th a")
    page.click("a.deletelink")
    page.fill("[name=reason]", "It closed.")
    page.get_by_role("button", name=re.compile("^Delete ")).click()
    expect(page.get_by_text("was deleted successfully")).to_be_visible()
