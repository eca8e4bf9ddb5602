"""The rate spread in a browser: one loan, and a file that is saved."""

from __future__ import annotations

from pathlib import Path

from tests.browser.conftest import Look, save_download

PAGE = "/tools/rate-spread/"
GOOD = "1,30,FixedRate,6.0,2023-11-20,2"


def test_the_term_is_named_for_variable_rates(look: Look) -> None:
    page = look.at(PAGE)
    page.get_by_label("Amortization type").select_option("VariableRate")
    page.get_by_label("Years to first adjustment").fill("5")
    page.get_by_label("Amortization type").select_option("FixedRate")
    assert page.get_by_label("Loan term in years").input_value() == "5"


def test_a_file_is_saved_under_its_name(look: Look, tmp_path: Path) -> None:
    loans = tmp_path / "loans.csv"
    loans.write_text(f"{GOOD}\nx\n")
    page = look.at(PAGE)
    page.locator("#file").set_input_files(loans)
    name, path = save_download(page, page.get_by_role("button", name="Compute for all lines"))
    assert name == "calculated-loans.csv"
    assert path.read_text() == (f"{GOOD},-1.420\nx,error: a line must have 6 columns\n")
