"""The rate spread in a browser: one loan, and a file that is saved."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.browser.conftest import Look
from tests.flow.conftest import Service

PAGE = "/tools/rate-spread/"
GOOD = "1,30,FixedRate,6.0,2023-11-20,2"


@pytest.fixture(scope="module")
def rates(site: Service) -> None:
    site.manage("shell", "-v", "0", "-c",
        "from ratespread import loading; loading.load_demo(by='tests')")  # fmt: skip


def test_one_loan_is_answered_with_week_and_rate(rates: None, look: Look) -> None:
    page = look.at(PAGE)
    page.get_by_label("Loan term in years").fill("30")
    page.get_by_label("Annual percentage rate").fill("6.0")
    page.get_by_label("Rate set date").fill("2023-11-22")
    page.get_by_role("button", name="Compute rate spread").click()
    page.get_by_role("heading", name="The rate spread is -1.420 %").wait_for()
    look.is_sound()
    look.fits()


def test_the_term_is_named_for_variable_rates(rates: None, look: Look) -> None:
    page = look.at(PAGE)
    page.get_by_label("Amortization type").select_option("VariableRate")
    page.get_by_label("Years to first adjustment").fill("5")
    page.get_by_label("Amortization type").select_option("FixedRate")
    assert page.get_by_label("Loan term in years").input_value() == "5"


def test_what_is_wrong_is_sound(rates: None, look: Look) -> None:
    page = look.at(PAGE)
    page.evaluate("document.querySelector('main form').noValidate = true")
    page.get_by_role("button", name="Compute rate spread").click()
    page.get_by_role("alert").wait_for()
    look.is_sound()
    look.fits()


def test_a_file_is_saved_under_its_name(rates: None, look: Look, tmp_path: Path) -> None:
    loans = tmp_path / "loans.csv"
    loans.write_text(f"{GOOD}\nx\n")
    page = look.at(PAGE)
    page.locator("#file").set_input_files(loans)
    with page.expect_download() as saved:
        page.get_by_role("button", name="Compute for all lines").click()
    assert saved.value.suggested_filename == "calculated-loans.csv"
    assert Path(saved.value.path()).read_text() == (
        f"{GOOD},-1.420\nx,error: a line must have 6 columns\n"
    )
