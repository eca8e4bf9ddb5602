"""The rate spread in a browser: one loan, and a file that is saved."""

from __future__ import annotations

from pathlib import Path

from tests.browser.conftest import Look, save_download

PAGE = "/tools/rate-spread/"
GOOD = "1,30,FixedRate,6.0,2023-11-20,2"


def test_one_loan_is_answered_with_week_and_rate(look: Look) -> None:
    page = look.at(PAGE)
    page.get_by_label("Loan term in years").fill("30")
    page.get_by_label("Annual percentage rate").fill("6.0")
    page.get_by_label("Rate set date").fill("2023-11-22")
    page.get_by_role("button", name="Compute rate spread").click()
    page.get_by_role("heading", name="The rate spread is -1.420%").wait_for()
    look.is_sound()
    look.fits()


def test_the_term_is_named_for_variable_rates(look: Look) -> None:
    page = look.at(PAGE)
    page.get_by_label("Amortization type").select_option("VariableRate")
    page.get_by_label("Years to first adjustment").fill("5")
    page.get_by_label("Amortization type").select_option("FixedRate")
    assert page.get_by_label("Loan term in years").input_value() == "5"


def test_what_is_wrong_is_sound(look: Look) -> None:
    page = look.at(PAGE)
    page.evaluate("document.querySelector('main form').noValidate = true")
    page.get_by_role("button", name="Compute rate spread").click()
    page.get_by_role("alert").wait_for()
    look.is_sound()
    look.fits()


def test_a_file_is_saved_under_its_name(look: Look, tmp_path: Path) -> None:
    loans = tmp_path / "loans.csv"
    loans.write_text(f"{GOOD}\nx\n")
    page = look.at(PAGE)
    page.locator("#file").set_input_files(loans)
    name, path = save_download(page, page.get_by_role("button", name="Compute for all lines"))
    assert name == "calculated-loans.csv"
    assert path.read_text() == (f"{GOOD},-1.420\nx,error: a line must have 6 columns\n")


def test_a_table_is_previewed_in_the_admin(look: Look, tmp_path: Path) -> None:
    table = tmp_path / "fixed.txt"
    table.write_text("|".join(["1/2/2017", *["3.5"] * 50]))
    page = look.sign_in("root", "/admin/ratespread/aporload/add/")
    look.is_sound(after="load")
    page.locator("[name=file]").set_input_files(table)
    page.get_by_role("button", name="Preview").click()
    page.get_by_role("heading", name="Changes this load would make").wait_for()
    look.is_sound(after="load")
